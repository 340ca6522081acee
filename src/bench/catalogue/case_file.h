#pragma once

#include <span>
#include <string_view>

namespace hone {

/// A case of bench/cases/ as it stands in its file.
struct CaseFile {
  std::string_view name, text;
};
std::span<const CaseFile> case_files();

}  // namespace hone
