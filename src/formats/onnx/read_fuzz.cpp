#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/error.h"
#include "base/wire.h"
#include "formats/onnx/read.h"
#include "formats/onnx/write.h"
#include "graph/clean/clean.h"
#include "graph/ir/scope.h"
#include "graph/ir/verify.h"
#include "graph/ops/cost_context.h"
#include "run/reference/reference.h"
#include "run/verify/inputs.h"

namespace {

using namespace hone;

/// Memory of its own for every model, so that reading past it is noticed.
Model read_copy(std::span<const std::byte> bytes, const std::string& source) {
  const std::shared_ptr<std::byte[]> copy(new std::byte[bytes.size()]);
  std::ranges::copy(bytes, copy.get());
  return onnx::read({copy.get(), bytes.size()}, copy, source, "no such folder");
}

/// True when running the model takes no time worth mentioning, as far as the op table can tell.
bool runs_quickly(const Model& model) {
  for (const ValueId input : model.graph.inputs())
    if (byte_size(model.graph.value(input).type).value_or(0) > 1'000'000) return false;
  for (const NodeId id : model.graph.nodes()) {
    const Node& node = model.graph.node(id);
    const auto cost = node_cost(model.graph, id, model.opsets);
    if (!cost || cost->flops > 1e5 || cost->bytes > 1e5) return false;
    if (model.function(node.op) != nullptr || !bodies_of(node).empty()) return false;
  }
  return true;
}

/// Runs the model, or not with an InputError.
void run(const Model& model) {
  try {
    if (runs_quickly(model)) ReferenceInterpreter(model).run(random_inputs(model, 1));
  } catch (const InputError&) {
    return;
  }
}

}  // namespace

/// Bytes are either refused with an InputError or give a valid model, which is written the same once it has been
/// written, whose types can be inferred and which can be cleaned (evaluating what is constant), or not with an
/// InputError, and is valid and can be run and written afterwards.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Model model;
  try {
    model = read_copy(std::as_bytes(std::span(data, size)), "fuzz");
  } catch (const InputError&) {
    return 0;
  }
  const std::string written = onnx::encode(model);
  const std::string again = onnx::encode(read_copy(as_bytes(written), "written"));
  HONE_CHECK(written == again);
  const auto before = verify(model);
  try {
    clean(model);
  } catch (const InputError&) {
    return 0;
  }
  run(model);
  if (before) return 0;  // a file may break promises that hone only needs for what it changes
  const auto after = verify(model);
  HONE_CHECK(!after, "{}", *after);
  read_copy(as_bytes(onnx::encode(model)), "cleaned");
  return 0;
}
