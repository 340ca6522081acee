#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/child_process.h"
#include "base/verbosity.h"
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
  std::optional<double> absolute, relative;
  bool json = false;
};

Equivalence compare_models(VerifyArguments& given) {
  Model first = load_model(given.first), second = load_model(given.second);
  const TemporaryFolder folder;
  RuntimeModel reference{.model = {first, {}}, .options = {}}, candidate{.model = {second, {}}, .options = {}};
  const std::shared_ptr<const Runtime> runtime = given.runtime.spec().empty() ? nullptr : given.runtime.make();
  if (runtime && runtime->takes() == ModelForm::file) {  // in which dims stay dynamic
    reference.model.file = runtime_file(given.first, first, folder.path() / "reference.onnx");
    candidate.model.file = runtime_file(given.second, second, folder.path() / "candidate.onnx");
  }
  if (const std::string assumed = given.dims.assume(first); !assumed.empty())
    note("sizes assumed: {}; --dim and NAME:AxBxC choose others", assumed);
  given.dims.apply(first);
  given.dims.apply(second);
  return runtime ? check_on_runtime(reference, candidate, given.options, *runtime)
                 : check_equivalence(first, second, given.options);
}

ExitCode run_verification(VerifyArguments& given) {
  if (given.absolute || given.relative)
    given.options.tolerance = Tolerance{given.absolute.value_or(0), given.relative.value_or(0)};
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
  command.add_option("--atol", given->absolute, "Absolute tolerance instead of the default by type");
  command.add_option("--rtol", given->relative, "Relative tolerance instead of the default by type");
  command.add_flag("--json", given->json, "One JSON object instead of a table");
  add_examples(command, {{"hone verify model.onnx fast.onnx", "on random inputs"},
                         {"hone verify model.onnx fast.onnx --random 5 --seed 7", "on five of them"}});
  return [given] { return run_verification(*given); };
}

const Verb verify_models("verify", Topic::models, "Check that two models compute the same", setup_verify);

}  // namespace
}  // namespace hone
