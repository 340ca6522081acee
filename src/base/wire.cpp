#include "base/wire.h"

#include <bit>
#include <cstring>

#include "base/error.h"

namespace hone {
namespace {

// Below this a copy is cheaper than another piece.
constexpr std::size_t kReferenceBytes = 512;

}  // namespace

Bytes WireField::message() const {
  if (wire != Wire::bytes) fail("field {} has another wire type than its format gives it", number);
  return bytes;
}

std::int64_t WireField::integer() const {
  if (wire != Wire::varint) fail("field {} has another wire type than its format gives it", number);
  return static_cast<std::int64_t>(varint);
}

float WireField::real() const {
  if (wire != Wire::fixed32) fail("field {} has another wire type than its format gives it", number);
  return std::bit_cast<float>(static_cast<std::uint32_t>(varint));
}

std::uint64_t WireReader::read_varint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (position_ == bytes_.size()) fail("the file ends in the middle of a number");
    const auto byte = std::to_integer<std::uint64_t>(bytes_[position_++]);
    value |= (byte & 0x7F) << shift;
    if (byte < 0x80) return value;
  }
  fail("a number is longer than ten bytes");
}

Bytes WireReader::take(std::uint64_t count) {
  if (count > bytes_.size() - position_)
    fail("truncated: a field of {} bytes starts where {} are left", count, bytes_.size() - position_);
  const Bytes taken = bytes_.subspan(position_, count);
  position_ += count;
  return taken;
}

std::optional<WireField> WireReader::next() {
  if (position_ == bytes_.size()) return std::nullopt;
  const std::size_t start = position_;
  const std::uint64_t tag = read_varint();
  WireField field;
  if (tag >> 3 == 0 || tag >> 3 > 0x1FFFFFFF) fail("not a protobuf message: field number {}", tag >> 3);
  field.number = static_cast<std::uint32_t>(tag >> 3);
  field.wire = static_cast<WireField::Wire>(tag & 7);
  switch (field.wire) {
    case WireField::Wire::varint: field.varint = read_varint(); break;
    case WireField::Wire::bytes: field.bytes = take(read_varint()); break;
    case WireField::Wire::fixed64: std::memcpy(&field.varint, take(8).data(), 8); break;
    case WireField::Wire::fixed32: std::memcpy(&field.varint, take(4).data(), 4); break;
    default: fail("not a protobuf message: wire type {}", tag & 7);
  }
  field.raw = bytes_.subspan(start, position_ - start);
  return field;
}

void append_integers(const WireField& field, std::vector<std::int64_t>& list) {
  if (field.wire != WireField::Wire::bytes) return list.push_back(field.integer());
  const Bytes packed = field.bytes;
  std::size_t at = 0;
  while (at < packed.size()) {
    std::uint64_t value = 0;
    unsigned shift = 0;
    std::uint64_t byte = 0x80;
    for (; byte >= 0x80; shift += 7) {
      if (at == packed.size() || shift > 63) fail("a packed list of integers is malformed");
      byte = std::to_integer<std::uint64_t>(packed[at++]);
      value |= (byte & 0x7F) << shift;
    }
    list.push_back(static_cast<std::int64_t>(value));
  }
}

void append_floats(const WireField& field, std::vector<float>& list) {
  if (field.wire != WireField::Wire::bytes) return list.push_back(field.real());
  if (field.bytes.size() % 4 != 0) fail("a packed list of floats has {} bytes", field.bytes.size());
  const std::size_t old = list.size();
  list.resize(old + field.bytes.size() / 4);
  if (!field.bytes.empty()) std::memcpy(list.data() + old, field.bytes.data(), field.bytes.size());
}

void WireWriter::append(std::string_view text) {
  if (text.empty()) return;
  if (pieces_.empty() || !std::holds_alternative<std::string>(pieces_.back())) pieces_.emplace_back(std::string());
  std::get<std::string>(pieces_.back()).append(text);
  size_ += text.size();
}

void WireWriter::append_varint(std::uint64_t value) {
  char digits[10];
  std::size_t count = 0;
  for (; value >= 0x80; value >>= 7) digits[count++] = static_cast<char>(value | 0x80);
  digits[count++] = static_cast<char>(value);
  append({digits, count});
}

void WireWriter::integer(std::uint32_t field, std::int64_t value) {
  tag(field, WireField::Wire::varint);
  append_varint(static_cast<std::uint64_t>(value));
}

void WireWriter::real(std::uint32_t field, float value) {
  tag(field, WireField::Wire::fixed32);
  append(as_text(std::as_bytes(std::span(&value, 1))));
}

void WireWriter::real(std::uint32_t field, double value) {
  tag(field, WireField::Wire::fixed64);
  append(as_text(std::as_bytes(std::span(&value, 1))));
}

void WireWriter::bytes(std::uint32_t field, Bytes contents) {
  tag(field, WireField::Wire::bytes);
  append_varint(contents.size());
  append(as_text(contents));
}

void WireWriter::reference(std::uint32_t field, Bytes contents) {
  if (contents.size() < kReferenceBytes) return bytes(field, contents);
  tag(field, WireField::Wire::bytes);
  append_varint(contents.size());
  pieces_.emplace_back(contents);
  size_ += contents.size();
}

void WireWriter::message(std::uint32_t field, WireWriter&& nested) {
  tag(field, WireField::Wire::bytes);
  append_varint(nested.size_);
  for (auto& piece : nested.pieces_) {
    if (const auto* text = std::get_if<std::string>(&piece)) {
      append(*text);
    } else {
      size_ += std::get<Bytes>(piece).size();
      pieces_.push_back(std::move(piece));
    }
  }
}

void WireWriter::write(OutputFile& file) const {
  for (const auto& piece : pieces_) {
    if (const auto* text = std::get_if<std::string>(&piece)) file.write(*text);
    else file.write(std::get<Bytes>(piece));
  }
}

std::string WireWriter::flatten() const {
  std::string all;
  all.reserve(size_);
  for (const auto& piece : pieces_) {
    if (const auto* text = std::get_if<std::string>(&piece)) all.append(*text);
    else all.append(as_text(std::get<Bytes>(piece)));
  }
  return all;
}

}  // namespace hone
