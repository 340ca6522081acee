#pragma once

#include <filesystem>

#include "graph/ir/tensor.h"

namespace hone {

/// Reads a NumPy `.npy` file of numbers in C or Fortran order; the bytes stay in the mapped file where they can.
/// Throws InputError naming the file.
Tensor read_npy(const std::filesystem::path& path);
/// Writes a tensor of numbers or bools. Types NumPy lacks (bfloat16, 8-bit floats, 4-bit integers) are widened to float
/// or int8.
void write_npy(const Tensor& tensor, const std::filesystem::path& path);

}  // namespace hone
