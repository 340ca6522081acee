#include <algorithm>
#include <map>

#include "base/child_process.h"
#include "base/error.h"
#include "base/progress.h"
#include "base/progress_line.h"
#include "bench/bench_run.h"
#include "bench/onnx_cases.h"
#include "formats/onnx/read.h"
#include "graph/ops/evaluate.h"
#include "graph/ops/infer.h"
#include "run/reference/reference.h"
#include "run/runtime/runtime.h"
#include "run/verify/compare.h"

// ONNX's backend tests on hone's own executor: each must give what the reference interpreter gives, and as few as
// possible with operators that run by their definition.

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

/// Sums in another order, and functions by other polynomials.
Tolerance tolerance_of(const Datum& reference) {
  const Tolerance real{1e-5, 1e-3};
  if (!reference.is_tensor()) return real;
  const ElementType type = reference.tensor().type();
  if (!is_floating(type)) return {};
  return bit_width(type) < 32 ? Tolerance{1e-3, 0x1.0p-7} : real;
}

bool draws_numbers(const Model& model) {
  return std::ranges::any_of(model.graph.nodes(), [&](NodeId id) {
    const OpEntry* entry = definition_of(model.graph.node(id), model.opsets).entry;
    return entry != nullptr && !entry->deterministic;
  });
}

/// Outcome, reason, and the operators that ran by their definition.
Json native_verdict(const std::filesystem::path& folder) {
  Model model = onnx::read(folder / "model.onnx");
  if (!unsupported_operators(model).empty())
    return {{"outcome", "unsupported"}, {"reason", "no meaning"}, {"by_definition", Json::array()}};
  infer_types(model);
  const auto host = RuntimeKind::named("native").make("")->start(1);
  const auto prepared = host->prepare({model, folder / "model.onnx"}, {});
  Json verdict{{"outcome", "equal"}, {"reason", ""}};
  for (const auto& data : data_sets(folder)) {
    const std::vector<Datum> inputs = case_inputs(model, data);
    prepared->set_inputs(inputs);
    const std::vector<Datum> found = prepared->outputs(), expected = ReferenceInterpreter(model).run(inputs);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const Difference difference = compare(found[i], expected[i], tolerance_of(expected[i]));
      if (difference.within) continue;
      verdict["outcome"] = draws_numbers(model) ? "unsupported" : "wrong";
      verdict["reason"] = difference.reason;
    }
  }
  verdict["by_definition"] = prepared->by_definition();
  return verdict;
}

Json judge_in_child(const std::filesystem::path& folder) {
  const ChildResult child = run_in_child([&] { return native_verdict(folder).dump(); });
  if (child.succeeded()) return Json::parse(child.text);
  const std::string reason = child.signal != 0 ? fmt::format("died with signal {}", child.signal) : child.error;
  return {{"outcome", "wrong"}, {"reason", reason}, {"by_definition", Json::array()}};
}

BenchReport run_native_conformance(const BenchOptions& options) {
  const auto [root, folders] = onnx_cases(options);
  BenchReport report;
  std::map<std::string, std::size_t> outcomes, operators;
  std::size_t whole = 0, judged = 0;
  const CountedProgress progress(folders.size());
  for (const auto& folder : folders) {
    progress.show(judged++, folder.filename().string());
    const Json verdict = judge_in_child(folder);
    const std::string outcome = verdict.at("outcome");
    ++outcomes[outcome];
    for (const std::string name : verdict.at("by_definition")) ++operators[name];
    const bool is_whole = outcome == "equal" && verdict.at("by_definition").empty();
    whole += is_whole;
    if (is_whole) continue;
    report.rows.push_back({{"model", std::filesystem::relative(folder, root).string()}});
    report.rows.back().update(verdict);
  }
  erase_progress();
  report.summary = {{"models", folders.size()},   {"equal", outcomes["equal"]},
                    {"wrong", outcomes["wrong"]}, {"unsupported", outcomes["unsupported"]},
                    {"without_fallback", whole},  {"by_definition", operators}};
  return report;
}

const BenchRun native_conformance("native-conformance", run_native_conformance);

}  // namespace
}  // namespace hone
