#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "graph/ir/compare.h"
#include "graph/ir/parse.h"
#include "graph/ir/print.h"
#include "graph/ir/structural_hash.h"
#include "graph/ir/verify.h"

/// Text either is refused with an InputError or gives a valid model that prints and reads back the same.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hone;
  Model model;
  try {
    model = parse_model({reinterpret_cast<const char*>(data), size}, "fuzz");
  } catch (const InputError&) {
    return 0;
  }
  const Model again = parse_model(print(model), "printed");
  HONE_CHECK(same_model(model, again), "{}", print(model));
  const auto finding = verify(model.graph), repeated = verify(again.graph);
  HONE_CHECK(finding.has_value() == repeated.has_value(), "{}", finding ? *finding : *repeated);
  if (!finding) HONE_CHECK(structural_hash(model.graph) == structural_hash(again.graph), "{}", print(model));
  return 0;
}
