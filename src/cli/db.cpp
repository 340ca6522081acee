#include <fmt/format.h>

#include <cmath>
#include <ctime>
#include <fstream>
#include <iterator>

#include "base/output_file.h"
#include "base/sentence.h"
#include "base/text_file.h"
#include "cli/examples.h"
#include "cli/output_arguments.h"
#include "cli/verb.h"
#include "report/json_line.h"
#include "report/table.h"
#include "store/database/lookup.h"
#include "store/database/prune.h"
#include "store/database/schema.h"
#include "store/database/transfer.h"

namespace hone {
namespace {

struct StoreArguments {
  std::string store = "default", table = "runs", file, source;
  OutputArguments output;  // of an export
  std::string graph;
  Setting wanted;
  std::int64_t limit = 20, best = 1;
  PruneTerms prune;
  bool json = false, others = false, dry_run = false;
};

std::string shown_url(const StoreArguments& given) { return parse_store_url(given.store).shown; }

/// One object with --json, a sentence without.
ExitCode tell(const StoreArguments& given, const Json& object, const std::string& sentence) {
  fmt::print("{}", given.json ? json_line(object) : sentence + "\n");
  return ExitCode::done;
}

std::string date(double seconds_since_1970) {
  const double last_year_we_show = 2.5e11;
  const auto clock = static_cast<std::time_t>(std::clamp(seconds_since_1970, 0.0, last_year_we_show));
  std::tm parts{};
  ::gmtime_r(&clock, &parts);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                     parts.tm_hour, parts.tm_min);
}

/// A cell for people: open-ended contents are cut to what fits.
std::string shown(std::string_view column, const Json& value) {
  constexpr std::size_t kWidth = 48;
  if (column == "created_seconds" && value.is_number()) return date(value.get<double>());
  if (value.is_null()) return "";
  if (value.is_number_float()) return fmt::format("{:.6g}", value.get<double>());
  std::string text =
      value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', true, Json::error_handler_t::replace);
  text = one_line(text);
  return value.is_string() || text.size() <= kWidth ? text : text.substr(0, kWidth - 3) + "...";
}

ExitCode list_records(const StoreArguments& given) {
  const TableShape& table = find_table(given.table);
  Store store(given.store, StoreAccess::read);
  const Answer answer = store.database().run(
      fmt::format("SELECT {} FROM {} ORDER BY id DESC LIMIT $1", table.list, table.name), {given.limit});
  const std::int64_t count = store.count(table);
  Json rows = Json::array();
  for (const Row& row : answer.rows) rows.push_back(json_of(table, row));
  if (given.json)
    return tell(given, {{"store", shown_url(given)}, {"table", table.name}, {"count", count}, {"rows", rows}}, "");
  std::vector<TableColumn> header;
  for (const Column& column : table.columns)
    header.emplace_back(std::string(column.name == "created_seconds" ? "created" : column.name));
  Table text(header);
  for (const Json& row : rows) {
    std::vector<std::string> cells;
    for (const auto& [name, value] : row.items()) cells.push_back(shown(name, value));
    text.add(std::move(cells));
  }
  fmt::print("{}", text.text());
  if (count > given.limit) fmt::print("{} of {} {}; --limit shows more\n", given.limit, count, table.name);
  return ExitCode::done;
}

/// Short names for fingerprints, from what is described under them.
class Names {
 public:
  explicit Names(Store& store) {
    for (const GraphRecord& graph : store.select<GraphRecord>("")) add(graph, {"name"});
    for (const HardwareRecord& hardware : store.select<HardwareRecord>("")) add(hardware, {"machine", "processor"});
    for (const SoftwareRecord& software : store.select<SoftwareRecord>("")) add(software, {"runtime", "version"});
  }
  std::string operator()(const std::string& fingerprint) const {
    const auto found = names_.find(fingerprint);
    return found == names_.end() ? fingerprint : found->second;
  }

 private:
  void add(const Described& described, std::initializer_list<const char*> keys) {
    std::string name;
    for (const char* key : keys) {
      if (!described.description.is_object() || !described.description.contains(key)) continue;
      name += (name.empty() ? "" : " ") + shown(key, described.description[key]);
    }
    names_[described.id] = name.empty() ? described.id : name;
  }
  std::map<std::string, std::string> names_;
};

/// The runs that `top` shows. Those of other hardware or software than was asked for come only on request.
std::vector<Found<RunRecord>> top_runs(Store& store, const StoreArguments& given, const Names& names) {
  std::vector<Found<RunRecord>> found;
  for (RunRecord& run : best_runs(store, given.best)) {
    if (!given.graph.empty() && given.graph != run.graph && given.graph != names(run.graph)) continue;
    Setting wanted = given.wanted;  // what was not said fits anything
    if (wanted.hardware.empty()) wanted.hardware = run.hardware;
    if (wanted.software.empty()) wanted.software = run.software;
    const Nearness nearness = nearness_of(wanted, run.hardware, run.software);
    if (nearness == Nearness::exact || given.others) found.push_back({.record = std::move(run), .nearness = nearness});
  }
  std::ranges::stable_sort(found, {}, [](const Found<RunRecord>& each) { return each.nearness; });
  return found;
}

ExitCode top(const StoreArguments& given) {
  Store store(given.store, StoreAccess::read);
  const Names names(store);
  const bool is_asked = !given.wanted.hardware.empty() || !given.wanted.software.empty();
  Table table({"graph", "machine", "runtime", "kind", "best", "unit", "optimiser", "run", is_asked ? "made on" : ""});
  Json rows = Json::array();
  for (const auto& [run, nearness] : top_runs(store, given, names)) {
    const Json optimizer = run.request.is_object() ? run.request.value("optimizer", Json()) : Json();
    const std::string label(is_asked ? describe(nearness) : "");
    table.add({names(run.graph), names(run.hardware), names(run.software), run.kind, fmt::format("{:.6g}", *run.value),
               run.unit, shown("optimizer", optimizer), run.id, label});
    rows.push_back({{"run", run.id},
                    {"graph", run.graph},
                    {"graph_name", names(run.graph)},
                    {"hardware", run.hardware},
                    {"hardware_name", names(run.hardware)},
                    {"software", run.software},
                    {"software_name", names(run.software)},
                    {"kind", run.kind},
                    {"value", *run.value},
                    {"unit", run.unit},
                    {"request", run.request}});
    if (is_asked) rows.back()["made_on"] = label;
  }
  if (given.json) return tell(given, {{"store", shown_url(given)}, {"rows", rows}}, "");
  fmt::print("{}", table.text());
  return ExitCode::done;
}

ExitCode export_all(const StoreArguments& given) {
  const OutputTarget target = given.output.target();
  Store store(given.store, StoreAccess::read);
  if (!target.wanted()) {
    export_records(store, [](std::string_view line) { fmt::print("{}", line); });
    return ExitCode::done;
  }
  const std::filesystem::path stored = parse_store_url(given.store).target;
  target.keep({&stored, 1});
  std::int64_t records = 0;
  const SavedOutput saved = target.save([&](const std::filesystem::path& path) {
    OutputFile file(path);
    records = export_records(store, [&](std::string_view line) { file.write(line); });
    file.commit();
  });
  Json object{{"records", records}};
  enter(saved, object);
  if (!saved.path.empty()) tell(given, object, fmt::format("{}: {} records", saved.path.string(), records));
  return told(saved);
}

ExitCode tell_transfer(const StoreArguments& given, const Store& store, const TransferCount& count) {
  return tell(given, {{"added", count.added}, {"known", count.known}},
              fmt::format("{}: {} records added, {} known already", store.name(), count.added, count.known));
}

ExitCode import_all(const StoreArguments& given) {
  if (given.file == "-") {
    const std::string text(std::istreambuf_iterator<char>(std::cin), {});
    Store store(given.store);
    return tell_transfer(given, store, import_records(store, text, "standard input"));
  }
  const TextFile file = read_text_file(given.file);
  Store store(given.store);
  return tell_transfer(given, store, import_records(store, file.text, given.file));
}

ExitCode merge(const StoreArguments& given) {
  Store from(given.source, StoreAccess::read);
  Store into(given.store);
  return tell_transfer(given, into, merge_records(into, from));
}

ExitCode prune_some(const StoreArguments& given) {
  if (!given.prune.older_than_days && !given.prune.keep_best)
    fail_usage("say what may go: --older-than DAYS, --keep-best N, or both");
  Store store(given.store);
  const PruneCount count = prune(store, given.prune, given.dry_run ? PruneMode::count : PruneMode::remove);
  return tell(given,
              {{"runs", count.runs},
               {"measurements", count.measurements},
               {"profiles", count.profiles},
               {"dry_run", given.dry_run}},
              fmt::format("{}: {} runs, {} measurements and {} profiles {}", store.name(), count.runs,
                          count.measurements, count.profiles, given.dry_run ? "would go" : "removed"));
}

ExitCode upgrade(const StoreArguments& given) {
  const std::int64_t had = upgrade_store(given.store);
  return tell(given, {{"from", had}, {"to", kSchemaVersion}},
              had == kSchemaVersion ? fmt::format("schema version {} already", had)
                                    : fmt::format("schema version {} is now {}", had, kSchemaVersion));
}

using Action = ExitCode (*)(const StoreArguments&);

void add_options(const std::map<Action, CLI::App*>& commands, StoreArguments& given) {
  commands.at(list_records)
      ->add_option("table", given.table, "runs, plans, trials, measurements, profiles, graphs, hardware, software")
      ->capture_default_str();
  commands.at(list_records)
      ->add_option("--limit", given.limit, "Newest records to show")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  CLI::App* best = commands.at(top);
  best->add_option("--graph", given.graph, "Only this graph, by name or hash");
  best->add_option("--hardware", given.wanted.hardware, "Only this machine, by fingerprint (hone hw fingerprint)");
  best->add_option("--software", given.wanted.software, "Only this runtime and version, by fingerprint");
  best->add_flag("--others", given.others, "Also what was made on other machines or runtimes, and say so");
  best->add_option("--best", given.best, "Runs to show of each")->capture_default_str()->check(CLI::PositiveNumber);
  given.output.add_to(*commands.at(export_all), json_lines_form(),
                      "JSON-lines file to write; standard output without it", "-o,--output,file");
  commands.at(import_all)->add_option("file", given.file, "JSON-lines file to read, - for standard input")->required();
  commands.at(merge)->add_option("source", given.source, "URL of the store to take records from")->required();
  CLI::App* pruning = commands.at(prune_some);
  pruning->add_option("--older-than", given.prune.older_than_days, "Remove what is older than this many days")
      ->check(CLI::NonNegativeNumber);
  pruning->add_option("--keep-best", given.prune.keep_best, "Keep this many runs of each graph, machine and runtime")
      ->check(CLI::NonNegativeNumber);
  pruning->add_flag("--dry-run", given.dry_run, "Only count");
}

void add_store_examples(const std::map<Action, CLI::App*>& commands) {
  add_examples(*commands.at(list_records),
               {{"hone db list", "the newest runs"}, {"hone db list plans --limit 5 --json", "plans, for a program"}});
  add_examples(*commands.at(top), {{"hone db top", "the best run of each"},
                                   {"hone db top --graph resnet18 --best 3", "three of one graph"}});
  add_examples(*commands.at(export_all), {{"hone db export records.jsonl", "all there is"}});
  add_examples(*commands.at(import_all),
               {{"hone db import records.jsonl --db sqlite:///team.db", "into another store"}});
  add_examples(*commands.at(merge), {{"hone db merge sqlite:///other.db", "take over what is new"}});
  add_examples(*commands.at(prune_some), {{"hone db prune --older-than 90 --keep-best 3 --dry-run", "only count"}});
  add_examples(*commands.at(upgrade), {{"hone db upgrade", "after a newer hone was installed"}});
}

std::function<ExitCode()> setup_db(CLI::App& command) {
  auto given = std::make_shared<StoreArguments>();
  command.require_subcommand(1);
  std::map<Action, CLI::App*> commands;
  const auto add = [&](const char* name, const char* summary, Action action) {
    CLI::App* added = command.add_subcommand(name, summary);
    added
        ->add_option("--db", given->store,
                     "sqlite:///FILE, postgresql://..., or default: $HONE_DB, else a file in the cache")
        ->capture_default_str();
    added->add_flag("--json", given->json, "One JSON object instead of text");
    commands[action] = added;
  };
  add("list", "Records of one kind, newest first", list_records);
  add("top", "The best runs of each graph, machine and runtime", top);
  add("export", "Write all records as JSON lines", export_all);
  add("import", "Add the records of exported files", import_all);
  add("merge", "Add the records of another store", merge);
  add("prune", "Remove old or worse runs", prune_some);
  add("upgrade", "Bring a store of an older hone to this version", upgrade);
  add_options(commands, *given);
  add_examples(command, {{"hone db list", "the newest runs"}, {"hone db top --graph resnet18", "the best of a graph"}});
  add_store_examples(commands);
  return [given, commands] {
    for (const auto& [action, subcommand] : commands)
      if (subcommand->parsed()) return action(*given);
    return ExitCode::usage;
  };
}

const Verb db("db", Topic::records, "Tuning records: list, compare, move and tidy them", setup_db);

}  // namespace
}  // namespace hone
