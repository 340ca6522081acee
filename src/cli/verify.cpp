#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/model_source.h"
#include "cli/verb.h"
#include "report/json_line.h"
#include "report/table.h"
#include "report/verification.h"
#include "run/equivalence.h"

namespace hone {
namespace {

std::function<ExitCode()> setup(CLI::App& command) {
  struct Given {
    std::string first, second;
    DimOptions dims;
    EquivalenceOptions options;
    std::optional<double> absolute, relative;
    bool json = false;
  };
  auto given = std::make_shared<Given>();
  command.add_option("reference", given->first, "The model that is right")->required();
  command.add_option("candidate", given->second, "The model to check against it")->required();
  given->dims.add_to(command);
  command.add_option("-i,--input", given->options.files, "NAME=FILE.npy, NAME=FILE.pb or a test_data_set folder, instead of random inputs");
  command.add_option("--random", given->options.random_inputs, "How many random inputs to try")->capture_default_str();
  command.add_option("--seed", given->options.seed, "Seed of random inputs")->capture_default_str();
  command.add_option("--atol", given->absolute, "Absolute tolerance instead of the default by type");
  command.add_option("--rtol", given->relative, "Relative tolerance instead of the default by type");
  command.add_flag("--json", given->json, "One JSON object instead of a table");
  return [given] {
    Model first = load_model(given->first), second = load_model(given->second);
    given->dims.apply(first);
    given->dims.apply(second);
    if (given->absolute || given->relative)
      given->options.tolerance = Tolerance{given->absolute.value_or(0), given->relative.value_or(0)};
    const Equivalence result = check_equivalence(first, second, given->options);
    if (given->json) fmt::print("{}", json_line(verification_json(result)));
    else fmt::print("{}", verification_text(result));
    return result.equal ? ExitCode::done : ExitCode::verification_failed;
  };
}

const Verb verify_models("verify", "Check that two models compute the same", setup);

}  // namespace
}  // namespace hone
