#pragma once

#include <cstddef>

namespace hone {

/// Columns of the terminal behind a descriptor, 80 where it is a file or a pipe. COLUMNS in the environment overrides
/// both.
std::size_t terminal_columns(int descriptor);

/// The same of standard output, which tables are made for.
std::size_t terminal_columns();

}  // namespace hone
