#include "base/wire.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "base/error.h"

namespace hone {
namespace {

/// The fields refer to the bytes, which must stay.
std::vector<WireField> fields_of(std::string_view bytes) {
  std::vector<WireField> fields;
  WireReader reader(as_bytes(bytes));
  while (const auto field = reader.next()) fields.push_back(*field);
  return fields;
}

TEST(WireTest, ReadsTheExamplesOfTheProtobufManual) {
  // https://protobuf.dev/programming-guides/encoding: 150 in field 1, "testing" in field 2, a message holding 150 in 3.
  const auto fields = fields_of("\x08\x96\x01\x12\x07testing\x1a\x03\x08\x96\x01");
  ASSERT_EQ(fields.size(), 3u);
  EXPECT_EQ(fields[0].integer(), 150);
  EXPECT_EQ(fields[1].text(), "testing");
  EXPECT_EQ(fields_of(as_text(fields[2].message())).at(0).integer(), 150);
  EXPECT_EQ(as_text(fields[0].raw), "\x08\x96\x01");
}

TEST(WireTest, PackedAndUnpackedListsReadTheSame) {
  const auto list = [](std::string_view bytes) {
    std::vector<std::int64_t> numbers;
    for (const WireField& field : fields_of(bytes)) append_integers(field, numbers);
    return numbers;
  };
  const std::vector<std::int64_t> expected{3, 270, 86942};
  EXPECT_EQ(list("\x32\x06\x03\x8e\x02\x9e\xa7\x05"), expected);
  EXPECT_EQ(list("\x30\x03\x30\x8e\x02\x30\x9e\xa7\x05"), expected);
  EXPECT_EQ(list("\x30\x03\x32\x05\x8e\x02\x9e\xa7\x05"), expected);  // both kinds, as protobuf allows
}

TEST(WireTest, FloatsKeepTheirBits) {
  WireWriter encoded;
  encoded.real(2, -0.0f);
  encoded.real(2, std::numeric_limits<float>::infinity());
  const float packed[] = {1.5f, 0};
  encoded.bytes(2, std::as_bytes(std::span(packed)));
  std::vector<float> list;
  const std::string bytes = encoded.flatten();
  for (const WireField& field : fields_of(bytes)) append_floats(field, list);
  EXPECT_EQ(list, (std::vector<float>{-0.0f, std::numeric_limits<float>::infinity(), 1.5f, 0}));
  EXPECT_TRUE(std::signbit(list[0]));
}

TEST(WireTest, DoublesKeepTheirBits) {
  WireWriter encoded;
  encoded.real(1, 0.1);
  const std::string bytes = encoded.flatten();
  const auto fields = fields_of(bytes);
  ASSERT_EQ(fields.size(), 1u);
  EXPECT_EQ(fields[0].wire, WireField::Wire::fixed64);
  EXPECT_EQ(fields[0].varint, std::bit_cast<std::uint64_t>(0.1));
}

TEST(WireTest, EveryIntegerComesBack) {
  for (const std::int64_t value : {INT64_MIN, std::int64_t{-1}, std::int64_t{0}, std::int64_t{127}, std::int64_t{128},
                                   std::int64_t{1} << 35, INT64_MAX}) {
    WireWriter encoded;
    encoded.integer(536870911, value);  // the greatest field number there is
    const std::string bytes = encoded.flatten();
    const auto fields = fields_of(bytes);
    ASSERT_EQ(fields.size(), 1u);
    EXPECT_EQ(fields[0].number, 536870911u);
    EXPECT_EQ(fields[0].integer(), value);
  }
}

TEST(WireTest, RefusesWhatIsNoMessage) {
  for (const std::string_view bytes : {"\x08", "\x12\x05xxxx", "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
                                       "\x0d\x01\x02", "\x09\x01\x02\x03", "\x0b", "\x0c", "\x0e", "\x0f", "\x02"})
    EXPECT_THROW(fields_of(bytes), InputError);
}

TEST(WireTest, RefusesAFieldOfAnotherKind) {
  const auto fields = fields_of("\x08\x01\x12\x01x");
  EXPECT_THROW(fields[0].message(), InputError);
  EXPECT_THROW(fields[0].real(), InputError);
  EXPECT_THROW(fields[1].integer(), InputError);
}

TEST(WireWriterTest, LargeContentsAreReferredToAndWrittenInPlace) {
  const std::string large(5000, 'w');
  WireWriter inner, outer;
  inner.text(1, "before");
  inner.reference(9, as_bytes(large));
  inner.text(2, "after");
  outer.message(7, std::move(inner));
  const std::string flat = outer.flatten();
  EXPECT_EQ(outer.size(), flat.size());
  const auto fields = fields_of(as_text(fields_of(flat).at(0).message()));
  ASSERT_EQ(fields.size(), 3u);
  EXPECT_EQ(fields[1].text(), large);
  EXPECT_EQ(fields[2].text(), "after");
}

}  // namespace
}  // namespace hone
