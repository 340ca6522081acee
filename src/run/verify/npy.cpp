#include "run/verify/npy.h"

#include <array>
#include <charconv>
#include <cstring>
#include <string>

#include "base/error.h"
#include "base/mapped_file.h"
#include "base/output_file.h"

namespace hone {
namespace {

struct NumpyType {
  std::string_view code;
  ElementType type;
};

constexpr std::array<NumpyType, 14> kTypes{{{"<f4", ElementType::float32},
                                            {"<f8", ElementType::float64},
                                            {"<f2", ElementType::float16},
                                            {"|i1", ElementType::int8},
                                            {"<i2", ElementType::int16},
                                            {"<i4", ElementType::int32},
                                            {"<i8", ElementType::int64},
                                            {"|u1", ElementType::uint8},
                                            {"<u2", ElementType::uint16},
                                            {"<u4", ElementType::uint32},
                                            {"<u8", ElementType::uint64},
                                            {"|b1", ElementType::boolean},
                                            {"<c8", ElementType::complex64},
                                            {"<c16", ElementType::complex128}}};

/// What follows `'key':` in the header's Python dictionary, up to the end of the header.
std::string_view value_after(std::string_view header, std::string_view key) {
  const std::size_t at = header.find(fmt::format("'{}':", key));
  if (at == std::string_view::npos) fail("header without '{}'", key);
  std::string_view rest = header.substr(at + key.size() + 3);
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  return rest;
}

ElementType parse_type(std::string_view header) {
  const std::string_view text = value_after(header, "descr");
  const std::size_t end = text.size() > 1 ? text.find('\'', 1) : std::string_view::npos;
  if (end == std::string_view::npos) fail("header with a structured type");
  const std::string_view code = text.substr(1, end - 1);
  for (const NumpyType& each : kTypes)
    if (each.code == code) return each.type;
  fail("elements of type '{}' are not supported", code);
}

Dims parse_shape(std::string_view header) {
  std::string_view text = value_after(header, "shape");
  const std::size_t end = text.find(')');
  if (text.empty() || text[0] != '(' || end == std::string_view::npos) fail("header with a malformed shape");
  text = text.substr(1, end - 1);
  Dims dims;
  while (!text.empty()) {
    std::int64_t dim = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), dim);
    if (error != std::errc()) fail("header with a malformed shape");
    dims.push_back(dim);
    text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
    text.remove_prefix(std::min(text.find_first_not_of(" ,"), text.size()));
  }
  return dims;
}

/// Fortran order is the row-major order of the reversed dims.
Tensor from_fortran_order(const Tensor& stored) {
  Tensor tensor = Tensor::zeros(stored.type(), stored.dims());
  const auto width = static_cast<std::size_t>(bit_width(stored.type()) / 8);
  const std::size_t rank = stored.rank();
  Dims index(rank, 0);
  for (std::size_t i = 0; i < stored.count(); ++i) {
    std::size_t offset = 0, step = 1;
    for (std::size_t axis = 0; axis < rank; ++axis) {
      offset += static_cast<std::size_t>(index[axis]) * step;
      step *= static_cast<std::size_t>(stored.dim(axis));
    }
    std::memcpy(tensor.write_bytes().data() + i * width, stored.bytes().data() + offset * width, width);
    for (std::size_t axis = rank; axis-- > 0;) {
      if (++index[axis] < stored.dim(axis)) break;
      index[axis] = 0;
    }
  }
  return tensor;
}

Tensor parse(const std::shared_ptr<const MappedFile>& file) {
  const auto bytes = file->bytes();
  if (bytes.size() < 12 || std::memcmp(bytes.data(), "\x93NUMPY", 6) != 0) fail("not a NumPy file");
  const bool long_header = std::to_integer<int>(bytes[6]) >= 2;
  std::uint32_t length = 0;
  std::memcpy(&length, bytes.data() + 8, long_header ? 4 : 2);
  const std::size_t start = long_header ? 12 : 10;
  if (length > bytes.size() - start) fail("truncated header");
  const std::string_view header(reinterpret_cast<const char*>(bytes.data()) + start, length);
  const ElementType type = parse_type(header);
  const Dims dims = parse_shape(header);
  const auto count = static_cast<std::size_t>(element_count(dims));
  const auto data = bytes.subspan(start + length);
  const std::size_t needed = count * static_cast<std::size_t>(bit_width(type) / 8);
  if (data.size() != needed) fail("has {} bytes of data, needs {}", data.size(), needed);
  const Tensor tensor = Tensor::view(type, dims, data, file);
  return value_after(header, "fortran_order").starts_with("True") ? from_fortran_order(tensor) : tensor.aligned();
}

/// A tensor in a type NumPy has.
Tensor widened(const Tensor& tensor) {
  for (const NumpyType& each : kTypes)
    if (each.type == tensor.type()) return tensor;
  if (tensor.type() == ElementType::string) fail("strings cannot be written as .npy");
  Tensor wide = Tensor::zeros(is_floating(tensor.type()) ? ElementType::float32 : ElementType::int8, tensor.dims());
  for (std::size_t i = 0; i < tensor.count(); ++i) wide.set_number(i, tensor.number_at(i));
  return wide;
}

}  // namespace

Tensor read_npy(const std::filesystem::path& path) {
  try {
    return parse(MappedFile::open(path));
  } catch (const InputError& error) {
    const std::string text = error.what();
    throw InputError(text.starts_with(path.string()) ? text : fmt::format("{}: {}", path.string(), text), error.code());
  }
}

void write_npy(const Tensor& tensor, const std::filesystem::path& path) {
  const Tensor stored = widened(tensor);
  std::string_view code;
  for (const NumpyType& each : kTypes)
    if (each.type == stored.type()) code = each.code;
  std::string shape = fmt::format("{}", fmt::join(stored.dims().begin(), stored.dims().end(), ", "));
  if (stored.rank() == 1) shape += ",";
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", code, shape);
  header.append(63 - (header.size() + 10) % 64, ' ');
  header += '\n';
  const auto length = static_cast<std::uint16_t>(header.size());
  OutputFile file(path);
  file.write(std::string_view("\x93NUMPY\x01\x00", 8));
  file.write(std::as_bytes(std::span(&length, 1)));
  file.write(header);
  file.write(stored.bytes());
  file.commit();
}

}  // namespace hone
