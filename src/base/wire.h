#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/output_file.h"

namespace hone {

using Bytes = std::span<const std::byte>;

inline std::string_view as_text(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
inline Bytes as_bytes(std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); }

/// One field of a protobuf message, pointing into the encoded bytes.
struct WireField {
  std::uint32_t number = 0;
  enum class Wire : std::uint8_t {
    varint = 0,
    fixed64 = 1,
    bytes = 2,
    group_start = 3,
    group_end = 4,
    fixed32 = 5
  } wire = Wire::varint;
  std::uint64_t varint = 0;  // also holds fixed32 and fixed64
  Bytes bytes;               // contents of a length-delimited field
  Bytes raw;                 // the whole field, tag included

  // The contents as a given type; throw InputError when the wire type does not fit.
  Bytes message() const;
  std::string_view text() const { return as_text(message()); }
  std::int64_t integer() const;
  float real() const;
};

/// Reads a message field by field, without copying. We read the wire format ourselves, rather than with protobuf's
/// generated classes, because those copy every weight of a model and stop at 2 GB.
class WireReader {
 public:
  explicit WireReader(Bytes bytes) : bytes_(bytes) {}
  /// Nullopt at the end. Throws InputError on a malformed or truncated message.
  std::optional<WireField> next();

 private:
  std::uint64_t read_varint();
  Bytes take(std::uint64_t count);

  Bytes bytes_;
  std::size_t position_ = 0;
};

/// The numbers of a repeated scalar field, packed or not; append them as fields arrive.
void append_integers(const WireField& field, std::vector<std::int64_t>& list);
void append_floats(const WireField& field, std::vector<float>& list);

/// An encoded message in pieces: small ones are owned, large ones (weights) are references to memory that must stay
/// alive until the message is written. Nesting moves pieces and copies no weight.
class WireWriter {
 public:
  std::uint64_t size() const { return size_; }

  void integer(std::uint32_t field, std::int64_t value);
  void real(std::uint32_t field, float value);
  void real(std::uint32_t field, double value);
  void bytes(std::uint32_t field, Bytes contents);
  void text(std::uint32_t field, std::string_view contents) { bytes(field, as_bytes(contents)); }
  /// A length-delimited field that refers to `contents` instead of copying it.
  void reference(std::uint32_t field, Bytes contents);
  void message(std::uint32_t field, WireWriter&& nested);
  /// Packed doubles, floats and the like: the bytes of the elements as they lie in memory.
  void packed(std::uint32_t field, Bytes elements) { reference(field, elements); }
  /// Already encoded fields.
  void raw(Bytes fields) { append(as_text(fields)); }

  void write(OutputFile& file) const;
  std::string flatten() const;

 private:
  void append(std::string_view text);
  void append_varint(std::uint64_t value);
  void tag(std::uint32_t field, WireField::Wire wire) {
    append_varint((std::uint64_t{field} << 3) | static_cast<std::uint64_t>(wire));
  }

  std::vector<std::variant<std::string, Bytes>> pieces_;
  std::uint64_t size_ = 0;
};

}  // namespace hone
