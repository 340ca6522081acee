#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/child_process.h"
#include "base/retry.h"
#include "cli/examples.h"
#include "cli/model_source.h"
#include "cli/runtime_arguments.h"
#include "cli/verb.h"
#include "deliver/runtime_check.h"
#include "report/json_line.h"
#include "report/table.h"
#include "report/verification.h"
#include "run/verify/equivalence.h"

namespace hone {
namespace {

struct VerifyArguments {
  std::string first, second;
  DimOptions dims;
  RuntimeArguments runtime;
  EquivalenceOptions options;
  std::optional<double> tolerance, absolute, relative;
  bool json = false;
};

/// The two models and, for a runtime that reads files, where they lie with their dims as dynamic as they are.
struct ModelPair {
  Model first, second;
  std::filesystem::path first_file, second_file;
};

Equivalence compare_with_sizes(const VerifyArguments& given, ModelPair pair, const Runtime* runtime) {
  given.dims.apply(pair.first);
  given.dims.apply(pair.second);
  if (runtime == nullptr) return check_equivalence(pair.first, pair.second, given.options);
  return check_on_runtime({.model = {pair.first, pair.first_file}, .options = {}},
                          {.model = {pair.second, pair.second_file}, .options = {}}, given.options, *runtime);
}

Equivalence compare_models(VerifyArguments& given) {
  ModelPair pair{.first = load_model(given.first), .second = load_model(given.second)};
  const TemporaryFolder folder;
  const std::shared_ptr<const Runtime> runtime = given.runtime.spec().empty() ? nullptr : given.runtime.make();
  if (runtime && runtime->takes() == ModelForm::file) {
    pair.first_file = runtime_file(given.first, pair.first, folder.path() / "reference.onnx");
    pair.second_file = runtime_file(given.second, pair.second, folder.path() / "candidate.onnx");
  }
  given.dims.settle(pair.first, given.options.files);
  return until_accepted([&] { return compare_with_sizes(given, pair, runtime.get()); },
                        [&](std::string_view refusal) { return given.dims.assume_others(refusal); });
}

ExitCode run_verification(VerifyArguments& given) {
  const double both = given.tolerance.value_or(0);
  if (given.tolerance || given.absolute || given.relative)
    given.options.tolerance = Tolerance{given.absolute.value_or(both), given.relative.value_or(both)};
  const Equivalence result = compare_models(given);
  if (given.json) fmt::print("{}", json_line(verification_json(result)));
  else fmt::print("{}", verification_text(result));
  return result.equal ? ExitCode::done : ExitCode::verification_failed;
}

std::function<ExitCode()> setup_verify(CLI::App& command) {
  auto given = std::make_shared<VerifyArguments>();
  command.add_option("reference", given->first, "The model that is right")->required();
  command.add_option("candidate", given->second, "The model to check against it")->required();
  given->dims.add_to(command);
  given->runtime.add_to(command, "the reference interpreter, in this process");
  command.add_option("-i,--input", given->options.files,
                     "NAME=FILE.npy, NAME=FILE.pb or a test_data_set folder, instead of random inputs");
  command.add_option("--random", given->options.random_inputs, "How many random inputs to try")->capture_default_str();
  command.add_option("--seed", given->options.seed, "Seed of random inputs")->capture_default_str();
  command
      .add_option("--tolerance", given->tolerance,
                  "Accept results within X + X * |value| (default: as accurate as the reference)")
      ->check(CLI::NonNegativeNumber);
  command.add_option("--atol", given->absolute, "Absolute part of the tolerance")->check(CLI::NonNegativeNumber);
  command.add_option("--rtol", given->relative, "Relative part of the tolerance")->check(CLI::NonNegativeNumber);
  command.add_flag("--json", given->json, "One JSON object instead of a table");
  add_examples(command, {{"hone verify model.onnx fast.onnx", "on random inputs"},
                         {"hone verify model.onnx fast.onnx --random 5 --seed 7", "on five of them"}});
  return [given] { return run_verification(*given); };
}

const Verb verify_models("verify", Topic::models, "Check that two models compute the same", setup_verify);

}  // namespace
}  // namespace hone
