#include "learn/network/safetensors.h"

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
  int read = 0, refused = 0;
  for (int i = 0; i < 2000; ++i) {
    std::string broken = whole;
    broken[rng.below(broken.size())] = static_cast<char>(rng.next());
    try {
      parse(broken);
      ++read;
    } catch (const InputError&) {
      ++refused;
    }
  }
  EXPECT_GT(read, 0);
  EXPECT_GT(refused, 0);
}

TEST(Safetensors, HalfPrecisionTakesHalfTheBytesAndComesBackAsItWasRounded) {
  Safetensors whole, halved;
  whole.arrays["a"] = {.shape = {1000}, .values = {}};
  Rng rng(1);
  for (int i = 0; i < 1000; ++i) whole.arrays["a"].values.push_back(static_cast<float>(rng.normal()));
  halved = whole;
  keep_in_half(halved.arrays["a"]);
  const std::string bytes = print_safetensors(halved);
  EXPECT_EQ(print_safetensors(whole).size() - bytes.size(), 2000);
  EXPECT_EQ(parse(bytes), halved);
  for (std::size_t i = 0; i < 1000; ++i)
    EXPECT_NEAR(halved.arrays["a"].values[i], whole.arrays["a"].values[i], 0.002);
}

TEST(Safetensors, RefusesOtherNumbers) {
  std::string text = print_safetensors(sample());
  text.replace(text.find("F32"), 3, "I32");
  EXPECT_THROW(parse(text), InputError);
}

/// A file of one array more than `sample` has, which lies at these bytes.
std::string with_array_at(std::size_t begin, std::size_t end) {
  std::string text = print_safetensors(sample()).substr(8);
  const std::string data = text.substr(text.find("}}") + 2);
  text =
      text.substr(0, text.find("}}") + 1) +
      fmt::format(R"(,"more":{{"dtype":"F32","shape":[{}],"data_offsets":[{},{}]}}}})", (end - begin) / 4, begin, end);
  const std::uint64_t length = text.size();
  const std::size_t padding = data.find_first_not_of(' ');
  return std::string(reinterpret_cast<const char*>(&length), sizeof length) + text + data.substr(padding);
}

TEST(Safetensors, RefusesArraysThatShareBytesAndBytesOfNone) {
  EXPECT_NO_THROW(parse(with_array_at(24, 24)));
  EXPECT_THROW(parse(with_array_at(0, 24)), InputError);
  EXPECT_THROW(parse(with_array_at(28, 28)), InputError);
  EXPECT_THROW(parse(print_safetensors(sample()) + "more"), InputError);
}

}  // namespace
}  // namespace hone
