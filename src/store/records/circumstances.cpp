#include "store/records/circumstances.h"

#include <fmt/format.h>

#include "base/fingerprint.h"
#include "graph/ir/structural_hash.h"
#include "plan/machine/hardware_description.h"
#include "plan/problem/plan_file.h"

namespace hone {

Described described(Json description) {
  std::string id = fingerprint_of(description);
  return {.id = std::move(id), .description = std::move(description)};
}

HardwareRecord this_hardware() { return {described(describe_hardware())}; }

SoftwareRecord runtime_software(const std::string& runtime, std::size_t threads) {
  const std::size_t space = runtime.find(' ');
  return {described({{"runtime", runtime.substr(0, space)},
                     {"version", space == std::string::npos ? "" : runtime.substr(space + 1)},
                     {"threads", threads}})};
}

GraphRecord graph_record(const std::string& name, const Model& model) {
  return {{.id = fmt::format("{:016x}", structural_hash(model.graph)),
           .description = {{"name", name}, {"nodes", model.graph.node_count()}}}};
}

GraphRecord graph_record(const Workload& workload) {
  return {{.id = fmt::format("{:016x}", fingerprint(workload)),
           .description = {{"name", workload.name}, {"operations", workload.operation_count()}}}};
}

GraphRecord graph_record(const ShardingProblem& problem) {
  return {{.id = fmt::format("{:016x}", fingerprint(problem)),
           .description = {{"name", problem.name}, {"nodes", problem.nodes.size()}}}};
}

}  // namespace hone
