#include "formats/onnx/residue.h"

#include <gtest/gtest.h>

namespace hone::onnx {
namespace {

/// The numbers that a message has in its fields, which are integers.
std::vector<std::int64_t> integers_of(const WireWriter& message) {
  std::vector<std::int64_t> integers;
  const std::string bytes = message.flatten();
  WireReader reader(as_bytes(bytes));
  while (const auto field = reader.next()) integers.push_back(field->integer());
  return integers;
}

TEST(ResidueTest, GivesKeptFieldsBackInFieldOrder) {
  WireWriter kept, low, high;
  kept.integer(9, 1);
  kept.integer(3, 2);
  kept.integer(9, 3);
  const std::string all = kept.flatten();
  Residue again(all);
  again.flush_below(5, low);
  again.flush(high);
  EXPECT_EQ(integers_of(low), (std::vector<std::int64_t>{2}));
  EXPECT_EQ(integers_of(high), (std::vector<std::int64_t>{1, 3}));
}

}  // namespace
}  // namespace hone::onnx
