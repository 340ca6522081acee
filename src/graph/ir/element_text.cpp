#include "graph/ir/element_text.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>
#include <type_traits>

#include "graph/ir/tensor.h"

namespace hone {
namespace {

std::uint64_t mask(int bit_width) { return bit_width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bit_width) - 1; }

/// Shortest text that reads back as the same bits.
template <class Real, class Bits>
std::string real_text(Bits bits) {
  const Real value = std::bit_cast<Real>(bits);
  if (value == value) return fmt::format("{}", value);
  const Bits plain = std::bit_cast<Bits>(std::numeric_limits<Real>::quiet_NaN());
  return bits == plain ? "nan" : fmt::format("0x{:x}", bits);
}

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

template <class Real>
std::optional<Real> real(const Token& token) {
  std::string_view word = token.text;
  const bool negative = word.starts_with('-');
  if (negative) word.remove_prefix(1);
  if (is_special_number(word)) {
    const Real magnitude = word.front() == 'n' || word.front() == 'N' ? std::numeric_limits<Real>::quiet_NaN()
                                                                      : std::numeric_limits<Real>::infinity();
    return negative ? -magnitude : magnitude;
  }
  if (token.kind != Token::Kind::real && token.kind != Token::Kind::integer) return std::nullopt;
  return number<Real>(token.text);
}

template <class Real, class Bits>
std::optional<std::uint64_t> real_bits(const Token& token) {
  const std::optional<Real> value = real<Real>(token);
  if (!value) return std::nullopt;
  return std::bit_cast<Bits>(*value);
}

/// A narrow float written as a real number is rounded; written as an integer it is its bits.
std::optional<std::uint64_t> narrow_bits(ElementType type, const Token& token) {
  const int width = bit_width(type);
  if (token.kind == Token::Kind::integer) {
    const auto bits = number<std::uint64_t>(token.text);
    return bits && *bits <= mask(width) ? bits : std::nullopt;
  }
  const std::optional<double> value = real<double>(token);
  if (!value) return std::nullopt;
  Tensor rounded = Tensor::zeros(type, {1});
  rounded.set_number(0, *value);
  return stored_bits(rounded.bytes(), width, 0);
}

std::optional<std::uint64_t> integer_bits(ElementType type, const Token& token) {
  if (type == ElementType::boolean && token.kind == Token::Kind::identifier) {
    if (token.text == "true" || token.text == "false") return token.text == "true" ? 1 : 0;
  }
  if (token.kind != Token::Kind::integer) return std::nullopt;
  const int width = bit_width(type);
  if (!is_signed_integer(type)) {
    const auto value = number<std::uint64_t>(token.text);
    return value && *value <= mask(width) ? value : std::nullopt;
  }
  const auto value = number<std::int64_t>(token.text);
  const std::int64_t largest = static_cast<std::int64_t>(mask(width) >> 1);
  if (!value || *value > largest || *value < -largest - 1) return std::nullopt;
  return static_cast<std::uint64_t>(*value) & mask(width);
}

}  // namespace

ElementType written_type(ElementType type) {
  if (type == ElementType::complex64) return ElementType::float32;
  return type == ElementType::complex128 ? ElementType::float64 : type;
}

std::size_t written_per_element(ElementType type) { return is_complex(type) ? 2 : 1; }

std::uint64_t stored_bits(std::span<const std::byte> bytes, int bit_width, std::size_t index) {
  const auto width = static_cast<std::size_t>(bit_width);
  if (width < 8) {
    const auto byte = std::to_integer<std::uint64_t>(bytes[index * width / 8]);
    return (byte >> (index * width % 8)) & mask(bit_width);
  }
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + index * width / 8, width / 8);
  return bits;
}

void store_bits(std::span<std::byte> bytes, int bit_width, std::size_t index, std::uint64_t bits) {
  const auto width = static_cast<std::size_t>(bit_width);
  if (width >= 8) {
    std::memcpy(bytes.data() + index * width / 8, &bits, width / 8);
    return;
  }
  const std::size_t shift = index * width % 8;
  auto byte = std::to_integer<std::uint64_t>(bytes[index * width / 8]);
  byte = (byte & ~(mask(bit_width) << shift)) | (bits << shift);
  bytes[index * width / 8] = static_cast<std::byte>(byte);
}

std::string element_text(ElementType type, std::uint64_t bits) {
  if (type == ElementType::float32) return real_text<float>(static_cast<std::uint32_t>(bits));
  if (type == ElementType::float64) return real_text<double>(bits);
  if (!is_signed_integer(type)) return fmt::format("{}", bits);
  const int unused = 64 - bit_width(type);
  return fmt::format("{}", static_cast<std::int64_t>(bits << unused) >> unused);
}

std::optional<std::uint64_t> element_bits(ElementType type, const Token& token) {
  if (token.kind == Token::Kind::hexadecimal) {
    std::uint64_t bits = 0;
    const char* end = token.text.data() + token.text.size();
    const bool whole = std::from_chars(token.text.data(), end, bits, 16).ptr == end && token.text.size() <= 16;
    return whole && !token.text.empty() && bits <= mask(bit_width(type)) ? std::optional(bits) : std::nullopt;
  }
  if (type == ElementType::float32) return real_bits<float, std::uint32_t>(token);
  if (type == ElementType::float64) return real_bits<double, std::uint64_t>(token);
  return is_floating(type) ? narrow_bits(type, token) : integer_bits(type, token);
}

bool is_special_number(std::string_view word) {
  std::string lower(word);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return lower == "inf" || lower == "infinity" || lower == "nan";
}

}  // namespace hone
