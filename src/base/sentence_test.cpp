#include "base/sentence.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(SentenceTest, ControlCharactersBecomeSpaces) {
  EXPECT_EQ(one_line("a\nb\tc\x1B[31m\x7F"
                     "é"),
            "a b c [31m é");
}

TEST(SentenceTest, LongOnesAreCutBetweenCharacters) {
  std::string text(999, 'a');
  text += "éééé";
  EXPECT_EQ(one_line(text), std::string(999, 'a') + "...");
  EXPECT_EQ(one_line(std::string(1000, 'b')), std::string(1000, 'b'));
}

TEST(SentenceTest, ErrorsBeginWithWhereTheyHappened) {
  const auto complaint = [](std::string_view where) {
    try {
      within(where, [] { fail_usage("no {}", "way"); });
    } catch (const InputError& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(complaint("a.onnx"), "a.onnx: no way");
  EXPECT_EQ(complaint(""), "no way");
  EXPECT_EQ(within("a.onnx", [] { return 5; }), 5);
}

}  // namespace
}  // namespace hone
