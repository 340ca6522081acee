#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "formats/foreign/cost_graph.h"
#include "formats/foreign/doppler.h"
#include "formats/foreign/fiddle.h"
#include "formats/foreign/iopddl.h"
#include "formats/foreign/minimalloc.h"
#include "formats/foreign/pipedream.h"
#include "formats/foreign/stg.h"

/// Any text is either read or refused with an InputError; the first byte chooses the reader.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hone;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    switch (data[0] % 7) {
      case 0: parse_stg(text, "fuzz"); break;
      case 1: parse_cost_graph(text, "fuzz"); break;
      case 2: parse_fiddle(text, "fuzz"); break;
      case 3: parse_pipedream(text, "fuzz"); break;
      case 4: parse_minimalloc(text, "fuzz"); break;
      case 5: parse_doppler(text, "fuzz"); break;
      default: parse_iopddl(text, "fuzz");
    }
  } catch (const InputError&) {
  }
  return 0;
}
