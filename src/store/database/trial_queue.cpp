#include "store/database/trial_queue.h"

namespace hone {
namespace {

constexpr std::string_view kLeaseEnded = "state = 'running' AND claim_ends <= ";

}  // namespace

void TrialQueue::add(std::span<const Json> requests) {
  store_.write([&](Writer& writer) {
    const Answer last = store_.database().run("SELECT COALESCE(MAX(number) + 1, 0) FROM trials WHERE run = $1", {run_});
    auto number = std::get<std::int64_t>(last.rows.at(0).at(0));
    for (const Json& request : requests) writer.add(TrialRecord{.run = run_, .number = number++, .request = request});
  });
}

std::optional<Claim> TrialQueue::claim(const ClaimTerms& terms) {
  const std::string ended = fmt::format("{}{}", kLeaseEnded, store_.database().dialect().now_seconds);
  std::optional<Claim> claim;
  store_.write([&](Writer&) {
    fail_exhausted(terms);
    claim = take(terms, ended);
    if (!claim) claim = take(terms, "state = 'waiting'");
  });
  return claim;
}

std::optional<Claim> TrialQueue::take(const ClaimTerms& terms, std::string_view condition) {
  const Dialect& dialect = store_.database().dialect();
  const std::string sql = fmt::format(
      "UPDATE trials SET state = 'running', attempts = attempts + 1, worker = $2, claim = $3, "
      "claim_ends = {now} + CAST($4 AS DOUBLE PRECISION) "
      "WHERE id = (SELECT id FROM trials WHERE run = $1 AND {condition} ORDER BY number LIMIT 1 {skip_locked}) "
      "RETURNING {columns}",
      fmt::arg("now", dialect.now_seconds), fmt::arg("condition", condition),
      fmt::arg("skip_locked", dialect.skip_locked), fmt::arg("columns", Writer::shape<TrialRecord>().list));
  const std::string token = new_record_id();
  const Answer taken = store_.database().run(sql, {run_, cell_of(terms.worker), token, terms.lease_seconds});
  if (taken.rows.empty()) return std::nullopt;
  return Claim{.trial = record_of<TrialRecord>(taken.rows.front()), .token = token};
}

void TrialQueue::fail_exhausted(const ClaimTerms& terms) {
  const std::string sql =
      fmt::format("UPDATE trials SET state = 'failed', outcome = $2 WHERE run = $1 AND attempts >= $3 AND {}{}",
                  kLeaseEnded, store_.database().dialect().now_seconds);
  const Json outcome{{"error", fmt::format("{} workers died of it", terms.max_attempts)}};
  store_.database().run(sql, {run_, cell_of(outcome), terms.max_attempts});
}

bool TrialQueue::update_claimed(const Claim& claim, const std::string& change, std::initializer_list<Cell> more) {
  Row parameters{claim.trial.id, claim.token};
  parameters.insert(parameters.end(), more);
  const std::string sql =
      fmt::format("UPDATE trials SET {} WHERE id = $1 AND state = 'running' AND claim = $2", change);
  return store_.database().run(sql, parameters).changed == 1;
}

bool TrialQueue::beat(const Claim& claim, double lease_seconds) {
  bool is_ours = false;
  store_.write([&](Writer&) {
    is_ours = update_claimed(
        claim, fmt::format("claim_ends = {} + CAST($3 AS DOUBLE PRECISION)", store_.database().dialect().now_seconds),
        {lease_seconds});
  });
  return is_ours;
}

bool TrialQueue::finish(const Claim& claim, Progress state, const Json& outcome,
                        std::span<const MeasurementRecord> measurements) {
  HONE_CHECK(state == Progress::done || state == Progress::failed);
  bool is_ours = false;
  store_.write([&](Writer& writer) {
    is_ours = update_claimed(claim, "state = $3, outcome = $4, claim_ends = NULL", {cell_of(state), cell_of(outcome)});
    if (!is_ours) return;
    for (MeasurementRecord measurement : measurements) {
      measurement.trial = claim.trial.id;
      writer.add(std::move(measurement));
    }
  });
  return is_ours;
}

bool TrialQueue::give_back(const Claim& claim) {
  bool is_ours = false;
  store_.write([&](Writer&) {
    is_ours = update_claimed(
        claim, "state = 'waiting', worker = NULL, claim = NULL, claim_ends = NULL, attempts = attempts - 1", {});
  });
  return is_ours;
}

std::int64_t TrialQueue::open_trials() {
  const Answer answer =
      store_.database().run("SELECT COUNT(*) FROM trials WHERE run = $1 AND state IN ('waiting', 'running')", {run_});
  return std::get<std::int64_t>(answer.rows.at(0).at(0));
}

Heartbeat::Heartbeat(std::string url, Claim claim, double lease_seconds)
    : thread_(
          [this, url = std::move(url), claim = std::move(claim), lease_seconds] { beat(url, claim, lease_seconds); }) {}

Heartbeat::~Heartbeat() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Heartbeat::beat(const std::string& url, const Claim& claim, double lease_seconds) {
  const std::chrono::duration<double> pause(lease_seconds / 3);  // two beats may go missing
  try {
    Store store(url);
    TrialQueue queue(store, claim.trial.run);
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, pause, [this] { return is_over_; })) {
      lock.unlock();
      if (!queue.beat(claim, lease_seconds)) is_lost_ = true;
      lock.lock();
    }
  } catch (const InputError&) {
    is_lost_ = true;
  }
}

}  // namespace hone
