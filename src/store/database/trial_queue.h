#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>

#include "store/database/store.h"

namespace hone {

/// A trial that a worker has taken. While its token is in the store, nobody else's result for the trial counts.
struct Claim {
  TrialRecord trial;
  std::string token;
};

/// Who takes trials, and for how long nothing need be heard of them.
struct ClaimTerms {
  std::string worker;
  double lease_seconds = 60;
  std::int64_t max_attempts = 3;  // a trial whose workers died this often has failed
};

/// Trials of one run, shared by workers in any number of processes and machines. A worker that dies keeps its trial
/// only until the lease ends; then another takes it.
class TrialQueue {
 public:
  TrialQueue(Store& store, std::string run) : store_(store), run_(std::move(run)) {}

  /// Adds trials after those there are.
  void add(std::span<const Json> requests);
  /// Takes a trial whose worker's lease has ended, else the next one waiting; none when there is neither.
  std::optional<Claim> claim(const ClaimTerms& terms);
  /// Begins the lease anew. False when the claim was lost to another worker: the work is no longer wanted.
  bool beat(const Claim& claim, double lease_seconds);
  /// Ends a trial with its outcome and measurements, all or nothing. False, and nothing written, when the claim was
  /// lost.
  bool finish(const Claim& claim, Progress state, const Json& outcome, std::span<const MeasurementRecord> measurements);
  /// Puts a trial back for others. False when the claim was lost.
  bool give_back(const Claim& claim);
  /// Trials that are neither done nor failed.
  std::int64_t open_trials();

 private:
  std::optional<Claim> take(const ClaimTerms& terms, std::string_view condition);
  void fail_exhausted(const ClaimTerms& terms);
  bool update_claimed(const Claim& claim, const std::string& change, std::initializer_list<Cell> more);

  Store& store_;
  std::string run_;
};

/// Keeps a claim alive from a thread of its own, with its own connection, while the worker computes.
class Heartbeat {
 public:
  Heartbeat(std::string url, Claim claim, double lease_seconds);
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;
  ~Heartbeat();

  /// Whether another worker has the trial by now, or the store is out of reach.
  bool is_lost() const { return is_lost_; }

 private:
  void beat(const std::string& url, const Claim& claim, double lease_seconds);

  std::atomic<bool> is_lost_ = false;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool is_over_ = false;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace hone
