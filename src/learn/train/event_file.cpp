#include "learn/train/event_file.h"

#include <array>
#include <bit>
#include <chrono>
#include <cmath>

#include "base/error.h"

namespace hone::learn {
namespace {

constexpr std::uint32_t kPolynomial = 0x82F63B78;  // Castagnoli's, bits reversed

constexpr std::array<std::uint32_t, 256> kTable = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? kPolynomial : 0);
    table[i] = value;
  }
  return table;
}();

/// Lowest byte first.
template <class T>
std::string bytes_of(T value) {
  std::string bytes;
  for (std::size_t i = 0; i < sizeof(T); ++i) bytes += static_cast<char>((value >> (8 * i)) & 0xFF);
  return bytes;
}

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>((value & 0x7F) | 0x80);
  return bytes + static_cast<char>(value);
}

/// Kinds of fields of protobuf.
enum class Wire : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

std::string key(std::uint32_t number, Wire wire) { return varint(number << 3 | static_cast<std::uint32_t>(wire)); }

std::string bytes_field(std::uint32_t number, std::string_view bytes) {
  return key(number, Wire::bytes) + varint(bytes.size()) + std::string(bytes);
}

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// An `Event` with when it was written.
std::string event(std::string_view rest) {
  return key(1, Wire::fixed64) + bytes_of(std::bit_cast<std::uint64_t>(seconds_now())) + std::string(rest);
}

std::string record(std::string_view bytes) {
  const std::string length = bytes_of(static_cast<std::uint64_t>(bytes.size()));
  return length + bytes_of(masked_checksum(length)) + std::string(bytes) + bytes_of(masked_checksum(bytes));
}

}  // namespace

std::uint32_t masked_checksum(std::string_view bytes) {
  std::uint32_t sum = ~0U;
  for (const char byte : bytes) sum = kTable[(sum ^ static_cast<std::uint8_t>(byte)) & 0xFF] ^ (sum >> 8);
  return std::rotr(~sum, 15) + 0xA282EAD8U;
}

EventFile::EventFile(const std::filesystem::path& folder, std::uint64_t first)
    : path_(folder / fmt::format("events.out.tfevents.{:010}.hone", static_cast<std::uint64_t>(seconds_now()))),
      file_(path_, std::ios::binary | std::ios::app) {
  constexpr std::uint64_t kStart = 1;  // a `SessionLog` that makes TensorBoard forget this step and later ones
  write(bytes_field(3, "brain.Event:2"));
  write(key(2, Wire::varint) + varint(first) + bytes_field(7, key(1, Wire::varint) + varint(kStart)));
}

void EventFile::add(std::uint64_t step, std::span<const Scalar> scalars) {
  std::string summary;
  for (const auto& [name, value] : scalars)
    if (std::isfinite(value))
      summary += bytes_field(1, bytes_field(1, name) + key(2, Wire::fixed32) +
                                    bytes_of(std::bit_cast<std::uint32_t>(static_cast<float>(value))));
  write(key(2, Wire::varint) + varint(step) + bytes_field(5, summary));
}

void EventFile::write(std::string_view rest) {
  file_ << record(event(rest)) << std::flush;
  if (!file_) throw InputError(fmt::format("{}: cannot write", path_.string()), ExitCode::internal_error);
}

}  // namespace hone::learn
