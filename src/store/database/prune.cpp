#include "store/database/prune.h"

namespace hone {
namespace {

constexpr double kSecondsPerDay = 86400;

// A term that was not given is NULL, which no row is older than and no place beyond.
constexpr std::string_view kIsOld = "created_seconds < {now} - CAST($1 AS DOUBLE PRECISION)";
constexpr std::string_view kIsBeyondBest =
    "id IN (SELECT id FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY graph, hardware, software, kind, unit "
    "ORDER BY value IS NULL, value, created_seconds, id) AS place FROM runs WHERE state IN ('done', 'failed')) ranked "
    "WHERE place > $2)";
constexpr std::string_view kIsIdle =
    "NOT EXISTS (SELECT 1 FROM trials WHERE trials.run = runs.id AND trials.state = 'running' AND claim_ends > {now})";

/// Counts or removes the rows of a table that meet a condition, in which {now} is the time on the store's clock.
std::int64_t prune_rows(Database& database, PruneMode mode, const std::string& selection, const Row& parameters) {
  const std::string sql =
      fmt::format(fmt::runtime((mode == PruneMode::remove ? "DELETE FROM " : "SELECT COUNT(*) FROM ") + selection),
                  fmt::arg("now", database.dialect().now_seconds));
  const Answer answer = database.run(sql, parameters);
  return mode == PruneMode::remove ? answer.changed : std::get<std::int64_t>(answer.rows.at(0).at(0));
}

}  // namespace

PruneCount prune(Store& store, const PruneTerms& terms, PruneMode mode) {
  const Cell age = terms.older_than_days ? Cell(*terms.older_than_days * kSecondsPerDay) : Cell();
  const Cell place = terms.keep_best ? Cell(*terms.keep_best) : Cell();
  PruneCount count;
  store.write([&](Writer&) {
    const auto rows = [&](const std::string& selection, const Row& parameters) {
      return prune_rows(store.database(), mode, selection, parameters);
    };
    count.runs = rows(fmt::format("runs WHERE ({} OR {}) AND {}", kIsOld, kIsBeyondBest, kIsIdle), {age, place});
    count.measurements = rows(fmt::format("measurements WHERE {} AND trial IS NULL", kIsOld), {age});
    count.profiles = rows(fmt::format("profiles WHERE {}", kIsOld), {age});
  });
  return count;
}

}  // namespace hone
