#include "formats/foreign/iopddl.h"

#include "base/error.h"
#include "base/text_file.h"
#include "formats/foreign/json_reader.h"

namespace hone {
namespace {

using Row = std::vector<std::int64_t>;

/// The lists of the file, which stand in any order.
struct Lists {
  std::string name;
  std::int64_t usage_limit = -1;
  std::vector<Row> intervals, costs, usages, pairs, pair_costs;
};

std::vector<Row> read_rows(JsonReader& json) {
  std::vector<Row> rows;
  json.array([&] {
    Row& row = rows.emplace_back();
    json.array([&] { row.push_back(json.integer()); });
  });
  return rows;
}

void read_problem(JsonReader& json, Lists& lists) {
  json.object([&](std::string_view key) {
    if (key == "name") lists.name = json.string();
    else if (key == "usage_limit") lists.usage_limit = json.integer();
    else if (key == "nodes")
      json.object([&](std::string_view list) {
        if (list == "intervals") lists.intervals = read_rows(json);
        else if (list == "costs") lists.costs = read_rows(json);
        else if (list == "usages") lists.usages = read_rows(json);
        else json.skip();
      });
    else if (key == "edges")
      json.object([&](std::string_view list) {
        if (list == "nodes") lists.pairs = read_rows(json);
        else if (list == "costs") lists.pair_costs = read_rows(json);
        else json.skip();
      });
    else json.skip();
  });
}

ShardingProblem::Node node_at(const Lists& lists, std::size_t i, const std::string& file) {
  const Row& interval = lists.intervals[i];
  const Row& costs = lists.costs[i];
  const Row& usages = lists.usages[i];
  if (interval.size() != 2 || costs.empty() || costs.size() != usages.size())
    fail("{}: node {} needs an interval of two times and as many costs as usages", file, i);
  ShardingProblem::Node node{.begin = interval[0], .end = interval[1]};
  for (std::size_t k = 0; k < costs.size(); ++k) {
    if (usages[k] < 0) fail("{}: node {} has a negative usage", file, i);
    node.strategies.push_back({.cost = costs[k], .usage = usages[k]});
  }
  return node;
}

ShardingProblem::Edge edge_at(Lists& lists, const std::vector<ShardingProblem::Node>& nodes, std::size_t i,
                              const std::string& file) {
  const Row& pair = lists.pairs[i];
  const auto is_node = [&](std::int64_t id) { return id >= 0 && static_cast<std::size_t>(id) < nodes.size(); };
  if (pair.size() != 2 || !is_node(pair[0]) || !is_node(pair[1])) fail("{}: edge {} does not join two nodes", file, i);
  ShardingProblem::Edge edge{.first = static_cast<std::uint32_t>(pair[0]),
                             .second = static_cast<std::uint32_t>(pair[1]),
                             .costs = std::move(lists.pair_costs[i])};
  if (edge.costs.size() != nodes[edge.first].strategies.size() * nodes[edge.second].strategies.size())
    fail("{}: edge {} has {} costs, expected one for each pair of strategies", file, i, edge.costs.size());
  return edge;
}

}  // namespace

ShardingProblem parse_iopddl(std::string_view text, const std::string& file) {
  JsonReader json(text, file);
  Lists lists;
  json.object([&](std::string_view key) {
    if (key == "problem") read_problem(json, lists);
    else json.skip();
  });
  json.finish();
  if (lists.costs.empty() || lists.intervals.size() != lists.costs.size() || lists.usages.size() != lists.costs.size())
    fail("{}: nodes need as many intervals as costs and usages, and at least one", file);
  if (lists.pairs.size() != lists.pair_costs.size()) fail("{}: edges need as many nodes as costs", file);
  if (lists.usage_limit < 0) fail("{}: no usage_limit", file);
  ShardingProblem problem{.name = lists.name, .usage_limit = lists.usage_limit};
  for (std::size_t i = 0; i < lists.costs.size(); ++i) problem.nodes.push_back(node_at(lists, i, file));
  for (std::size_t i = 0; i < lists.pairs.size(); ++i) problem.edges.push_back(edge_at(lists, problem.nodes, i, file));
  return problem;
}

ShardingProblem read_iopddl(const std::filesystem::path& path) {
  return parse_iopddl(read_text_file(path).text, path.string());
}

}  // namespace hone
