#include "learn/policy/training_request.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "learn/policy/policy_kind.h"

namespace hone {

void check(const TrainingRequest& request) {
  if (request.out.empty()) fail_usage("hone train needs a folder to write to: --output FOLDER");
  if (!request.encoder.empty()) EncoderKind::named(request.encoder);
  if (!request.head.empty()) PolicyKind::named(request.head);
  if (!(request.rate > 0 && request.rate <= 1))
    fail_usage("--rate must be above 0 and at most 1, not {}", request.rate);
  if (!(request.entropy >= 0 && std::isfinite(request.entropy)))
    fail_usage("--entropy must not be below 0, as {} is", request.entropy);
  if (!(request.seconds > 0)) fail_usage("--time must be above 0, not {}", request.seconds);
}

std::vector<std::pair<std::string, std::string>> options_of(const TrainingRequest& request, FirstNetwork first) {
  std::vector<std::pair<std::string, std::string>> options = {{"algorithm", request.algorithm}};
  if (!request.start.empty()) options.emplace_back("start", request.start);
  if (request.start.empty() || first == FirstNetwork::drawn) {
    options.emplace_back("width", std::to_string(request.width));
    options.emplace_back("rounds", std::to_string(request.rounds));
  }
  if (request.start.empty()) {
    options.emplace_back("encoder", request.encoder);
    options.emplace_back("head", request.head);
  }
  if (!request.tasks.empty()) options.emplace_back("tasks", request.tasks);
  if (!request.without.empty()) options.emplace_back("without", request.without);
  const auto text = [](auto number) { return fmt::format("{}", number); };
  options.insert(options.end(), {{"objective", request.objective},
                                 {"machine", request.machine},
                                 {"seed", text(request.seed)},
                                 {"graphs", text(request.graphs)},
                                 {"samples", text(request.samples)},
                                 {"evals", text(request.evaluations)},
                                 {"rate", text(request.rate)},
                                 {"entropy", text(request.entropy)}});
  return options;
}

std::string command_of(const TrainingRequest& request, FirstNetwork first) {
  std::string command = fmt::format("hone train {} --data {}", request.method, fmt::join(request.data, " --data "));
  for (const auto& [option, value] : options_of(request, first)) command += fmt::format(" --{} {}", option, value);
  if (request.steps != TrainingRequest::kNoLimit) command += fmt::format(" --steps {}", request.steps);
  if (std::isfinite(request.seconds)) command += fmt::format(" --time {}", request.seconds);
  return command + " --output FOLDER";
}

}  // namespace hone
