#include "graph/ir/tensor.h"

#include <gtest/gtest.h>

#include <cstring>

#include "graph/ir/random_model_test.h"

namespace hone {
namespace {

TEST(TensorTest, SubByteElementsArePackedLowBitsFirst) {
  Tensor tensor = Tensor::zeros(ElementType::int4, {3});
  for (std::size_t i = 0; i < 3; ++i) tensor.set_number(i, static_cast<double>(i) - 2);
  ASSERT_EQ(tensor.bytes().size(), 2u);
  EXPECT_EQ(std::to_integer<int>(tensor.bytes()[0]), 0xFE);
  EXPECT_EQ(std::to_integer<int>(tensor.bytes()[1]), 0x00);
  EXPECT_EQ(tensor.integers(), (std::vector<std::int64_t>{-2, -1, 0}));
}

TEST(TensorTest, EveryNumericTypeStoresSmallNumbers) {
  for (int number = 1; number <= 26; ++number) {
    const auto type = static_cast<ElementType>(number);
    if (type == ElementType::string || is_complex(type)) continue;
    Tensor tensor = Tensor::zeros(type, {5});
    tensor.set_number(3, 1);
    EXPECT_EQ(tensor.number_at(3), 1) << name_of(type);
    EXPECT_EQ(tensor.integer_at(3), 1) << name_of(type);
    const double zero = type == ElementType::float8e8m0 ? 0x1.0p-127 : 0.0;  // which has no zero
    EXPECT_EQ(tensor.number_at(2), zero) << name_of(type);
    if (!is_signed_integer(type)) continue;
    tensor.set_number(4, -1);
    EXPECT_EQ(tensor.integer_at(4), -1) << name_of(type);
    EXPECT_EQ(tensor.integer_at(3), 1) << name_of(type);
  }
}

TEST(TensorTest, StringsAndComplexHaveNoNumber) {
  for (const ElementType type : {ElementType::string, ElementType::complex64}) {
    Tensor tensor = Tensor::zeros(type, {1});
    EXPECT_THROW(tensor.number_at(0), InputError);
    EXPECT_THROW(tensor.integer_at(0), InputError);
    EXPECT_THROW(tensor.set_number(0, 1), InputError);
  }
}

TEST(TensorTest, PowersOfTwoWithoutSignTakeAnyDouble) {
  Tensor tensor = Tensor::zeros(ElementType::float8e8m0, {4});
  tensor.set_number(0, 0);
  tensor.set_number(1, -1);
  tensor.set_number(2, std::numeric_limits<double>::infinity());
  tensor.set_number(3, 8);
  EXPECT_EQ(tensor.number_at(0), 0x1.0p-127);
  EXPECT_TRUE(std::isnan(tensor.number_at(1)));
  EXPECT_EQ(tensor.number_at(2), 0x1.0p127);
  EXPECT_EQ(tensor.number_at(3), 8);
}

TEST(TensorTest, RefusesSizesBeyondMemory) {
  EXPECT_THROW(Tensor::zeros(ElementType::float32, {std::int64_t{1} << 59}), InputError);
  EXPECT_THROW(Tensor::zeros(ElementType::complex128, {std::int64_t{1} << 58}), InputError);
  EXPECT_THROW(Tensor::zeros(ElementType::string, {std::int64_t{1} << 59}), InputError);
  EXPECT_THROW(Tensor::zeros(ElementType::int8, {std::int64_t{1} << 40, std::int64_t{1} << 40}), InputError);
  EXPECT_THROW(Tensor::zeros(ElementType::int8, {-1}), InputError);
  EXPECT_EQ(Tensor::zeros(ElementType::float32, {std::int64_t{1} << 40, 0}).count(), 0u);
}

TEST(TensorTest, EqualityAndHashGoByTypeShapeAndBits) {
  const Tensor a = Tensor::of<float>({0.0f, 1.0f}, {2});
  EXPECT_EQ(a, Tensor::of<float>({0.0f, 1.0f}, {2}));
  EXPECT_EQ(a.content_hash(), Tensor::of<float>({0.0f, 1.0f}, {2}).content_hash());
  for (const Tensor& other : {Tensor::of<float>({-0.0f, 1.0f}, {2}), a.reshaped({2, 1}), Tensor::of<float>({0.0f}, {1}),
                              Tensor::of<std::int32_t>({0, 0x3F800000}, {2})}) {
    EXPECT_FALSE(a == other);
    EXPECT_NE(a.content_hash(), other.content_hash());
  }
  EXPECT_FALSE(Tensor::of<std::string>({"a", "b"}, {2}) == Tensor::of<std::string>({"a", "c"}, {2}));
}

TEST(TensorTest, TheHashFollowsWhatIsWritten) {
  Tensor a = Tensor::of<float>({0.0f, 1.0f}, {2});
  const std::uint64_t before = a.content_hash();
  a.set_number(0, 2);
  EXPECT_NE(a.content_hash(), before);
  a.set_number(0, 0);
  EXPECT_EQ(a.content_hash(), before);
  EXPECT_NE(a.reshaped({1, 2}).content_hash(), before);
}

TEST(TensorTest, CopiesShareAndAreNotWrittenTo) {
  Tensor a = Tensor::zeros(ElementType::float32, {2});
  const Tensor b = a;
  EXPECT_EQ(a.bytes().data(), b.bytes().data());
  EXPECT_DEATH(a.set_number(0, 1), "shared");
}

TEST(TensorTest, UnalignedElementsAreCopiedIntoPlace) {
  const auto memory = std::make_shared<std::array<std::byte, 9>>();
  const float value = 1.5f;
  std::memcpy(memory->data() + 1, &value, sizeof(value));
  const Tensor tensor = Tensor::view(ElementType::float32, {1}, std::span(*memory).subspan(1, 4), memory);
  EXPECT_EQ(tensor.number_at(0), 1.5);
  EXPECT_EQ(tensor.aligned().values<float>()[0], 1.5f);
  EXPECT_THROW(tensor.aligned().values<double>(), InputError);
}

TEST(TensorTest, WhatIsDeferredIsComputedOnceAndByWhoeverAsksFirst) {
  int computed = 0;
  const auto compute = [&] {
    ++computed;
    return Tensor::of<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  };
  const Tensor deferred = Tensor::deferred(ElementType::float32, {2, 3}, 17, compute);
  const Tensor copy = deferred, other = Tensor::deferred(ElementType::float32, {2, 3}, 18, compute);
  EXPECT_EQ(deferred.byte_count(), 24u);
  EXPECT_EQ(deferred.likeness(), copy.likeness());
  EXPECT_NE(deferred.likeness(), other.likeness());
  EXPECT_NE(deferred.likeness(), deferred.reshaped({3, 2}).likeness());
  EXPECT_EQ(deferred, copy);
  EXPECT_EQ(deferred.aligned().count(), 6u);
  EXPECT_EQ(computed, 0);  // nobody has looked at contents yet
  EXPECT_EQ(copy.number_at(4), 5);
  EXPECT_EQ(deferred.reshaped({6}).values<float>()[5], 6);
  EXPECT_EQ(computed, 1);
  const Tensor same = Tensor::of<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  EXPECT_EQ(deferred, same);
  EXPECT_EQ(deferred.content_hash(), same.content_hash());
}

TEST(TensorTest, WhatIsDeferredHasTheFormThatWasSaid) {
  const Tensor wrong = Tensor::deferred(ElementType::float32, {3}, 0, [] { return Tensor::of<float>({1, 2}, {2}); });
  EXPECT_THROW(wrong.bytes(), InputError);
}

}  // namespace
}  // namespace hone
