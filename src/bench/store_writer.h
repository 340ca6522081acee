#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

#include "store/database/store.h"

namespace hone {

/// How many plans a run of a writer has and how many measurements a trial: all of them or none.
inline constexpr std::int64_t kPlansPerRun = 3, kMeasurementsPerTrial = 2;

/// What a writer process of `hone bench store` works on.
struct WriterOrders {
  std::string url, run;  // the run whose trials all writers share
  std::filesystem::path log;
  std::chrono::steady_clock::time_point until;
};

/// A value that a reader can tell to be whole: random text and its checksum.
Json checked_payload();
bool is_whole(const Json& payload);

/// Records runs with plans and carries out trials until the time is over. Whatever the store has acknowledged goes to
/// the log, one line `run ID CHECKSUM MILLISECONDS` or `trial ...`, which is on the disk before the next is begun; a
/// failure is a line `error ...`.
void write_records(const WriterOrders& orders);

/// What the records of the writers refer to.
Provenance writer_provenance();

}  // namespace hone
