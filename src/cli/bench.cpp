#include <fmt/format.h>

#include <fstream>

#include "base/version.h"
#include "bench/catalogue/bench_library.h"
#include "cli/examples.h"
#include "cli/verb.h"
#include "report/table.h"

namespace hone {
namespace {

std::string machine_name() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

std::string cell(const nlohmann::ordered_json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{:.4g}", value.get<double>());
  return value.dump();
}

Table rows_table(const BenchReport& report) {
  std::vector<TableColumn> header;
  if (!report.rows.empty())
    for (const auto& [key, value] : report.rows.front().items()) header.emplace_back(key);
  Table table(header);
  for (const auto& row : report.rows) {
    std::vector<std::string> cells;
    for (const TableColumn& column : header) cells.push_back(row.contains(column.name) ? cell(row[column.name]) : "");
    table.add(cells);
  }
  return table;
}

Table summary_table(const BenchReport& report) {
  Table summary({{"figure", Fit::wrapped}, "value"});
  for (const auto& [key, value] : report.summary.items()) summary.add({key, cell(value)});
  return summary;
}

void print_report(const BenchReport& report) {
  if (!report.rows.empty()) fmt::print("{}\n", rows_table(report).text());
  fmt::print("{}", summary_table(report).text());
}

/// Whole tables for documents, however wide.
void print_markdown(const BenchReport& report) {
  if (!report.rows.empty()) fmt::print("{}\n", rows_table(report).markdown());
  fmt::print("{}", summary_table(report).markdown());
}

nlohmann::ordered_json cases_json() {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const BenchCase* each : BenchCase::all()) rows.push_back({{"name", each->name()}, {"summary", each->summary()}});
  return rows;
}

std::string cases_text() {
  Table table({"case", "what it shows"});
  for (const BenchCase* each : BenchCase::all()) table.add({std::string(each->name()), std::string(each->summary())});
  return table.text();
}

std::function<ExitCode()> setup_bench(CLI::App& command) {
  struct Given {
    std::string name;
    BenchOptions options;
    bool json = false, markdown = false, list = false;
  };
  auto given = std::make_shared<Given>();
  command.add_option("case", given->name, "Which case to run");
  command.add_option("--data", given->options.data, "Folder of problem instances");
  command.add_option("--models", given->options.models, "Folder of models");
  command.add_option("--filter", given->options.filter, "Only items whose name contains this");
  command.add_option("--db", given->options.store, "URL of the store to use, for cases about stores");
  command.add_option("--seed", given->options.seed, "Seed of everything random")->capture_default_str();
  command.add_flag("--quick", given->options.quick, "A shortened run that only shows that the case works");
  command.add_flag("--json", given->json, "One JSON object instead of tables");
  command.add_flag("--markdown", given->markdown, "Whole tables in Markdown, however wide");
  command.add_flag("--list", given->list, "List the cases");
  add_examples(command, {{"hone bench", "names of the cases"},
                         {"hone bench memory --data minimalloc", "layouts of hard instances"},
                         {"hone bench rewrite --quick --json", "shortened, for a program"}});
  return [given] {
    if (given->list || given->name.empty()) {
      fmt::print("{}", given->json ? cases_json().dump() + "\n" : cases_text());
      return ExitCode::done;
    }
    const BenchCase& wanted = BenchCase::named(given->name);
    const BenchReport report = BenchLibrary::open().run(wanted, given->options);
    if (!given->json) {
      given->markdown ? print_markdown(report) : print_report(report);
      return ExitCode::done;
    }
    nlohmann::ordered_json object{
        {"case", given->name}, {"commit", commit()}, {"machine", machine_name()}, {"seed", given->options.seed}};
    object["rows"] = report.rows;
    object["summary"] = report.summary;
    fmt::print("{}\n", object.dump());
    return ExitCode::done;
  };
}

const Verb bench("bench", Topic::records, "Run a benchmark case and print its table", setup_bench);

}  // namespace
}  // namespace hone
