#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "formats/hlo/print.h"
#include "formats/hlo/read.h"
#include "formats/hlo/workload.h"

/// Text either is refused with an InputError or gives a module that prints and reads back equal and becomes a workload.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hone;
  hlo::Module module;
  try {
    module = hlo::read_text({reinterpret_cast<const char*>(data), size});
  } catch (const InputError&) {
    return 0;
  }
  HONE_CHECK(module == hlo::read_text(hlo::print(module)), "{}", hlo::print(module));
  try {
    const Workload workload = hlo::to_workload(module);
    hlo::read_text(hlo::print_with_order(module, hlo::entry_order(module, workload.topological_order())));
  } catch (const InputError&) {
  }
  return 0;
}
