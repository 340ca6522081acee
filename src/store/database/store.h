#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "store/database/database.h"
#include "store/database/record.h"
#include "store/database/row.h"

namespace hone {

/// Adds records inside a transaction of a Store; all of them become visible, or none.
class Writer {
 public:
  explicit Writer(Database& database) : database_(database) {}

  /// Describes what later records refer to by fingerprint.
  void add(const Provenance& provenance);
  /// Adds a record and returns its id. A new id and the time are filled in where they are missing.
  template <class Record>
  std::string add(Record record) {
    if (record.id.empty()) record.id = new_record_id();
    if constexpr (requires { record.created_seconds; })
      if (record.created_seconds == 0) record.created_seconds = seconds_since_1970();
    insert(shape<Record>(), row_of(record));
    return record.id;
  }
  /// Adds a row of any table. A key that is there already changes nothing, so that adding twice is harmless; only what
  /// was still waiting or running gives way to its final state. Says whether anything was written.
  bool insert(const TableShape& table, const Row& row);

  template <class Record>
  static const TableShape& shape() {
    static const TableShape& found = find_table(Record::kTable);
    return found;
  }

 private:
  static double seconds_since_1970();

  Database& database_;
};

/// Tuning records in SQLite or PostgreSQL. What `write` has returned from is on the disk. Several processes may use one
/// store at a time; one object belongs to one thread.
class Store {
 public:
  /// Opens the store at a URL (see parse_store_url). Throws InputError with exit code 7 when it cannot be used.
  explicit Store(std::string_view url, StoreAccess access = StoreAccess::write);

  /// Runs `action` in one transaction. It may run more than once, the earlier times without effect.
  void write(const std::function<void(Writer&)>& action);

  /// Records that meet an SQL condition with parameters $1, $2, ...: `select<RunRecord>("WHERE graph = $1", {graph})`.
  template <class Record>
  std::vector<Record> select(const std::string& condition, std::initializer_list<Cell> parameters = {}) {
    const std::string sql =
        fmt::format("SELECT {} FROM {} {}", Writer::shape<Record>().list, Record::kTable, condition);
    std::vector<Record> records;
    for (const Row& row : database_->run(sql, parameters).rows) records.push_back(record_of<Record>(row));
    return records;
  }
  /// How many rows a table has.
  std::int64_t count(const TableShape& table);

  Database& database() { return *database_; }
  /// How messages name it.
  const std::string& name() const { return database_->name(); }

 private:
  std::unique_ptr<Database> database_;
};

/// Brings the tables of a store to the version this hone needs; returns the version they had. Nothing is changed when
/// it fails half-way. A store that is missing is not created.
std::int64_t upgrade_store(std::string_view url);

}  // namespace hone
