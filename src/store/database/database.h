#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"
#include "store/database/store_url.h"

namespace hone {

/// What a cell of a table holds: nothing, a whole number, a real one or text.
using Cell = std::variant<std::monostate, std::int64_t, double, std::string>;
using Row = std::vector<Cell>;

/// What a statement came to.
struct Answer {
  std::vector<Row> rows;
  std::int64_t changed = 0;  // rows inserted, updated or deleted
};

/// Where the two databases differ in words. All other SQL is common to both.
struct Dialect {
  std::string_view begin_reading;  // a transaction that sees one state of everything
  std::string_view begin_writing;  // a transaction that cannot lose its right to write half-way
  std::string_view lock_schema;    // inside a writing transaction: nobody else makes or upgrades tables
  std::string_view table_names;    // a query for the tables there are
  std::string_view now_seconds;    // the clock that all workers share, since 1970
  std::string_view skip_locked;    // after a SELECT: rows that another worker is just taking do not count
};

/// Throws an InputError for a store that cannot be used.
template <class... Args>
[[noreturn]] void fail_database(fmt::format_string<Args...> format, Args&&... args) {
  throw InputError(fmt::format(format, std::forward<Args>(args)...), ExitCode::database);
}

/// Two transactions were in each other's way and this one was undone: doing it again can succeed.
class TransactionConflict : public InputError {
 public:
  explicit TransactionConflict(const std::string& message) : InputError(message, ExitCode::database) {}
};

/// What either database is made to say of a record whose reference leads nowhere.
inline constexpr std::string_view kDanglingReference = "refuses a record that refers to one it does not have";

/// What a store is opened for. Reading never creates or changes anything.
enum class StoreAccess { read, write };

/// A connection to a database; for one thread at a time. Failures are InputErrors (exit code 7) that name the store.
class Database {
 public:
  virtual ~Database() = default;

  /// Runs one statement. Parameters are $1, $2, ...; a statement is prepared when its text is first seen.
  virtual Answer run(const std::string& sql, std::span<const Cell> parameters) = 0;
  Answer run(const std::string& sql, std::initializer_list<Cell> parameters = {}) {
    return run(sql, std::span(parameters.begin(), parameters.size()));
  }
  /// Runs statements separated by semicolons.
  virtual void run_script(const std::string& sql) = 0;

  virtual const Dialect& dialect() const = 0;
  /// How messages name it.
  virtual const std::string& name() const = 0;
};

/// Opens a connection. A file that is missing is created when it is to be written to.
std::unique_ptr<Database> open_database(const StoreUrl& url, StoreAccess access);

/// The two kinds; `open_database` chooses.
std::unique_ptr<Database> open_sqlite(const StoreUrl& url, StoreAccess access);
std::unique_ptr<Database> open_postgresql(const StoreUrl& url, StoreAccess access);

/// Runs `action` in a transaction that writes, again when it is in the way of another one. Whatever `action` throws
/// undoes everything.
void write_transaction(Database& database, const std::function<void()>& action);
/// Runs `action` while it sees one state of the database.
void read_transaction(Database& database, const std::function<void()>& action);

}  // namespace hone
