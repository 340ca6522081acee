#include "deliver/runtime_check.h"

#include <nlohmann/json.hpp>

#include "base/child_process.h"
#include "formats/onnx/write.h"
#include "run/verify/inputs.h"
#include "run/verify/memory_need.h"
#include "run/verify/perturb.h"

namespace hone {
namespace {

std::string encoded(const Equivalence& result) {
  nlohmann::json outputs = nlohmann::json::array();
  for (const OutputComparison& each : result.outputs) {
    outputs.push_back({each.name, each.difference.within, each.difference.reason, each.difference.max_absolute,
                       each.difference.max_relative, each.difference.cosine});
    if (each.errors) outputs.back().insert(outputs.back().end(), {each.errors->candidate, each.errors->reference});
  }
  return nlohmann::json{{"equal", result.equal},
                        {"reason", result.reason},
                        {"tried", result.inputs_tried},
                        {"fixed", result.fixed_because},
                        {"outputs", outputs}}
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Infinities and NaN leave as null.
double number(const nlohmann::json& value) {
  return value.is_number() ? value.get<double>() : std::numeric_limits<double>::infinity();
}

Equivalence decoded(const std::string& text) {
  const nlohmann::json object = nlohmann::json::parse(text);
  Equivalence result{.equal = object["equal"],
                     .reason = object["reason"],
                     .outputs = {},
                     .inputs_tried = object["tried"],
                     .fixed_because = object["fixed"]};
  for (const nlohmann::json& each : object["outputs"]) {
    result.outputs.push_back({.name = each[0],
                              .difference = {.within = each[1],
                                             .reason = each[2],
                                             .max_absolute = number(each[3]),
                                             .max_relative = number(each[4]),
                                             .cosine = number(each[5])}});
    if (each.size() > 6) result.outputs.back().errors = {.candidate = number(each[6]), .reference = number(each[7])};
  }
  return result;
}

constexpr std::size_t kMovedRuns = 4;

/// A runtime at work on the models of one comparison.
class RuntimeComparison {
 public:
  RuntimeComparison(const Runtime& runtime, const EquivalenceOptions& options)
      : options_(options), takes_(runtime.takes()), host_(runtime.start(1)) {}

  Equivalence compare(const RuntimeModel& reference, const RuntimeModel& candidate,
                      std::span<const Movement> movements) const {
    const RunnableModel first = running(reference), second = running(candidate);
    Equivalence result = check_equivalence(first, second, options_, movements);
    if (result.equal || result.outputs.empty() || options_.tolerance || !movements.empty()) return result;
    try {
      return check_equivalence(first, second, options_, movements_of(first, reference.options));
    } catch (const InputError& error) {  // a unit in the last place decides whether it runs, or no file can be written
      result.fixed_because = fmt::format("runs with weights moved fail: {}", error.what());
      return result;
    }
  }

 private:
  RunnableModel running(const RuntimeModel& each) const {
    const std::shared_ptr<PreparedModel> prepared = host_->prepare(each.model, each.options);
    return RunnableModel{each.model.model, [prepared](std::span<const Datum> inputs) {
                           prepared->set_inputs(inputs);
                           return prepared->outputs();
                         }};
  }

  std::vector<Movement> movements_of(const RunnableModel& original, const RuntimeOptions& runtime_options) const {
    const std::size_t rounds = options_.files.empty() ? options_.random_inputs : 1;
    std::vector<std::vector<Datum>> inputs;
    std::vector<Movement> movements;
    for (std::size_t round = 0; round < rounds; ++round) {
      inputs.push_back(given_inputs(original.model, options_.files, options_.seed + round));
      movements.emplace_back(original.run(inputs.back()));
    }
    const TemporaryFolder folder;
    for (std::size_t run = 0; run < kMovedRuns; ++run) {
      const Rng rng = Rng(options_.seed).split(run);
      const Model moved = with_weights_moved(original.model, rng);
      const std::filesystem::path file = folder.path() / "moved.onnx";
      if (takes_ == ModelForm::file) onnx::write(moved, file);
      const RunnableModel runnable = running({.model = {moved, file}, .options = runtime_options});
      for (std::size_t round = 0; round < rounds; ++round)
        movements[round].add(runnable.run(moved_by_a_unit(inputs[round], rng.split(kMovedRuns))));
    }
    return movements;
  }

  const EquivalenceOptions& options_;
  ModelForm takes_;
  std::unique_ptr<RuntimeHost> host_;
};

}  // namespace

Equivalence check_on_runtime(const RuntimeModel& reference, const RuntimeModel& candidate,
                             const EquivalenceOptions& options, const Runtime& runtime,
                             std::span<const Movement> movements) {
  require_memory(reference.model.model, 2);
  const ChildResult found = run_in_child(
      [&] { return encoded(RuntimeComparison(runtime, options).compare(reference, candidate, movements)); });
  if (found.succeeded()) return decoded(found.text);
  const std::string reason =
      found.signal != 0 ? fmt::format("the runtime died with signal {}", found.signal) : "does not run: " + found.error;
  return {.equal = false, .reason = reason, .outputs = {}, .inputs_tried = 0};
}

}  // namespace hone
