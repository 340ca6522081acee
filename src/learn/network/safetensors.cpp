#include "learn/network/safetensors.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/half.h"
#include "base/mapped_file.h"
#include "base/output_file.h"

namespace hone {
namespace {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

constexpr std::uint64_t kLargestHeader = 100'000'000;  // as the format has it
constexpr const char *kMetadata = "__metadata__", *kFloat = "F32", *kHalf = "F16";

/// Where an array lies among the data.
using Range = std::pair<std::uint64_t, std::uint64_t>;

std::size_t bytes_a_number(const NamedArray& array) { return array.half ? sizeof(std::uint16_t) : sizeof(float); }

NamedArray read_array(const nlohmann::json& entry, std::span<const std::byte> data, std::string_view where) {
  const nlohmann::json& form = entry.at("dtype");
  if (form != kFloat && form != kHalf) fail("{}: is of type {}, not {} or {}", where, form.dump(), kFloat, kHalf);
  NamedArray array{.shape = entry.at("shape").get<std::vector<std::size_t>>(), .half = form == kHalf};
  const auto [begin, end] = entry.at("data_offsets").get<Range>();
  std::uint64_t bytes = bytes_a_number(array);
  for (const std::size_t dim : array.shape)
    if (__builtin_mul_overflow(bytes, dim, &bytes)) fail("{}: has an absurd shape", where);
  if (bytes != end - begin) fail("{}: has {} bytes, but its shape needs {}", where, end - begin, bytes);
  array.values.resize(bytes / bytes_a_number(array));
  if (array.half) {
    std::vector<std::uint16_t> codes(array.values.size());
    if (bytes > 0) std::memcpy(codes.data(), data.data() + begin, bytes);
    std::ranges::transform(codes, array.values.begin(), Float16::decode);
  } else if (bytes > 0) std::memcpy(array.values.data(), data.data() + begin, bytes);
  return array;
}

/// The bytes of an array behind those that are there.
void append(const NamedArray& array, std::string& data) {
  std::vector<std::uint16_t> codes;
  if (array.half)
    for (const float value : array.values) codes.push_back(Float16::encode(value));
  const char* bytes = array.half ? reinterpret_cast<const char*>(codes.data())
                                 : reinterpret_cast<const char*>(array.values.data());
  data.append(bytes, array.values.size() * bytes_a_number(array));
}

/// The format has no holes, and no bytes that are of two arrays or of none.
void check_ranges(const nlohmann::json& header, std::size_t bytes, std::string_view source) {
  std::vector<Range> ranges;
  for (const auto& [name, entry] : header.items())
    if (name != kMetadata) ranges.push_back(entry.at("data_offsets").get<Range>());
  std::ranges::sort(ranges);
  std::uint64_t covered = 0;
  for (const auto& [begin, end] : ranges) {
    if (begin != covered || end < begin)
      fail("{}: arrays of the safetensors file overlap or leave bytes between them", source);
    covered = end;
  }
  if (covered != bytes) fail("{}: has {} bytes for arrays that take {}", source, bytes, covered);
}

}  // namespace

void keep_in_half(NamedArray& array) {
  for (float& value : array.values) value = Float16(value);
  array.half = true;
}

Safetensors parse_safetensors(std::span<const std::byte> bytes, std::string_view source) {
  std::uint64_t length = 0;
  if (bytes.size() < sizeof length) fail("{}: is too short for a safetensors file", source);
  std::memcpy(&length, bytes.data(), sizeof length);
  if (length > kLargestHeader || length > bytes.size() - sizeof length)
    fail("{}: is no safetensors file: its header would be {} bytes long", source, length);
  const std::string_view header(reinterpret_cast<const char*>(bytes.data()) + sizeof length, length);
  const std::span<const std::byte> data = bytes.subspan(sizeof length + length);
  Safetensors contents;
  try {
    const nlohmann::json parsed = nlohmann::json::parse(header);
    check_ranges(parsed, data.size(), source);
    for (const auto& [name, entry] : parsed.items()) {
      if (name == kMetadata) contents.metadata = entry.get<std::map<std::string, std::string>>();
      else contents.arrays[name] = read_array(entry, data, fmt::format("{}: array '{}'", source, name));
    }
  } catch (const nlohmann::json::exception&) {
    fail("{}: the header of the safetensors file is broken", source);
  }
  return contents;
}

Safetensors read_safetensors(const std::filesystem::path& path) {
  return parse_safetensors(MappedFile::open(path)->bytes(), path.string());
}

const NamedArray& array_of(const Safetensors& contents, const std::string& name, const std::vector<std::size_t>& shape,
                           std::string_view source) {
  const auto found = contents.arrays.find(name);
  if (found == contents.arrays.end()) fail("{}: the policy has no array '{}'", source, name);
  if (found->second.shape != shape) fail("{}: array '{}' of the policy has another shape", source, name);
  if (!std::ranges::all_of(found->second.values, [](float value) { return std::isfinite(value); }))
    fail("{}: array '{}' of the policy holds numbers that are not finite", source, name);
  return found->second;
}

std::string print_safetensors(const Safetensors& contents) {
  nlohmann::ordered_json header;
  if (!contents.metadata.empty()) header[kMetadata] = contents.metadata;
  std::string data;
  for (const auto& [name, array] : contents.arrays) {
    const std::size_t begin = data.size();
    append(array, data);
    header[name] = {
        {"dtype", array.half ? kHalf : kFloat}, {"shape", array.shape}, {"data_offsets", {begin, data.size()}}};
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  const std::uint64_t length = text.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof length) + text + data;
}

void write_safetensors(const std::filesystem::path& path, const Safetensors& contents) {
  OutputFile file(path);
  file.write(print_safetensors(contents));
  file.commit();
}

}  // namespace hone
