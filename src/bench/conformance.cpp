
#include <algorithm>

#include "base/child_process.h"
#include "base/error.h"
#include "base/mapped_file.h"
#include "base/progress.h"
#include "base/progress_line.h"
#include "bench/bench_run.h"
#include "bench/onnx_cases.h"
#include "formats/onnx/data_file.h"
#include "formats/onnx/read.h"
#include "formats/onnx/write.h"
#include "graph/ops/evaluate.h"
#include "graph/ops/infer.h"
#include "run/reference/reference.h"
#include "run/verify/compare.h"

// ONNX's own backend tests: each a model with inputs and the outputs the standard prescribes. Every model must come
// back from our reader and writer as it was, and give the published outputs on the reference interpreter.

namespace hone {
namespace {

/// Outcome of one model; the order is the order of severity.
enum class CaseOutcome { passed, unsupported, wrong, crashed };

struct CaseVerdict {
  CaseOutcome outcome = CaseOutcome::passed;
  bool lossless = false;
  bool typed = true;  // inference agreed with every declared output type
  std::string reason;
};

bool is_lossless(const std::filesystem::path& path, const Model& model) {
  const auto file = MappedFile::open(path);
  const std::string written = onnx::encode(model);
  return std::ranges::equal(file->bytes(), std::as_bytes(std::span(written)));
}

std::string type_conflict(Model model) {
  std::vector<Type> declared;
  for (const ValueId id : model.graph.outputs()) {
    declared.push_back(model.graph.value(id).type);
    model.graph.set_type(id, {});
  }
  infer_types(model);
  for (std::size_t i = 0; i < declared.size(); ++i) {
    const Type& found = model.graph.value(model.graph.outputs()[i]).type;
    if (!declared[i].is_tensor() || found.kind == Type::Kind::unknown) continue;
    const bool same_element = found.element == declared[i].element;
    bool same_shape = !found.ranked || !declared[i].ranked || found.shape.size() == declared[i].shape.size();
    for (std::size_t d = 0; same_shape && found.ranked && declared[i].ranked && d < found.shape.size(); ++d)
      same_shape = !found.shape[d].known() || !declared[i].shape[d].known() || found.shape[d] == declared[i].shape[d];
    if (!same_element || !same_shape)
      return fmt::format("inferred {} for declared {}", text_of(found), text_of(declared[i]));
  }
  return {};
}

/// ONNX's own runner allows 1e-3 relative; a bfloat16 may be one unit in its last place off, because the published
/// files round by cutting off.
Tolerance published_tolerance(const Datum& reference) {
  if (!reference.is_tensor()) return {1e-6, 1e-3};
  const ElementType type = reference.tensor().type();
  if (!is_floating(type)) return {};
  return type == ElementType::bfloat16 ? Tolerance{1e-6, 0x1.0p-7} : Tolerance{1e-6, 1e-3};
}

CaseVerdict run_data_set(const Model& model, const std::filesystem::path& folder) {
  const Graph& graph = model.graph;
  const std::vector<Datum> outputs = ReferenceInterpreter(model).run(case_inputs(model, folder));
  const auto expected = numbered_files(folder, "output");
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::string& name = graph.value(graph.outputs()[i]).name;
    const Datum reference = onnx::read_data_file(expected[i], graph.value(graph.outputs()[i]).type);
    const Difference difference = compare(outputs[i], reference, published_tolerance(reference));
    if (!difference.within)
      return {.outcome = CaseOutcome::wrong, .reason = fmt::format("output '{}' {}", name, difference.reason)};
  }
  return {};
}

/// Why no correct program can give the published outputs of this model; empty when one can.
std::string cannot_match(const Model& model, std::string_view test) {
  for (const NodeId id : model.graph.nodes()) {
    const OpEntry* entry = definition_of(model.graph.node(id), model.opsets).entry;
    if (entry != nullptr && !entry->deterministic)
      return fmt::format("{} draws random numbers; the published ones come from another generator", entry->name);
  }
  // Its outputs were made with epsilon = 0.01, which the model does not state; the standard's default is 1e-6.
  if (test == "test_adam_multiple") return "published for an epsilon that the model does not state";
  return {};
}

CaseVerdict judge_case(const std::filesystem::path& folder) {
  CaseVerdict verdict;
  const Model model = onnx::read(folder / "model.onnx");
  verdict.lossless = is_lossless(folder / "model.onnx", model);
  const std::vector<std::string> missing = unsupported_operators(model);
  if (!missing.empty()) {
    verdict.outcome = CaseOutcome::unsupported;
    verdict.reason = fmt::format("no meaning for {}", fmt::join(missing, ", "));
    return verdict;
  }
  if (std::string conflict = type_conflict(model); !conflict.empty()) {
    verdict.typed = false;
    verdict.reason = std::move(conflict);
  }
  for (const auto& data : data_sets(folder)) {
    const CaseVerdict each = run_data_set(model, data);
    if (each.outcome == CaseOutcome::passed) continue;
    const std::string excuse = cannot_match(model, folder.filename().string());
    verdict.outcome = excuse.empty() ? each.outcome : CaseOutcome::unsupported;
    verdict.reason = excuse.empty() ? each.reason : excuse;
    return verdict;
  }
  return verdict;
}

/// Judges in a child process, so that a crash is a result and not the end.
CaseVerdict judge_apart(const std::filesystem::path& folder) {
  const ChildResult result = run_in_child([&] {
    CaseVerdict verdict;
    try {
      verdict = judge_case(folder);
    } catch (const InputError& error) {
      verdict.outcome = CaseOutcome::wrong;
      verdict.reason = error.what();
    }
    return fmt::format("{}{:d}{:d}{}", static_cast<int>(verdict.outcome), verdict.lossless, verdict.typed,
                       verdict.reason);
  });
  const std::string& line = result.text;
  if (line.size() < 3)
    return {
        .outcome = CaseOutcome::crashed, .typed = false, .reason = fmt::format("died with signal {}", result.signal)};
  return {.outcome = static_cast<CaseOutcome>(line[0] - '0'),
          .lossless = line[1] == '1',
          .typed = line[2] == '1',
          .reason = line.substr(3)};
}

BenchReport run_conformance(const BenchOptions& options) {
  const auto [root, folders] = onnx_cases(options);
  static constexpr std::string_view kNames[] = {"passed", "unsupported", "wrong", "crashed"};
  std::size_t counts[4] = {}, lossless = 0, typed = 0;
  BenchReport report;
  const CountedProgress progress(folders.size());
  std::size_t judged = 0;
  for (const auto& folder : folders) {
    progress.show(judged++, folder.filename().string());
    const CaseVerdict verdict = judge_apart(folder);
    ++counts[static_cast<std::size_t>(verdict.outcome)];
    lossless += verdict.lossless;
    typed += verdict.typed;
    if (verdict.outcome == CaseOutcome::passed && verdict.lossless && verdict.typed) continue;
    report.rows.push_back({{"model", std::filesystem::relative(folder, root).string()},
                           {"outcome", kNames[static_cast<std::size_t>(verdict.outcome)]},
                           {"lossless", verdict.lossless},
                           {"types_agree", verdict.typed},
                           {"reason", verdict.reason}});
  }
  erase_progress();
  report.summary = {{"models", folders.size()}, {"lossless", lossless},     {"passed", counts[0]}, {"wrong", counts[2]},
                    {"crashed", counts[3]},     {"unsupported", counts[1]}, {"types_agree", typed}};
  return report;
}

const BenchRun conformance("conformance", run_conformance);

}  // namespace
}  // namespace hone
