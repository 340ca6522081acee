#pragma once

#include <algorithm>

#include "store/database/store.h"

namespace hone {

/// What a figure is wanted for: a graph (or an operation), on this machine, with this runtime; fingerprints.
struct Setting {
  std::string subject, hardware, software;
};

/// Which records a lookup may return.
enum class Reach : std::uint8_t { exact, anywhere };

/// Whether a record was made in the setting asked for, or where it was not. Ordered from the nearest.
enum class Nearness : std::uint8_t { exact, other_software, other_hardware, other_both };

/// `measured with another runtime version` and the like; what a record that is not exact must be shown with.
std::string_view describe(Nearness nearness);
Nearness nearness_of(const Setting& wanted, std::string_view hardware, std::string_view software);

/// A record together with whether it may be taken at its word.
template <class Record>
struct Found {
  Record record;
  Nearness nearness = Nearness::exact;
};

/// Runs, measurements or profiles of a subject, nearest first, then newest first. Those of other hardware or another
/// runtime version come only with Reach::anywhere, and are labelled.
template <class Record>
std::vector<Found<Record>> look_up(Store& store, const Setting& wanted, Reach reach) {
  const std::string newest_first = " ORDER BY created_seconds DESC, id DESC";
  const std::string of_subject = fmt::format("WHERE {} = $1", Record::kSubject);
  std::vector<Record> records =
      reach == Reach::anywhere
          ? store.select<Record>(of_subject + newest_first, {wanted.subject})
          : store.select<Record>(of_subject + " AND hardware = $2 AND software = $3" + newest_first,
                                 {wanted.subject, wanted.hardware, wanted.software});
  std::vector<Found<Record>> found;
  for (Record& record : records) {
    const Nearness nearness = nearness_of(wanted, record.hardware, record.software);
    found.push_back({.record = std::move(record), .nearness = nearness});
  }
  std::ranges::stable_sort(found, {}, [](const Found<Record>& each) { return each.nearness; });
  return found;
}

/// The best runs of each graph, machine, runtime, kind and unit, so that none stands beside another's; by graph.
std::vector<RunRecord> best_runs(Store& store, std::int64_t of_each);

}  // namespace hone
