#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>

#include "base/child_process.h"
#include "base/random.h"
#include "bench/bench_run.h"
#include "bench/store_writer.h"
#include "store/database/trial_queue.h"

namespace hone {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kWriters = 8;

/// How long, and how often one is killed.
struct Schedule {
  std::chrono::milliseconds length, between_kills;
};

/// What the writers say they had acknowledged, from their logs.
struct Acknowledged {
  std::map<std::string, std::string> runs, trials;  // checksum by id
  std::int64_t twice = 0;                           // trials finished more than once
  double slowest_ms = 0;
  std::vector<std::string> errors;
};

Acknowledged read_logs(const std::filesystem::path& folder) {
  Acknowledged acknowledged;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".log") continue;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line) && !file.eof();) {  // a line without its end was never acknowledged
      std::istringstream words(line);
      std::string kind, id, sum;
      double milliseconds = 0;
      words >> kind >> id >> sum >> milliseconds;
      if (kind == "error") acknowledged.errors.push_back(line);
      else if (kind == "run") acknowledged.runs[id] = sum;
      else if (!acknowledged.trials.emplace(id, sum).second) ++acknowledged.twice;
      acknowledged.slowest_ms = std::max(acknowledged.slowest_ms, milliseconds);
    }
  }
  return acknowledged;
}

/// Eight processes that write, of which one is killed and replaced every now and then.
class Writers {
 public:
  Writers(WriterOrders orders, std::filesystem::path folder) : orders_(std::move(orders)), folder_(std::move(folder)) {
    for (pid_t& writer : running_) writer = start();
  }

  void kill_one(Rng& rng) {
    pid_t& victim = running_[rng.below(kWriters)];
    ::kill(victim, SIGKILL);
    ::waitpid(victim, nullptr, 0);
    victim = start();
  }

  /// Waits for all to end by themselves; returns how many did not in a minute.
  std::int64_t wait() {
    std::int64_t stuck = 0;
    const Clock::time_point latest = orders_.until + std::chrono::minutes(1);
    for (const pid_t writer : running_) {
      while (::waitpid(writer, nullptr, WNOHANG) == 0 && Clock::now() < latest)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      if (::kill(writer, 0) != 0) continue;
      ++stuck;
      ::kill(writer, SIGKILL);
      ::waitpid(writer, nullptr, 0);
    }
    return stuck;
  }

 private:
  pid_t start() {
    orders_.log = folder_ / fmt::format("writer{}.log", started_++);
    const pid_t child = ::fork();
    HONE_CHECK(child >= 0);
    if (child != 0) return child;
    write_records(orders_);
    ::_exit(0);
  }

  WriterOrders orders_;
  std::filesystem::path folder_;
  std::array<pid_t, kWriters> running_{};
  int started_ = 0;
};

/// What is wrong with a store after the writers are gone.
struct StoreVerdict {
  std::int64_t lost = 0;          // acknowledged, and not there or other than it was
  std::int64_t half_written = 0;  // there, acknowledged or not, and not whole
  std::int64_t taken_over = 0;    // trials finished by another worker than the first
};

/// Ids in a column, and how often.
std::map<std::string, std::int64_t> counts(Store& store, const std::string& sql) {
  std::map<std::string, std::int64_t> found;
  for (const Row& row : store.database().run(sql).rows)
    found[std::get<std::string>(row[0])] = std::get<std::int64_t>(row[1]);
  return found;
}

template <class Record>
void judge_record(StoreVerdict& verdict, const Record& record, const Json& payload, bool has_all_parts,
                  const std::map<std::string, std::string>& acknowledged) {
  if (!is_whole(payload) || !has_all_parts) ++verdict.half_written;
  const auto logged = acknowledged.find(record.id);
  if (logged != acknowledged.end() && payload.value("sum", "") != logged->second) ++verdict.lost;
}

/// Looks at every record of the writers with a fresh connection.
StoreVerdict inspect(Store& store, const std::string& run, const Acknowledged& acknowledged) {
  StoreVerdict verdict;
  const auto plans = counts(store, "SELECT run, COUNT(*) FROM plans GROUP BY run");
  const auto measured =
      counts(store, "SELECT trial, COUNT(*) FROM measurements WHERE trial IS NOT NULL GROUP BY trial");
  const auto count = [](const auto& table, const std::string& id) { return table.contains(id) ? table.at(id) : 0; };
  std::int64_t found = 0;
  for (const RunRecord& each : store.select<RunRecord>("WHERE kind = 'torture' AND id <> $1", {run})) {
    judge_record(verdict, each, each.request, count(plans, each.id) == kPlansPerRun, acknowledged.runs);
    found += acknowledged.runs.contains(each.id) ? 1 : 0;
  }
  for (const TrialRecord& each : store.select<TrialRecord>("WHERE run = $1", {run})) {
    const bool is_done = each.state == Progress::done;
    if (is_done)
      judge_record(verdict, each, each.outcome, count(measured, each.id) == kMeasurementsPerTrial, acknowledged.trials);
    else verdict.half_written += count(measured, each.id) > 0 ? 1 : 0;
    found += is_done && acknowledged.trials.contains(each.id) ? 1 : 0;
    verdict.taken_over += is_done && each.attempts > 1 ? 1 : 0;
  }
  for (const PlanRecord& plan : store.select<PlanRecord>(""))
    verdict.half_written += plans.contains(plan.run) && is_whole(plan.plan) ? 0 : 1;
  verdict.lost += static_cast<std::int64_t>(acknowledged.runs.size() + acknowledged.trials.size()) - found;
  return verdict;
}

/// The run whose trials all writers share.
std::string add_shared_run(const std::string& url) {
  const Provenance provenance = writer_provenance();
  const RunRecord run{.id = new_record_id(),
                      .graph = provenance.graph.id,
                      .hardware = provenance.hardware.id,
                      .software = provenance.software.id,
                      .kind = "torture"};
  Store store(url);
  store.write([&](Writer& writer) {
    writer.add(provenance);
    writer.add(run);
  });
  return run.id;
}

nlohmann::ordered_json torture(const std::string& url, const std::filesystem::path& folder, const Schedule& schedule,
                               std::uint64_t seed) {
  const std::string run = add_shared_run(url);
  const Clock::time_point began = Clock::now();
  const Clock::time_point end = began + schedule.length;
  Rng rng(seed);
  Writers writers({.url = url, .run = run, .until = end}, folder);
  std::int64_t kills = 0;
  for (auto next = began + schedule.between_kills; next < end; next += schedule.between_kills, ++kills) {
    std::this_thread::sleep_until(next);
    writers.kill_one(rng);
  }
  const std::int64_t stuck = writers.wait();
  const Acknowledged acknowledged = read_logs(folder);
  for (const std::string& error : acknowledged.errors) fmt::print(stderr, "{}\n", error);
  Store store(url, StoreAccess::read);
  const StoreVerdict verdict = inspect(store, run, acknowledged);
  const double seconds = std::chrono::duration<double>(schedule.length).count();
  const std::size_t total = acknowledged.runs.size() + acknowledged.trials.size();
  return {{"store", store.name()},
          {"seconds", seconds},
          {"writers", kWriters},
          {"killed", kills},
          {"acknowledged", total},
          {"per_second", static_cast<double>(total) / seconds},
          {"slowest_ms", acknowledged.slowest_ms},
          {"taken_over", verdict.taken_over},
          {"lost", verdict.lost},
          {"half_written", verdict.half_written},
          {"done_twice", acknowledged.twice},
          {"stuck", stuck},
          {"errors", acknowledged.errors.size()}};
}

BenchReport run_store(const BenchOptions& options) {
  using std::chrono::milliseconds;
  const TemporaryFolder temporary;
  const std::filesystem::path folder = options.data.empty() ? temporary.path() : options.data;
  const std::string url = options.store.empty() ? (folder / "store.db").string() : options.store;
  const Schedule schedule = options.quick ? Schedule{milliseconds(3000), milliseconds(250)}
                                          : Schedule{milliseconds(60'000), milliseconds(1000)};
  nlohmann::ordered_json row = torture(url, folder, schedule, options.seed);
  nlohmann::ordered_json summary;
  for (const char* key : {"acknowledged", "killed", "lost", "half_written", "done_twice", "stuck", "errors"})
    summary[key] = row[key];
  return {.rows = {std::move(row)}, .summary = std::move(summary)};
}

const BenchRun store_case("store", run_store);

}  // namespace
}  // namespace hone
