#include "base/loaded_library.h"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace hone {
namespace {

/// Segments that nothing writes to lie in memory as they do in the file.
int unload_unwritten(dl_phdr_info* library, std::size_t, void* name) {
  if (std::string_view(library->dlpi_name).find(*static_cast<std::string_view*>(name)) == std::string_view::npos)
    return 0;
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  for (std::size_t i = 0; i < library->dlpi_phnum; ++i) {
    const auto& segment = library->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0) continue;
    const std::uintptr_t first = (library->dlpi_addr + segment.p_vaddr) / page * page;
    const std::uintptr_t last = library->dlpi_addr + segment.p_vaddr + segment.p_memsz;
    ::madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
  }
  return 0;
}

}  // namespace

void unload_library(std::string_view name) { ::dl_iterate_phdr(unload_unwritten, &name); }

}  // namespace hone
