#include "formats/source/size_guesses.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace hone {
namespace {

using SizeList = std::vector<std::int64_t>;

bool suggests(const char* refusal, std::int64_t now, std::int64_t size) {
  const SizeList suggested = sizes_suggested(sizes_told(refusal), now);
  return std::ranges::find(suggested, size) != suggested.end();
}

TEST(SizeGuessesTest, NumbersOfARefusalAreSizesAndThoseOfNamesAreNot) {
  EXPECT_EQ(sizes_told("Conv 'Conv_73': a window of 256 does not fit 80 elements"), (SizeList{256, 80}));
  EXPECT_EQ(sizes_told("dir7/vad_16k.onnx: Gemm 'a 5': cannot multiply [1,16] by [784,500]"),
            (SizeList{392000, 784, 500, 16, 1}));
}

TEST(SizeGuessesTest, ListsTellTheirProducts) {
  EXPECT_EQ(sizes_told("cannot reshape [10,3] to [2,7]"), (SizeList{30, 14, 10, 7, 3, 2}));
}

TEST(SizeGuessesTest, SuggestsWhatWouldFit) {
  EXPECT_TRUE(suggests("a window of 256 does not fit 80 elements", 16, 192));     // 64 more than the input
  EXPECT_TRUE(suggests("cannot multiply [1,16] by [784,500]", 16, 784));          // the size itself
  EXPECT_TRUE(suggests("inputs [1,9,7,28] and [1,9,1,28] differ", 224, 32));      // a seventh of it
  EXPECT_TRUE(suggests("index 1 is out of range for a dimension of 1", 1, 2));    // one more
  EXPECT_TRUE(suggests("cannot reshape [1,32,16] to [1,128,8,8]", 16, 16 * 16));  // as many elements
}

TEST(SizeGuessesTest, OneComesLast) {
  EXPECT_EQ(sizes_suggested(SizeList{4, 1}, 16).back(), 1);
  EXPECT_EQ(sizes_suggested(SizeList{4, 1}, 16).front(), 4);
  EXPECT_EQ(sizes_usual(16).back(), 1);
}

TEST(SizeGuessesTest, NumbersWithoutEndAreNoSizes) {
  EXPECT_TRUE(sizes_told("has 99999999999999999999999999999999999999 elements").empty());
  EXPECT_TRUE(sizes_told("").empty());
}

}  // namespace
}  // namespace hone
