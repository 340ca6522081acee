#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/examples.h"
#include "cli/verb.h"
#include "graph/ops/op.h"
#include "report/table.h"

namespace hone {
namespace {

void print_operators(std::span<const OpEntry* const> entries) {
  Table table({"operator", "domain", "versions", "kind", "runs"});
  for (const OpEntry* entry : entries)
    table.add({std::string(entry->name), entry->domain.empty() ? "ai.onnx" : std::string(entry->domain),
               fmt::format("{}", fmt::join(entry->versions, " ")), std::string(name_of(entry->kind)),
               entry->evaluate != nullptr ? "yes" : "no"});
  fmt::print("{}", table.text());
}

void print_operators_json(std::span<const OpEntry* const> entries) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const OpEntry* entry : entries)
    list.push_back({{"name", entry->name},
                    {"domain", entry->domain},
                    {"versions", entry->versions},
                    {"kind", name_of(entry->kind)},
                    {"runs", entry->evaluate != nullptr}});
  fmt::print("{}\n", nlohmann::ordered_json{{"operators", list}}.dump());
}

std::function<ExitCode()> setup_ops(CLI::App& command) {
  auto json = std::make_shared<bool>(false);
  command.add_flag("--json", *json, "One JSON object instead of a table");
  add_examples(command, {{"hone ops", "names, versions, kinds"}, {"hone ops --json", "for a program"}});
  return [json] {
    const auto entries = OpTable::instance().entries();
    if (*json) print_operators_json(entries);
    else print_operators(entries);
    return ExitCode::done;
  };
}

const Verb ops("ops", Topic::models, "Operators hone knows", setup_ops);

}  // namespace
}  // namespace hone
