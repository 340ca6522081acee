#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/child_process.h"
#include "store/database/store.h"

namespace hone {

/// Gives each test an empty store: a file of SQLite, or the database that $HONE_TEST_POSTGRESQL names, whose tables it
/// drops.
class TemporaryStoreTest : public ::testing::Test {
 protected:
  TemporaryStoreTest() {
    url_ = (folder_ / "store.db").string();
    if (const char* server = std::getenv("HONE_TEST_POSTGRESQL"); server != nullptr && *server != '\0') {
      url_ = server;
      open_database(parse_store_url(url_), StoreAccess::write)->run_script("DROP SCHEMA IF EXISTS hone CASCADE");
    }
  }

  bool is_file() const { return parse_store_url(url_).kind == StoreUrl::Kind::sqlite; }
  /// A file for what is about SQLite files, whatever the tests run on.
  std::string file() const { return (folder_ / "other.db").string(); }

  /// A run with everything it refers to.
  static std::string add_run(Store& store, RunRecord run = {}) {
    const Provenance provenance{.graph = {{.id = "graph1", .description = {{"name", "squeezenet"}}}},
                                .hardware = {{.id = "hardware1", .description = {{"model", "p100"}}}},
                                .software = {{.id = "software1", .description = {{"runtime", "simulator"}}}}};
    run.graph = provenance.graph.id;
    run.hardware = provenance.hardware.id;
    run.software = provenance.software.id;
    if (run.id.empty()) run.id = new_record_id();
    store.write([&](Writer& writer) {
      writer.add(provenance);
      writer.add(run);
    });
    return run.id;
  }

  TemporaryFolder temporary_;
  std::filesystem::path folder_ = temporary_.path();
  std::string url_;
};

/// What an InputError thrown by `action` says, and checks that it stands for a database failure.
template <class Action>
std::string database_complaint(Action action) {
  try {
    action();
  } catch (const InputError& error) {
    EXPECT_EQ(error.code(), ExitCode::database) << error.what();
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace hone
