#include "formats/onnx/tensor_codec.h"

#include <charconv>
#include <cstring>
#include <map>

#include "base/error.h"
#include "formats/onnx/fields.h"
#include "formats/onnx/metadata.h"
#include "formats/onnx/residue.h"

namespace hone::onnx {
namespace {

using Encoding = TensorOrigin::Encoding;

/// A TensorProto as its fields come in.
struct TensorDraft {
  std::string name;
  Dims dims;
  std::int64_t data_type = 0;
  bool external = false;
  std::optional<Bytes> raw;  // raw_data, or the bytes of packed floats or doubles
  Encoding encoding = Encoding::raw;
  std::string loose;                   // bytes of floats or doubles written one field each
  std::vector<std::int64_t> integers;  // int32_data, int64_data or uint64_data
  std::vector<std::string> strings;
  std::map<std::string, std::string, std::less<>> external_entries;
  Notes notes;
};

void read_packed(const WireField& field, TensorDraft& draft) {
  draft.encoding = Encoding::typed;
  if (field.wire == WireField::Wire::bytes && !draft.raw && draft.loose.empty()) {
    draft.raw = field.bytes;
    return;
  }
  if (draft.raw) draft.loose = as_text(*std::exchange(draft.raw, std::nullopt));
  if (field.wire == WireField::Wire::bytes) draft.loose += as_text(field.bytes);
  else if (field.wire == WireField::Wire::fixed64) draft.loose += as_text(field.raw.last(8));
  else if (field.wire == WireField::Wire::fixed32) draft.loose += as_text(field.raw.last(4));
  else fail("has data in another wire type than ONNX gives it");
}

void read_data(const WireField& field, TensorDraft& draft) {
  switch (field.number) {
    case tensor_field::float_data:
    case tensor_field::double_data: read_packed(field, draft); break;
    case tensor_field::int32_data:
    case tensor_field::int64_data:
    case tensor_field::uint64_data:
      draft.encoding = Encoding::typed;
      append_integers(field, draft.integers);
      break;
    case tensor_field::string_data:
      draft.encoding = Encoding::typed;
      draft.strings.emplace_back(field.text());
      break;
    case tensor_field::raw_data: draft.raw = field.message(); break;
    case tensor_field::data_location:
      draft.external = field.integer() == 1;
      if (!draft.external) draft.notes.residue += as_text(field.raw);
      break;
    case tensor_field::external_data: {
      auto [key, value] = read_entry(field.message());
      draft.external_entries[key] = value;
      draft.notes.residue += as_text(field.raw);
      break;
    }
    default: draft.notes.residue += as_text(field.raw);
  }
}

TensorDraft read_fields(Bytes message) {
  TensorDraft draft;
  WireReader reader(message);
  while (const auto field = reader.next()) {
    std::vector<std::int64_t> dims;
    switch (field->number) {
      case tensor_field::dims:
        append_integers(*field, dims);
        for (const std::int64_t d : dims) draft.dims.push_back(d);
        break;
      case tensor_field::data_type: draft.data_type = field->integer(); break;
      case tensor_field::name: read_text(*field, draft.name, draft.notes.residue); break;
      case tensor_field::doc_string: read_text(*field, draft.notes.doc, draft.notes.residue); break;
      case tensor_field::metadata_props: draft.notes.metadata.push_back(read_entry(field->message())); break;
      default: read_data(*field, draft);
    }
  }
  return draft;
}

std::uint64_t external_number(const TensorDraft& draft, std::string_view key, std::uint64_t fallback) {
  const auto it = draft.external_entries.find(key);
  if (it == draft.external_entries.end()) return fallback;
  std::uint64_t value = 0;
  const char* end = it->second.data() + it->second.size();
  const auto [stopped, error] = std::from_chars(it->second.data(), end, value);
  if (error != std::errc() || stopped != end) fail("external data with {} '{}'", key, it->second);
  return value;
}

Tensor read_external(const TensorDraft& draft, ElementType type, std::size_t bytes, ExternalFiles& files,
                     TensorOrigin& origin) {
  const auto location = draft.external_entries.find("location");
  if (location == draft.external_entries.end()) fail("external data without a location");
  const auto file = files.open(location->second);
  const std::uint64_t offset = external_number(draft, "offset", 0);
  const std::uint64_t length = external_number(draft, "length", bytes);
  const std::size_t size = file->bytes().size();
  if (length != bytes) fail("external data of {} bytes for a tensor of {}", length, bytes);
  if (offset > size || bytes > size - offset)
    fail("external data '{}' has {} bytes, {} at offset {} are needed", location->second, size, bytes, offset);
  origin.external_file = file->path();
  origin.external_offset = offset;
  return Tensor::view(type, draft.dims, file->bytes().subspan(offset, bytes), file);
}

/// Decoded varints into elements of the tensor's width; sub-byte types come one packed byte a number.
Tensor pack_integers(const TensorDraft& draft, ElementType type, std::size_t bytes) {
  const bool is_wide = type == ElementType::float32 || type == ElementType::float64;
  if (is_wide || is_complex(type)) fail("has integers where {} numbers belong", name_of(type));
  const std::size_t width = std::max<std::size_t>(1, static_cast<std::size_t>(bit_width(type) / 8));
  if (draft.integers.size() > bytes || draft.integers.size() * width != bytes)
    fail("has {} numbers of data, needs {}", draft.integers.size(), bytes / width);
  Tensor tensor = Tensor::zeros(type, draft.dims);
  std::byte* target = tensor.write_bytes().data();
  for (std::size_t i = 0; i < draft.integers.size(); ++i) std::memcpy(target + i * width, &draft.integers[i], width);
  return tensor;
}

Tensor build(const TensorDraft& draft, const std::shared_ptr<const void>& owner, ExternalFiles& files,
             TensorOrigin& origin) {
  if (!is_known_element_type(draft.data_type)) fail("has unknown element type {}", draft.data_type);
  const auto type = static_cast<ElementType>(draft.data_type);
  const auto count = static_cast<std::size_t>(element_count(draft.dims));
  if (type == ElementType::string) {
    if (draft.strings.size() != count) fail("has {} strings, needs {}", draft.strings.size(), count);
    return Tensor::of<std::string>(draft.strings, draft.dims);
  }
  const std::size_t bytes = (count * static_cast<std::size_t>(bit_width(type)) + 7) / 8;
  if (draft.external) return read_external(draft, type, bytes, files, origin);
  if (!draft.integers.empty()) return pack_integers(draft, type, bytes);
  const Bytes data = draft.raw ? *draft.raw : as_bytes(draft.loose);
  if (data.size() != bytes) fail("has {} bytes of data, needs {}", data.size(), bytes);
  if (draft.raw) return Tensor::view(type, draft.dims, data, owner);
  Tensor tensor = Tensor::zeros(type, draft.dims);
  std::copy(data.begin(), data.end(), tensor.write_bytes().begin());
  return tensor;
}

void write_integers(const Tensor& tensor, std::uint32_t field, WireWriter& into) {
  // Packed varints. Signed 32-bit data is sign-extended to 64 bits, as protobuf does; narrow types hold their bit
  // pattern.
  const ElementType type = tensor.type();
  const std::size_t width = std::max<std::size_t>(1, static_cast<std::size_t>(bit_width(type) / 8));
  std::string packed;
  for (std::size_t i = 0; i < tensor.bytes().size() / width; ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, tensor.bytes().data() + i * width, width);
    if (is_signed_integer(type) && width < 8 && bit_width(type) >= 8 && ((word >> (8 * width - 1)) & 1) != 0)
      word |= ~std::uint64_t{0} << (8 * width);
    for (; word >= 0x80; word >>= 7) packed += static_cast<char>(word | 0x80);
    packed += static_cast<char>(word);
  }
  into.bytes(field, as_bytes(packed));
}

void write_typed(const Tensor& tensor, std::uint32_t limit, Residue& residue, WireWriter& into) {
  std::uint32_t field = tensor_field::int32_data;
  switch (tensor.type()) {
    case ElementType::float32:
    case ElementType::complex64: field = tensor_field::float_data; break;
    case ElementType::float64:
    case ElementType::complex128: field = tensor_field::double_data; break;
    case ElementType::int64: field = tensor_field::int64_data; break;
    case ElementType::uint32:
    case ElementType::uint64: field = tensor_field::uint64_data; break;
    case ElementType::string: field = tensor_field::string_data; break;
    default: break;
  }
  if (field >= limit || tensor.count() == 0) return;
  residue.flush_below(field, into);
  if (field == tensor_field::string_data) {
    for (const std::string& s : tensor.strings()) into.text(field, s);
  } else if (field == tensor_field::float_data || field == tensor_field::double_data) {
    into.packed(field, tensor.bytes());
  } else {
    write_integers(tensor, field, into);
  }
}

}  // namespace

Tensor read_tensor(Bytes message, const std::shared_ptr<const void>& owner, ExternalFiles& external) {
  TensorDraft draft = read_fields(message);
  TensorOrigin origin;
  try {
    Tensor tensor = build(draft, owner, external, origin);
    const Encoding inside = draft.raw ? draft.encoding : Encoding::typed;
    origin.encoding = draft.external ? Encoding::external : inside;
    origin.name = std::move(draft.name);
    origin.notes = share(std::move(draft.notes));
    return tensor.with_origin(std::make_shared<const TensorOrigin>(std::move(origin)));
  } catch (const InputError& error) {
    fail("tensor '{}' {}", draft.name, error.what());
  }
}

WireWriter write_tensor(const Tensor& tensor, std::string_view name, const std::optional<ExternalPlace>& place) {
  static const TensorOrigin fresh;
  const TensorOrigin& origin = tensor.origin() ? *tensor.origin() : fresh;
  const Notes& notes = notes_of(origin.notes);
  Residue residue(notes.residue);
  if (!name.empty()) residue.drop(tensor_field::name);
  if (place) residue.drop(tensor_field::external_data);
  if (place) residue.drop(tensor_field::data_location);
  const bool external = place || origin.encoding == Encoding::external;
  const bool typed = !external && (origin.encoding == Encoding::typed || tensor.type() == ElementType::string);
  WireWriter encoded;
  for (const std::int64_t d : tensor.dims()) encoded.integer(tensor_field::dims, d);
  encoded.integer(tensor_field::data_type, static_cast<std::int64_t>(tensor.type()));
  if (typed) write_typed(tensor, tensor_field::name, residue, encoded);
  residue.flush_below(tensor_field::name, encoded);
  if (!name.empty()) encoded.text(tensor_field::name, name);
  residue.flush_below(tensor_field::raw_data, encoded);
  if (!external && !typed) encoded.reference(tensor_field::raw_data, tensor.bytes());
  if (typed && (tensor.type() == ElementType::float64 || tensor.type() == ElementType::complex128 ||
                tensor.type() == ElementType::uint32 || tensor.type() == ElementType::uint64))
    write_typed(tensor, UINT32_MAX, residue, encoded);
  residue.flush_below(tensor_field::doc_string, encoded);
  if (!notes.doc.empty()) encoded.text(tensor_field::doc_string, notes.doc);
  if (place) {
    write_entries({{"location", place->location},
                   {"offset", std::to_string(place->offset)},
                   {"length", std::to_string(tensor.bytes().size())}},
                  tensor_field::external_data, encoded);
  }
  residue.flush_below(tensor_field::data_location, encoded);
  if (external) encoded.integer(tensor_field::data_location, 1);
  residue.flush_below(tensor_field::metadata_props, encoded);
  write_entries(notes.metadata, tensor_field::metadata_props, encoded);
  residue.flush(encoded);
  return encoded;
}

}  // namespace hone::onnx
