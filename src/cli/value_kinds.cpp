#include "cli/value_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "bench/catalogue/bench_case.h"
#include "cli/checkup.h"
#include "cli/verb.h"
#include "learn/policy/policy.h"
#include "plan/machine/machine_file.h"
#include "plan/session/compare.h"
#include "rewrite/rules/rule.h"
#include "run/runtime/runtime.h"
#include "store/database/row.h"
#include "zoo/registry.h"

namespace hone {
namespace {

using NameList = std::vector<std::string>;

template <class Kind>
NameList registered_names() {
  NameList names;
  for (const Kind* kind : Kind::all()) names.emplace_back(kind->name());
  return names;
}

/// Of things that lie in a list with their names.
template <class List>
NameList listed_names(const List& list) {
  NameList names;
  for (const auto& each : list) names.emplace_back(each.name);
  return names;
}

NameList zoo_names() {
  NameList names;
  for (const zoo::ZooModel* model : zoo::zoo_models()) names.push_back(model->name);
  return names;
}

NameList zoo_specs() {
  NameList names = zoo_names();
  for (std::string& name : names) name = "zoo:" + name;
  return names;
}

NameList zoo_words() {
  NameList names = zoo_names();
  names.insert(names.begin(), "list");
  return names;
}

NameList machine_names() { return listed_names(builtin_machines()); }

NameList policy_names() {
  NameList names = listed_names(builtin_policies());
  std::ranges::sort(names);
  return names;
}

/// Families come first: they are what is asked for most.
NameList rule_names() {
  std::set<std::string> families;
  NameList names{"all"};
  for (const Rule& rule : builtin_rules()) families.insert(rule.family);
  names.insert(names.end(), families.begin(), families.end());
  for (const Rule& rule : builtin_rules()) names.push_back(rule.name);
  return names;
}

NameList table_names() { return listed_names(all_tables()); }

/// What `hone setup` can bring.
NameList installable_names() {
  NameList names{"learn"};
  for (const RuntimeKind* kind : RuntimeKind::all())
    if (!kind->make("")->install_command().empty()) names.emplace_back(kind->name());
  return names;
}

NameList part_names() {
  NameList names;
  for (const CheckedPart& part : all_parts()) names.push_back(part.name);
  return names;
}

struct NamedKind {
  std::string_view name;  // with a command in front where it means something else there
  ValueKind kind;
};

NameList store_urls() { return {"default", "sqlite:///", "postgresql://"}; }

const ValueKind kModel{"MODEL", NamedPath::file, zoo_specs};
const ValueKind kFile{"FILE", NamedPath::file};
const ValueKind kFolder{"FOLDER", NamedPath::folder};
const ValueKind kSeconds{"SECONDS"};
const ValueKind kStore{"URL", NamedPath::file, store_urls};

/// The vocabulary of all commands: a name means the same wherever it is used, unless a command is named before it.
const std::vector<NamedKind> kKinds{
    {"model", kModel},
    {"models", kModel},
    {"reference", kModel},
    {"candidate", kModel},
    {"explain model", kFile},
    {"zoo model", {"MODEL", NamedPath::none, zoo_words}},
    {"shapes", {"SHAPE"}},
    {"--dim", {"NAME=SIZE"}},
    {"--input", {"NAME=FILE", NamedPath::file}},
    {"--output", kFile},
    {"run --output", kFolder},
    {"train --output", kFolder},
    {"man --output", kFolder},
    {"--machine", {"MACHINE", NamedPath::file, machine_names}},
    {"machine", {"MACHINE", NamedPath::file, machine_names}},
    {"--optimize", {"OPTIMIZER", NamedPath::none, registered_names<OptimizerKind>}},
    {"--compare", {"A,B,...", NamedPath::none, registered_names<OptimizerKind>}},
    {"plan optimizers name", {"NAME", NamedPath::none, registered_names<OptimizerKind>}},
    {"--tasks", {"A,B,...", NamedPath::none, registered_names<TaskKind>}},
    {"--objective",
     {"OBJECTIVE", NamedPath::none,
      [] {
        return NameList{"fit", "seconds", "memory", "throughput", "latency"};
      }}},
    {"--emit",
     {"KIND=PATH", NamedPath::none,
      [] {
        return NameList{"annotated=", "ort=", "split=", "hlo="};
      }}},
    {"--runtime", {"RUNTIME", NamedPath::none, registered_names<RuntimeKind>}},
    {"--ort-lib", kFile},
    {"--level",
     {"LEVEL", NamedPath::none,
      [] {
        return NameList{"none", "basic", "extended", "layout", "all"};
      }}},
    {"--disable-optimizer", {"NAME"}},
    {"-O",
     {"EFFORT", NamedPath::none,
      [] {
        return NameList{"1", "2", "3"};
      }}},
    {"--allow-domain", {"DOMAIN"}},
    {"--plan", kFile},
    {"--resume", kFile},
    {"--trace", kFile},
    {"--file", kFile},
    {"file", kFile},
    {"--db", kStore},
    {"source", kStore},
    {"table", {"TABLE", NamedPath::none, table_names}},
    {"--data", {"DATA", NamedPath::file, zoo_specs}},
    {"bench --data", kFolder},
    {"--models", kFolder},
    {"--filter", {"TEXT"}},
    {"--start", {"POLICY", NamedPath::file, policy_names}},
    {"policy", {"POLICY", NamedPath::file, policy_names}},
    {"policy what",
     {"WHAT", NamedPath::none,
      [] {
        return NameList{"list", "show", "verify"};
      }}},
    {"setup what", {"WHAT", NamedPath::none, installable_names}},
    {"parts", {"PART", NamedPath::none, part_names}},
    {"RULES", {"RULES", NamedPath::none, rule_names}},
    {"case", {"CASE", NamedPath::none, registered_names<BenchCase>}},
    {"method",
     {"METHOD", NamedPath::none,
      [] {
        return NameList{"go", "regal", "guided", "guided-moves"};
      }}},
    {"--algorithm",
     {"NAME", NamedPath::none,
      [] {
        return NameList{"reinforce", "ppo", "supervised"};
      }}},
    {"--encoder", {"NAME"}},
    {"--head", {"NAME"}},
    {"--device", {"DEVICE"}},
    {"--worlds",
     {"NAME,...", NamedPath::none,
      [] {
        return NameList{"elements", "matrices", "images"};
      }}},
    {"--licence", {"TEXT"}},
    {"--time", kSeconds},
    {"--warmup", kSeconds},
    {"--older-than", {"DAYS"}},
    {"--capacity", {"BYTES"}},
    {"help command", {"COMMAND", NamedPath::none, registered_names<Verb>}},
    {"man command", {"COMMAND", NamedPath::none, registered_names<Verb>}},
    {"shell",
     {"SHELL", NamedPath::none,
      [] {
        return NameList{"bash", "zsh", "fish"};
      }}},
};

}  // namespace

const ValueKind* value_kind(std::string_view command, std::string_view name) {
  const std::string within = fmt::format("{} {}", command, name);
  for (const std::string_view wanted : {std::string_view(within), name}) {
    const auto found = std::ranges::find(kKinds, wanted, &NamedKind::name);
    if (found != kKinds.end()) return &found->kind;
  }
  return nullptr;
}

}  // namespace hone
