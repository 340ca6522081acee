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

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// An `Event` as of now.
WireWriter event() {
  WireWriter event;
  event.real(1, seconds_now());
  return event;
}

/// An `Event` of a step.
WireWriter event(std::uint64_t step) {
  WireWriter made = event();
  made.integer(2, static_cast<std::int64_t>(step));
  return made;
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
  constexpr std::int64_t kStart = 1;  // a `SessionLog` that makes TensorBoard forget this step and later ones
  WireWriter version = event(), start = event(first), log;
  version.text(3, "brain.Event:2");
  write(version);
  log.integer(1, kStart);
  start.message(7, std::move(log));
  write(start);
}

void EventFile::add(std::uint64_t step, std::span<const Scalar> scalars) {
  WireWriter made = event(step), summary;
  for (const auto& [name, value] : scalars) {
    if (!std::isfinite(value)) continue;
    WireWriter scalar;
    scalar.text(1, name);
    scalar.real(2, static_cast<float>(value));
    summary.message(1, std::move(scalar));
  }
  made.message(5, std::move(summary));
  write(made);
}

void EventFile::write(const WireWriter& event) {
  file_ << record(event.flatten()) << std::flush;
  if (!file_) throw InputError(fmt::format("{}: cannot write", path_.string()), ExitCode::internal_error);
}

}  // namespace hone::learn
