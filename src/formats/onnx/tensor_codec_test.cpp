#include "formats/onnx/tensor_codec.h"

#include <gtest/gtest.h>

#include "formats/onnx/fields.h"
#include "graph/ir/random_model_test.h"

namespace hone::onnx {
namespace {

Tensor decode_tensor(const std::string& bytes) {
  // A TensorProto whose tensor outlives the bytes it was read from.
  const auto owner = std::make_shared<const std::string>(bytes);
  ExternalFiles none("no such folder");
  return read_tensor(as_bytes(*owner), owner, none);
}

std::string encode_tensor(const Tensor& tensor) {
  return write_tensor(tensor, tensor.origin() ? tensor.origin()->name : "t", std::nullopt).flatten();
}

WireWriter header(ElementType type, std::initializer_list<std::int64_t> dims) {
  WireWriter encoded;
  for (const std::int64_t d : dims) encoded.integer(tensor_field::dims, d);
  encoded.integer(tensor_field::data_type, static_cast<std::int64_t>(type));
  return encoded;
}

bool has_field(const std::string& bytes, std::uint32_t number) {
  WireReader reader(as_bytes(bytes));
  while (const auto field = reader.next())
    if (field->number == number) return true;
  return false;
}

/// Tensors of every element type, with element counts that do and do not fill their last byte.
class ElementTypeTest : public testing::TestWithParam<int> {
 protected:
  ElementType type() const { return static_cast<ElementType>(GetParam()); }
  Tensor sample(Dims dims) const {
    Rng rng(static_cast<std::uint64_t>(GetParam()));
    return random_tensor(type(), std::move(dims), rng);
  }
};

TEST_P(ElementTypeTest, IsWrittenAndReadBackWithAllItsBits) {
  for (const Dims& dims : {Dims{}, Dims{3}, Dims{2, 5}, Dims{0, 4}}) {
    const Tensor tensor = sample(dims);
    const std::string bytes = encode_tensor(tensor);
    EXPECT_EQ(decode_tensor(bytes), tensor);
    EXPECT_EQ(encode_tensor(decode_tensor(bytes)), bytes);
  }
}

TEST_P(ElementTypeTest, TypedDataKeepsItsBitsAndStaysTyped) {
  auto typed = std::make_shared<TensorOrigin>();
  typed->name = "t";
  typed->encoding = TensorOrigin::Encoding::typed;
  for (const Dims& dims : {Dims{}, Dims{3}, Dims{2, 5}}) {
    const Tensor tensor = sample(dims).with_origin(typed);
    const std::string bytes = encode_tensor(tensor);
    EXPECT_FALSE(has_field(bytes, tensor_field::raw_data));
    EXPECT_EQ(decode_tensor(bytes), tensor);
    EXPECT_EQ(encode_tensor(decode_tensor(bytes)), bytes);
  }
}

INSTANTIATE_TEST_SUITE_P(All, ElementTypeTest, testing::Range(1, 27), [](const testing::TestParamInfo<int>& tested) {
  return std::string(name_of(static_cast<ElementType>(tested.param)));
});

TEST(TensorCodecTest, RawDataStaysInTheFile) {
  WireWriter encoded = header(ElementType::int32, {2});
  const std::int32_t numbers[] = {-5, 7};
  encoded.bytes(tensor_field::raw_data, std::as_bytes(std::span(numbers)));
  const auto owner = std::make_shared<const std::string>(encoded.flatten());
  ExternalFiles none("");
  const Tensor tensor = read_tensor(as_bytes(*owner), owner, none);
  const Bytes file = as_bytes(*owner);
  EXPECT_GE(tensor.bytes().data(), file.data());
  EXPECT_LE(tensor.bytes().data() + tensor.bytes().size(), file.data() + file.size());
  EXPECT_EQ(tensor.integers(), (std::vector<std::int64_t>{-5, 7}));
}

TEST(TensorCodecTest, NegativeNumbersOf32BitsAreTenByteVarints) {
  WireWriter encoded = header(ElementType::int8, {2});
  encoded.integer(tensor_field::int32_data, -1);
  encoded.integer(tensor_field::int32_data, 127);
  EXPECT_EQ(decode_tensor(encoded.flatten()).integers(), (std::vector<std::int64_t>{-1, 127}));
}

TEST(TensorCodecTest, FloatsOneAFieldReadLikePackedOnes) {
  WireWriter loose = header(ElementType::float32, {2}), packed = header(ElementType::float32, {2});
  const float numbers[] = {1.5f, -2};
  for (const float number : numbers) loose.real(tensor_field::float_data, number);
  packed.packed(tensor_field::float_data, std::as_bytes(std::span(numbers)));
  EXPECT_EQ(decode_tensor(loose.flatten()), decode_tensor(packed.flatten()));
  EXPECT_EQ(decode_tensor(loose.flatten()), Tensor::of<float>({1.5f, -2}, {2}));
}

TEST(TensorCodecTest, HalfPrecisionInIntegerFieldsIsBits) {
  WireWriter encoded = header(ElementType::float16, {2});
  encoded.integer(tensor_field::int32_data, 0x3C00);
  encoded.integer(tensor_field::int32_data, 0xC000);
  const Tensor tensor = decode_tensor(encoded.flatten());
  EXPECT_EQ(tensor.number_at(0), 1);
  EXPECT_EQ(tensor.number_at(1), -2);
}

TEST(TensorCodecTest, KeepsNamesNotesAndUnknownFields) {
  WireWriter encoded = header(ElementType::float32, {1}), entry;
  encoded.text(tensor_field::name, "weight");
  encoded.text(tensor_field::raw_data, "abcd");
  encoded.text(tensor_field::doc_string, "why");
  entry.text(entry_field::key, "k");
  entry.text(entry_field::value, "v");
  encoded.message(tensor_field::metadata_props, std::move(entry));
  encoded.text(99, "from the future");
  const std::string bytes = encoded.flatten();
  EXPECT_EQ(encode_tensor(decode_tensor(bytes)), bytes);
  EXPECT_EQ(decode_tensor(bytes).origin()->notes->doc, "why");
}

TEST(TensorCodecTest, ANameGivenLaterReplacesTheOneInTheFile) {
  WireWriter encoded = header(ElementType::float32, {1});
  encoded.text(tensor_field::name, "");
  encoded.text(tensor_field::raw_data, "abcd");
  encoded.integer(tensor_field::data_location, 0);
  const Tensor tensor = decode_tensor(encoded.flatten());
  EXPECT_EQ(encode_tensor(tensor), encoded.flatten());
  const std::string named = write_tensor(tensor, "later", std::nullopt).flatten();
  EXPECT_EQ(decode_tensor(named).origin()->name, "later");
  const std::string moved = write_tensor(tensor, "later", ExternalPlace{"file", 64}).flatten();
  EXPECT_THROW(decode_tensor(moved), InputError);  // looks for the file
}

TEST(TensorCodecTest, ComplaintsNameTheTensor) {
  WireWriter encoded = header(ElementType::float32, {3});
  encoded.text(tensor_field::name, "weight");
  encoded.text(tensor_field::raw_data, "abcd");
  try {
    decode_tensor(encoded.flatten());
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "tensor 'weight' has 4 bytes of data, needs 12");
  }
}

TEST(TensorCodecTest, RefusesFloatDataWrittenAsAVarint) {
  WireWriter encoded = header(ElementType::float32, {1});
  encoded.integer(tensor_field::float_data, 3);
  EXPECT_THROW(decode_tensor(encoded.flatten()), InputError);
}

}  // namespace
}  // namespace hone::onnx
