#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

/// An array of numbers with its shape.
struct NamedArray {
  std::vector<std::size_t> shape;
  std::vector<float> values;
  bool half = false;  // written in two bytes a number, not four: all values must be such (`keep_in_half`)
  friend bool operator==(const NamedArray&, const NamedArray&) = default;
};

/// The contents of a safetensors file: arrays by name, and text about them by key. Only float32 and float16 are
/// read.
struct Safetensors {
  std::map<std::string, NamedArray> arrays;
  std::map<std::string, std::string> metadata;
  friend bool operator==(const Safetensors&, const Safetensors&) = default;
};

/// Rounds to half precision, in which the array is written from now on: for networks that would fill large files.
void keep_in_half(NamedArray& array);

/// `source` names the bytes in messages. Throws InputError for what is not such a file.
Safetensors parse_safetensors(std::span<const std::byte> bytes, std::string_view source);
Safetensors read_safetensors(const std::filesystem::path& path);
/// An array of a policy that must have this shape. Throws InputError when it has not.
const NamedArray& array_of(const Safetensors& contents, const std::string& name, const std::vector<std::size_t>& shape,
                           std::string_view source);
/// The same contents always give the same bytes.
std::string print_safetensors(const Safetensors& contents);
void write_safetensors(const std::filesystem::path& path, const Safetensors& contents);

}  // namespace hone
