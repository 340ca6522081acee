#include "bench/go/placement_contest.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "bench/planning/planning_file.h"

namespace hone {
namespace {

using nlohmann::json;

constexpr std::string_view kPlacerRoles[] = {"expert",    "classical",  "random",    "hdp",      "placeto",  "one",
                                             "zero-shot", "fine-tuned", "go-search", "go-local", "unlearned"};

PlacerRole placer_role(const std::string& name, std::string_view source) {
  const auto found = std::ranges::find(kPlacerRoles, name);
  if (found == std::end(kPlacerRoles))
    fail_usage("{}: '{}' is none of {}", source, name, fmt::join(kPlacerRoles, ", "));
  return static_cast<PlacerRole>(found - std::begin(kPlacerRoles));
}

}  // namespace

PlacementContest PlacementContest::shortened() const {
  constexpr std::uint64_t kFewEvaluations = 60;
  PlacementContest contest = *this;
  contest.graphs = {{"2-layer RNNLM, 3 steps",
                     "rnnlm",
                     "p100-2",
                     "zoo:rnnlm:layers=2,length=3,hidden=64,vocabulary=100,training=true",
                     {"layer"}},
                    {"2-stack WaveNet, 2 layers",
                     "wavenet",
                     "p100-4",
                     "zoo:wavenet:stacks=2,layers=2,length=64,training=true",
                     {"stack", "layer"}}};
  for (PlacementContender& contender : contest.contenders) {
    contender.evaluations = std::min(contender.evaluations, kFewEvaluations);
    contender.seeds = 1;
  }
  return contest;
}

PlacementContest parse_placement_contest(const json& file, std::string_view source) {
  PlacementContest contest;
  std::uint64_t evaluations = 0;
  std::size_t seeds = 1;
  for (const auto& [key, value] : file.items()) {
    if (key == "tasks") contest.tasks = value;
    else if (key == "objective") contest.objective = parse_objective(value.get<std::string>());
    else if (key == "evaluations") evaluations = value;
    else if (key == "seeds") seeds = value;
    else if (key == "module_machine") contest.module_machine = value;
    else if (key == "graphs")
      for (const json& entry : value)
        contest.graphs.push_back(
            {entry.at("name"), entry.at("family"), entry.at("machine"), entry.at("model"), entry.at("layers")});
    else if (key == "contenders")
      for (const json& entry : value)
        contest.contenders.push_back({.column = entry.at("column"),
                                      .optimizer = entry.at("optimizer"),
                                      .role = placer_role(entry.at("role"), source),
                                      .evaluations = entry.value("evaluations", std::uint64_t{0}),
                                      .seeds = entry.value("seeds", false) ? std::size_t{0} : 1});
    else fail_usage("{}: unknown key '{}'", source, key);
  }
  if (evaluations == 0) fail_usage("{}: evaluations must be given", source);
  for (PlacementContender& contender : contest.contenders) {
    if (contender.evaluations == 0) contender.evaluations = evaluations;
    if (contender.seeds == 0) contender.seeds = seeds;
  }
  return contest;
}

PlacementContest placement_contest() {
  return parse_placement_contest(planning_file("go-placement"), "go-placement.json");
}

}  // namespace hone
