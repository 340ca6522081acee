#include <fmt/format.h>

#include <fstream>

#include "base/version.h"
#include "bench/bench_case.h"
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

const BenchCase& find_case(const std::string& name) {
  for (const BenchCase* each : BenchCase::all())
    if (each->name() == name) return *each;
  fail_usage("there is no benchmark case '{}'; `hone bench --list` names them", name);
}

std::string cell(const nlohmann::ordered_json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{:.4g}", value.get<double>());
  return value.dump();
}

void print_report(const BenchReport& report) {
  if (!report.rows.empty()) {
    std::vector<std::string> header;
    for (const auto& [key, value] : report.rows.front().items()) header.push_back(key);
    Table table(header);
    for (const auto& row : report.rows) {
      std::vector<std::string> cells;
      for (const std::string& key : header) cells.push_back(row.contains(key) ? cell(row[key]) : "");
      table.add(cells);
    }
    fmt::print("{}\n", table.markdown());
  }
  Table summary({"figure", "value"});
  for (const auto& [key, value] : report.summary.items()) summary.add({key, cell(value)});
  fmt::print("{}", summary.markdown());
}

std::function<ExitCode()> setup_bench(CLI::App& command) {
  struct Given {
    std::string name;
    BenchOptions options;
    bool json = false, list = false;
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
  command.add_flag("--list", given->list, "List the cases");
  add_examples(command, {{"hone bench", "names of the cases"},
                         {"hone bench memory --data minimalloc", "layouts of hard instances"},
                         {"hone bench rewrite --quick --json", "shortened, for a program"}});
  return [given] {
    if (given->list || given->name.empty()) {
      nlohmann::ordered_json rows = nlohmann::ordered_json::array();
      for (const BenchCase* each : BenchCase::all()) {
        if (!given->json) fmt::print("{:<16} {}\n", each->name(), each->summary());
        rows.push_back({{"name", each->name()}, {"summary", each->summary()}});
      }
      if (given->json) fmt::print("{}\n", rows.dump());
      return ExitCode::done;
    }
    const BenchReport report = find_case(given->name).run(given->options);
    if (!given->json) {
      print_report(report);
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
