#include "rewrite/rules/parameters.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace hone {
namespace {

using Table = std::unordered_map<const OpName*, std::vector<OperatorParameter>>;

Table make_table() {
  using Kind = OperatorParameter::Kind;
  Table table;
  const auto add = [&](std::string_view name, const char* attribute, std::size_t slot, int since,
                       Kind kind = Kind::integers) {
    const OpName* op = OpName::intern("", name);
    table[op].push_back({.op = op, .attribute = attribute, .slot = slot, .since = since, .kind = kind});
  };
  add("Reshape", "shape", 1, 5);
  add("Expand", "shape", 1, 8);
  add("Tile", "repeats", 1, 6);
  add("Squeeze", "axes", 1, 13);
  add("Unsqueeze", "axes", 1, 13);
  add("Split", "split", 1, 13);
  add("Slice", "starts", 1, 10);
  add("Slice", "ends", 2, 10);
  add("Slice", "axes", 3, 10);
  add("Slice", "steps", 4, 10);
  add("Pad", "pads", 1, 11);
  add("Pad", "value", 2, 11, Kind::element);
  add("Pad", "axes", 3, 18);
  add("Clip", "min", 1, 11, Kind::element);
  add("Clip", "max", 2, 11, Kind::element);
  add("ReduceSum", "axes", 1, 13);
  for (const std::string_view name : {"ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2",
                                      "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare"})
    add(name, "axes", 1, 18);
  return table;
}

}  // namespace

std::span<const OperatorParameter> parameters_of(const OpName* op) {
  static const Table table = make_table();
  const auto found = table.find(op);
  return found != table.end() ? std::span<const OperatorParameter>(found->second)
                              : std::span<const OperatorParameter>();
}

const AttributeSpec* find_spec(const OpEntry& entry, int version, std::string_view name) {
  for (const AttributeSpec& spec : entry.attributes)
    if (spec.name == name && spec.first <= version && version <= spec.last) return &spec;
  return nullptr;
}

bool changes_meaning(const OpEntry& entry, int version, std::string_view name) {
  const AttributeSpec* now = find_spec(entry, version, name);
  if (now == nullptr || !now->fallback) return false;
  return std::ranges::any_of(entry.attributes, [&](const AttributeSpec& spec) {
    return spec.name == name && spec.first > version && spec.fallback;
  });
}

}  // namespace hone
