#include "policy/safetensors.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/random.h"

namespace hone {
namespace {

Safetensors sample() {
  Safetensors contents;
  contents.arrays["a"] = {.shape = {2, 3}, .values = {1, 2, 3, 4, 5, 6}};
  contents.arrays["empty"] = {.shape = {0, 4}, .values = {}};
  contents.metadata = {{"schema", "x"}, {"text", "a \"quoted\" line\n"}};
  return contents;
}

Safetensors parse(const std::string& bytes) {
  return parse_safetensors(std::as_bytes(std::span(bytes.data(), bytes.size())), "test");
}

TEST(Safetensors, ComesBackAsItWasWritten) { EXPECT_EQ(parse(print_safetensors(sample())), sample()); }

TEST(Safetensors, EveryTruncationIsAnError) {
  const std::string whole = print_safetensors(sample());
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_THROW(parse(whole.substr(0, length)), InputError) << length;
}

TEST(Safetensors, BrokenBytesAreAnErrorOrReadable) {
  const std::string whole = print_safetensors(sample());
  Rng rng(1);
  for (int i = 0; i < 2000; ++i) {
    std::string broken = whole;
    broken[rng.below(broken.size())] = static_cast<char>(rng.next());
    try {
      parse(broken);
    } catch (const InputError&) {
    }
  }
}

TEST(Safetensors, RefusesWhatIsNotFloat32) {
  std::string text = print_safetensors(sample());
  text.replace(text.find("F32"), 3, "I32");
  EXPECT_THROW(parse(text), InputError);
}

}  // namespace
}  // namespace hone
