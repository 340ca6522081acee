#include "store/database/database.h"

#include <chrono>
#include <thread>

namespace hone {
namespace {

constexpr int kAttempts = 20;

/// A transaction that is undone unless it was committed.
class Transaction {
 public:
  Transaction(Database& database, std::string_view begin) : database_(database) { database_.run(std::string(begin)); }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction() {
    if (is_committed_) return;
    try {
      database_.run("ROLLBACK");
    } catch (const InputError&) {
      // The database undid it already, or the connection is gone, which undoes it too.
    }
  }
  void commit() {
    database_.run("COMMIT");
    is_committed_ = true;
  }

 private:
  Database& database_;
  bool is_committed_ = false;
};

void run_once(Database& database, std::string_view begin, const std::function<void()>& action) {
  Transaction transaction(database, begin);
  action();
  transaction.commit();
}

}  // namespace

std::unique_ptr<Database> open_database(const StoreUrl& url, StoreAccess access) {
  return url.kind == StoreUrl::Kind::sqlite ? open_sqlite(url, access) : open_postgresql(url, access);
}

void write_transaction(Database& database, const std::function<void()>& action) {
  for (int attempt = 1;; ++attempt) {
    try {
      return run_once(database, database.dialect().begin_writing, action);
    } catch (const TransactionConflict&) {
      if (attempt == kAttempts) throw;
      std::this_thread::sleep_for(std::chrono::milliseconds(5 * attempt));
    }
  }
}

void read_transaction(Database& database, const std::function<void()>& action) {
  run_once(database, database.dialect().begin_reading, action);
}

}  // namespace hone
