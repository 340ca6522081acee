#include "store/database/schema.h"

#include <algorithm>
#include <array>

namespace hone {
namespace {

/// The step from each version to the next. A step is never changed once released: a new version is a new step. The
/// words are those both databases know: SQLite takes BIGINT for its INTEGER and DOUBLE PRECISION for its REAL.
constexpr std::array<std::string_view, kSchemaVersion> kSteps{
    R"(
CREATE TABLE hone_schema (version BIGINT NOT NULL);
INSERT INTO hone_schema VALUES (0);
CREATE TABLE hardware (id TEXT NOT NULL PRIMARY KEY, description TEXT NOT NULL);
CREATE TABLE software (id TEXT NOT NULL PRIMARY KEY, description TEXT NOT NULL);
CREATE TABLE graphs (id TEXT NOT NULL PRIMARY KEY, description TEXT NOT NULL);
CREATE TABLE runs (
  id TEXT NOT NULL PRIMARY KEY,
  graph TEXT NOT NULL REFERENCES graphs, hardware TEXT NOT NULL REFERENCES hardware,
  software TEXT NOT NULL REFERENCES software,
  kind TEXT NOT NULL, state TEXT NOT NULL, unit TEXT NOT NULL, value DOUBLE PRECISION,
  request TEXT NOT NULL, outcome TEXT NOT NULL, created_seconds DOUBLE PRECISION NOT NULL);
CREATE INDEX runs_by_graph ON runs (graph, hardware, software, value);
CREATE TABLE plans (
  id TEXT NOT NULL PRIMARY KEY, run TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
  value DOUBLE PRECISION, plan TEXT NOT NULL, created_seconds DOUBLE PRECISION NOT NULL);
CREATE INDEX plans_by_run ON plans (run);
CREATE TABLE trials (
  id TEXT NOT NULL PRIMARY KEY, run TEXT NOT NULL REFERENCES runs ON DELETE CASCADE, number BIGINT NOT NULL,
  state TEXT NOT NULL, worker TEXT, claim TEXT, claim_ends DOUBLE PRECISION,
  request TEXT NOT NULL, outcome TEXT NOT NULL, created_seconds DOUBLE PRECISION NOT NULL);
CREATE INDEX trials_by_run ON trials (run, state, number);
CREATE TABLE measurements (
  id TEXT NOT NULL PRIMARY KEY, trial TEXT REFERENCES trials ON DELETE CASCADE,
  graph TEXT NOT NULL REFERENCES graphs, hardware TEXT NOT NULL REFERENCES hardware,
  software TEXT NOT NULL REFERENCES software,
  median_seconds DOUBLE PRECISION NOT NULL, detail TEXT NOT NULL, created_seconds DOUBLE PRECISION NOT NULL);
CREATE INDEX measurements_by_graph ON measurements (graph, hardware, software);
CREATE INDEX measurements_by_trial ON measurements (trial))",
    // Times of single operators, and how often a trial was taken, so that one that kills its workers comes to an end.
    R"(
ALTER TABLE trials ADD COLUMN attempts BIGINT NOT NULL DEFAULT 0;
CREATE TABLE profiles (
  id TEXT NOT NULL PRIMARY KEY, operation TEXT NOT NULL,
  hardware TEXT NOT NULL REFERENCES hardware, software TEXT NOT NULL REFERENCES software,
  median_seconds DOUBLE PRECISION NOT NULL, detail TEXT NOT NULL, created_seconds DOUBLE PRECISION NOT NULL);
CREATE INDEX profiles_by_operation ON profiles (operation, hardware, software))",
};

}  // namespace

std::int64_t schema_version(Database& database) {
  const Answer tables = database.run(std::string(database.dialect().table_names));
  if (tables.rows.empty()) return 0;
  if (std::ranges::count(tables.rows, Row{std::string("hone_schema")}) == 0)
    fail_database("{} is a database of something else: it has tables, and none of hone's", database.name());
  const Answer answer = database.run("SELECT version FROM hone_schema");
  const auto* version = answer.rows.size() == 1 ? std::get_if<std::int64_t>(&answer.rows[0][0]) : nullptr;
  if (version == nullptr || *version < 1)
    fail_database("{} is damaged: it does not say its schema version", database.name());
  return *version;
}

std::int64_t upgrade_schema(Database& database, std::int64_t version) {
  std::int64_t had = 0;
  write_transaction(database, [&] {
    database.run(std::string(database.dialect().lock_schema));
    had = schema_version(database);
    for (std::int64_t step = had; step < version; ++step) {
      database.run_script(std::string(kSteps[static_cast<std::size_t>(step)]));
      database.run("UPDATE hone_schema SET version = $1", {step + 1});
    }
  });
  return had;
}

void require_schema(Database& database, StoreAccess access) {
  std::int64_t version = schema_version(database);
  if (version == 0 && access == StoreAccess::read) fail_database("{} is empty", database.name());
  if (version == 0) {
    upgrade_schema(database);
    version = schema_version(database);  // another process may have been first, and newer
  }
  if (version < kSchemaVersion)
    fail_database("{} has schema version {} and this hone needs {}: `hone db upgrade` brings it up", database.name(),
                  version, kSchemaVersion);
  if (version > kSchemaVersion)
    fail_database("{} has schema version {}, made by a newer hone; this one knows {} and leaves it alone",
                  database.name(), version, kSchemaVersion);
}

}  // namespace hone
