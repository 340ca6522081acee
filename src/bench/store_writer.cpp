#include "bench/store_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <random>

#include "base/hash.h"
#include "store/database/trial_queue.h"

namespace hone {
namespace {

constexpr double kLeaseSeconds = 2;
constexpr std::int64_t kNoEnd = 1'000'000;  // of attempts: here workers do not die of the trial

/// A file that lines are on the disk of once `add` returns.
class DurableLog {
 public:
  explicit DurableLog(const std::filesystem::path& path)
      : descriptor_(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)) {
    if (descriptor_ < 0) fail("cannot write {}", path.string());
  }
  DurableLog(const DurableLog&) = delete;
  DurableLog& operator=(const DurableLog&) = delete;
  ~DurableLog() { ::close(descriptor_); }

  void add(const std::string& line) const {
    const auto written = ::write(descriptor_, line.data(), line.size());
    if (written != static_cast<ssize_t>(line.size()) || ::fdatasync(descriptor_) != 0) fail("cannot write a log");
  }

 private:
  int descriptor_;
};

/// One writer: its connection, its log and the trials it shares with the others.
class RecordWriter {
 public:
  explicit RecordWriter(const WriterOrders& orders)
      : orders_(orders), log_(orders.log), store_(orders.url), queue_(store_, orders.run) {}

  void write_all() {
    while (std::chrono::steady_clock::now() < orders_.until) {
      acknowledge("run", [this] { return add_run(); });
      acknowledge("trial", [this] { return carry_out_trial(); });
    }
  }

 private:
  /// What has been committed.
  struct Committed {
    std::string id;  // empty: nothing
    Json payload;
  };

  template <class Work>
  void acknowledge(std::string_view kind, Work work) {
    const auto began = std::chrono::steady_clock::now();
    const Committed committed = work();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
    if (!committed.id.empty())
      log_.add(fmt::format("{} {} {} {:.0f}\n", kind, committed.id, committed.payload["sum"].get<std::string>(),
                           took.count()));
  }

  Committed add_run() {
    const RunRecord run{.id = new_record_id(),
                        .graph = provenance_.graph.id,
                        .hardware = provenance_.hardware.id,
                        .software = provenance_.software.id,
                        .kind = "torture",
                        .state = Progress::done,
                        .request = checked_payload()};
    store_.write([&](Writer& writer) {
      writer.add(provenance_);
      writer.add(run);
      for (std::int64_t i = 0; i < kPlansPerRun; ++i) writer.add(PlanRecord{.run = run.id, .plan = checked_payload()});
    });
    return {.id = run.id, .payload = run.request};
  }

  Committed carry_out_trial() {
    const std::optional<Claim> claim =
        queue_.claim({.worker = orders_.log.stem().string(), .lease_seconds = kLeaseSeconds, .max_attempts = kNoEnd});
    if (!claim) {
      const std::vector<Json> requests(20, Json::object());
      queue_.add(requests);
      return {};
    }
    const Json outcome = checked_payload();
    const std::vector<MeasurementRecord> measurements(kMeasurementsPerTrial, {.graph = provenance_.graph.id,
                                                                              .hardware = provenance_.hardware.id,
                                                                              .software = provenance_.software.id,
                                                                              .detail = checked_payload()});
    const bool is_ours =
        queue_.beat(*claim, kLeaseSeconds) && queue_.finish(*claim, Progress::done, outcome, measurements);
    return {.id = is_ours ? claim->trial.id : "", .payload = outcome};
  }

  const WriterOrders& orders_;
  DurableLog log_;
  Store store_;
  TrialQueue queue_;
  Provenance provenance_ = writer_provenance();
};

std::string checksum(const std::string& text) { return fmt::format("{:016x}", hash_text(text)); }

}  // namespace

Json checked_payload() {
  thread_local std::minstd_rand random(std::random_device{}());
  std::string text(20 + random() % 4000, ' ');
  for (char& letter : text) letter = static_cast<char>('a' + random() % 26);
  std::string sum = checksum(text);
  return {{"text", std::move(text)}, {"sum", std::move(sum)}};
}

bool is_whole(const Json& payload) {
  return payload.is_object() && payload.contains("text") && payload.contains("sum") && payload["text"].is_string() &&
         payload["sum"] == checksum(payload["text"].get<std::string>());
}

Provenance writer_provenance() {
  return {.graph = {{.id = "torture-graph"}},
          .hardware = {{.id = "torture-hardware"}},
          .software = {{.id = "torture-software"}}};
}

void write_records(const WriterOrders& orders) {
  try {
    RecordWriter(orders).write_all();
  } catch (const InputError& error) {
    DurableLog(orders.log).add(fmt::format("error {}\n", error.what()));
  }
}

}  // namespace hone
