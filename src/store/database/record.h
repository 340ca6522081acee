#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

namespace hone {

/// What is open-ended in a record: keys may be added without a new schema.
using Json = nlohmann::ordered_json;

/// How far a run or a trial has come. `done` and `failed` are final.
enum class Progress : std::uint8_t { waiting, running, done, failed };
std::string_view name_of(Progress progress);

/// A thing that records refer to by fingerprint: equal descriptions have equal fingerprints.
struct Described {
  std::string id;  // the fingerprint
  Json description = Json::object();

  static constexpr std::array<std::string_view, 2> kColumns{"id", "description"};
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.id, self.description);
  }
};

/// The machine that seconds are seconds of, measured or described.
struct HardwareRecord : Described {
  static constexpr std::string_view kTable = "hardware";
};
/// The runtime and its version, or the simulator, that gave the seconds.
struct SoftwareRecord : Described {
  static constexpr std::string_view kTable = "software";
};
/// The computation graph, by its hash.
struct GraphRecord : Described {
  static constexpr std::string_view kTable = "graphs";
};

/// The three things no figure may be compared across without saying so.
struct Provenance {
  GraphRecord graph;
  HardwareRecord hardware;
  SoftwareRecord software;
};

/// One call of an optimiser or tuner. `value` is the best it came to, in `unit`; less is better.
struct RunRecord {
  std::string id;
  std::string graph, hardware, software;  // fingerprints
  std::string kind;                       // `plan`, `tune`, ...
  Progress state = Progress::running;
  std::string unit = "seconds";
  std::optional<double> value;    // none when nothing usable was found
  Json request = Json::object();  // optimiser, seed, budget, ...
  Json outcome = Json::object();
  double created_seconds = 0;  // since 1970

  static constexpr std::string_view kTable = "runs";
  static constexpr std::string_view kSubject = "graph";
  static constexpr std::array<std::string_view, 11> kColumns{
      "id", "graph", "hardware", "software", "kind", "state", "unit", "value", "request", "outcome", "created_seconds"};
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.id, self.graph, self.hardware, self.software, self.kind, self.state, self.unit, self.value,
                    self.request, self.outcome, self.created_seconds);
  }
};

/// A plan that a run found.
struct PlanRecord {
  std::string id, run;
  std::optional<double> value;
  Json plan = Json::object();
  double created_seconds = 0;

  static constexpr std::string_view kTable = "plans";
  static constexpr std::array<std::string_view, 5> kColumns{"id", "run", "value", "plan", "created_seconds"};
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.id, self.run, self.value, self.plan, self.created_seconds);
  }
};

/// One thing to be tried in a run, by whichever worker takes it; see TrialQueue.
struct TrialRecord {
  std::string id, run;
  std::int64_t number = 0;  // trials are taken in this order
  Progress state = Progress::waiting;
  std::optional<std::string> worker, claim;  // who has it, and the token that proves it
  std::optional<double> claim_ends;          // on the store's clock, unless the worker is heard of before
  std::int64_t attempts = 0;                 // how often it was taken
  Json request = Json::object();
  Json outcome = Json::object();
  double created_seconds = 0;

  static constexpr std::string_view kTable = "trials";
  static constexpr std::array<std::string_view, 11> kColumns{"id",      "run",     "number",         "state",
                                                             "worker",  "claim",   "claim_ends",     "attempts",
                                                             "request", "outcome", "created_seconds"};
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.id, self.run, self.number, self.state, self.worker, self.claim, self.claim_ends, self.attempts,
                    self.request, self.outcome, self.created_seconds);
  }
};

/// How long something took, with the samples behind it in `detail`.
struct MeasurementRecord {
  std::string id;
  std::optional<std::string> trial;  // that it was made for
  std::string graph, hardware, software;
  double median_seconds = 0;
  Json detail = Json::object();
  double created_seconds = 0;

  static constexpr std::string_view kTable = "measurements";
  static constexpr std::string_view kSubject = "graph";
  static constexpr std::array<std::string_view, 8> kColumns{"id",       "trial",          "graph",  "hardware",
                                                            "software", "median_seconds", "detail", "created_seconds"};
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.id, self.trial, self.graph, self.hardware, self.software, self.median_seconds, self.detail,
                    self.created_seconds);
  }
};

/// How long one configuration of an operator takes.
struct ProfileRecord {
  std::string id;
  std::string operation;  // operator, attributes, shapes and types as one text
  std::string hardware, software;
  double median_seconds = 0;
  Json detail = Json::object();
  double created_seconds = 0;

  static constexpr std::string_view kTable = "profiles";
  static constexpr std::string_view kSubject = "operation";
  static constexpr std::array<std::string_view, 7> kColumns{
      "id", "operation", "hardware", "software", "median_seconds", "detail", "created_seconds"};
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.id, self.operation, self.hardware, self.software, self.median_seconds, self.detail,
                    self.created_seconds);
  }
};

/// All kinds of records; each refers only to those before it.
using AllRecords = std::tuple<HardwareRecord, SoftwareRecord, GraphRecord, RunRecord, PlanRecord, TrialRecord,
                              MeasurementRecord, ProfileRecord>;

/// A new id, never given before on any machine: records of different stores can be joined. Later ids sort later.
std::string new_record_id();

}  // namespace hone
