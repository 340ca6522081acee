#include "store/database/schema.h"

#include <thread>

#include "store/database/temporary_store_test.h"

namespace hone {
namespace {

class StoreSchemaTest : public TemporaryStoreTest {
 protected:
  std::unique_ptr<Database> database() { return open_database(parse_store_url(url_), StoreAccess::write); }
};

// What hone of schema version 1 left behind, word for word.
constexpr std::string_view kVersionOne = R"(
CREATE TABLE hone_schema (version BIGINT NOT NULL);
INSERT INTO hone_schema VALUES (1);
CREATE TABLE hardware (id TEXT NOT NULL PRIMARY KEY, description TEXT NOT NULL);
CREATE TABLE software (id TEXT NOT NULL PRIMARY KEY, description TEXT NOT NULL);
CREATE TABLE graphs (id TEXT NOT NULL PRIMARY KEY, description TEXT NOT NULL);
CREATE TABLE runs (id TEXT NOT NULL PRIMARY KEY, graph TEXT NOT NULL REFERENCES graphs,
  hardware TEXT NOT NULL REFERENCES hardware, software TEXT NOT NULL REFERENCES software, kind TEXT NOT NULL,
  state TEXT NOT NULL, unit TEXT NOT NULL, value DOUBLE PRECISION, request TEXT NOT NULL, outcome TEXT NOT NULL,
  created_seconds DOUBLE PRECISION NOT NULL);
CREATE TABLE plans (id TEXT NOT NULL PRIMARY KEY, run TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
  value DOUBLE PRECISION, plan TEXT NOT NULL, created_seconds DOUBLE PRECISION NOT NULL);
CREATE TABLE trials (id TEXT NOT NULL PRIMARY KEY, run TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
  number BIGINT NOT NULL, state TEXT NOT NULL, worker TEXT, claim TEXT, claim_ends DOUBLE PRECISION,
  request TEXT NOT NULL, outcome TEXT NOT NULL, created_seconds DOUBLE PRECISION NOT NULL);
CREATE TABLE measurements (id TEXT NOT NULL PRIMARY KEY, trial TEXT REFERENCES trials ON DELETE CASCADE,
  graph TEXT NOT NULL REFERENCES graphs, hardware TEXT NOT NULL REFERENCES hardware,
  software TEXT NOT NULL REFERENCES software, median_seconds DOUBLE PRECISION NOT NULL, detail TEXT NOT NULL,
  created_seconds DOUBLE PRECISION NOT NULL);
INSERT INTO graphs VALUES ('g', '{"name":"old"}');
INSERT INTO hardware VALUES ('h', '{}');
INSERT INTO software VALUES ('s', '{}');
INSERT INTO runs VALUES ('r', 'g', 'h', 's', 'plan', 'done', 'seconds', 0.25, '{"seed":3}', '{}', 1);
INSERT INTO trials VALUES ('t', 'r', 0, 'waiting', NULL, NULL, NULL, '{}', '{}', 1))";

TEST_F(StoreSchemaTest, ATableHasTheColumnsOfItsRecord) {
  Store store(url_);
  for (const TableShape& table : all_tables())
    EXPECT_NO_THROW(store.database().run(fmt::format("SELECT {} FROM {}", table.list, table.name))) << table.name;
}

TEST_F(StoreSchemaTest, AnOlderStoreIsRefusedUntilItIsUpgradedAndKeepsItsRecords) {
  database()->run_script(std::string(kVersionOne));
  for (const StoreAccess access : {StoreAccess::read, StoreAccess::write}) {
    const std::string said = database_complaint([&] { Store store(url_, access); });
    EXPECT_NE(said.find("has schema version 1 and this hone needs 2: `hone db upgrade` brings it up"),
              std::string::npos)
        << said;
  }
  EXPECT_EQ(upgrade_store(url_), 1);
  EXPECT_EQ(upgrade_store(url_), 2);
  Store store(url_);
  EXPECT_EQ(store.select<RunRecord>("").at(0).request["seed"], 3);
  EXPECT_EQ(store.select<RunRecord>("").at(0).value, 0.25);
  EXPECT_EQ(store.select<TrialRecord>("").at(0).attempts, 0);
  EXPECT_EQ(store.select<GraphRecord>("").at(0).description["name"], "old");
  EXPECT_TRUE(store.select<ProfileRecord>("").empty());
}

TEST_F(StoreSchemaTest, AnUpgradeThatFailsHalfWayChangesNothing) {
  const auto old = database();
  old->run_script(std::string(kVersionOne));
  old->run_script("CREATE TABLE profiles (something TEXT)");  // in the way of the second half of the step
  EXPECT_THROW(upgrade_store(url_), InputError);
  EXPECT_EQ(schema_version(*old), 1);
  EXPECT_THROW(old->run("SELECT attempts FROM trials"), InputError);
}

TEST_F(StoreSchemaTest, ANewerStoreIsLeftAlone) {
  { Store store(url_); }
  database()->run_script("UPDATE hone_schema SET version = 3");
  for (const auto& action :
       std::vector<std::function<void()>>{[&] { Store store(url_); }, [&] { upgrade_store(url_); }}) {
    const std::string said = database_complaint(action);
    EXPECT_NE(said.find("has schema version 3, made by a newer hone; this one knows 2"), std::string::npos) << said;
  }
  EXPECT_EQ(schema_version(*database()), 3);
}

TEST_F(StoreSchemaTest, ManyProcessesMayMakeAStoreAtOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) threads.emplace_back([this] { add_run(*std::make_unique<Store>(url_)); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Store(url_, StoreAccess::read).count(find_table("runs")), 8);
}

TEST_F(StoreSchemaTest, ADatabaseOfSomethingElseIsLeftAlone) {
  if (!is_file()) GTEST_SKIP() << "hone has a schema of its own in PostgreSQL";
  database()->run_script("CREATE TABLE meta (version BIGINT)");
  EXPECT_NE(database_complaint([&] { Store store(url_); }).find("is a database of something else"), std::string::npos);
  EXPECT_NE(database_complaint([&] { upgrade_store(url_); }).find("is a database of something else"),
            std::string::npos);
}

}  // namespace
}  // namespace hone
