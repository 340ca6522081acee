#include <sqlite3.h>
#include <sys/statfs.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>
#include <unordered_map>

#include "base/sentence.h"
#include "store/database/database.h"

namespace hone {
namespace {

constexpr int kBusyMilliseconds = 30'000;
constexpr int kPauseMilliseconds = 3;
constexpr int kMaxTextBytes = 1 << 28;  // of one cell: a damaged or foreign file must not fill the memory

// IMMEDIATE takes the right to write at the start: a transaction that began by reading could be refused it half-way.
constexpr Dialect kSqlite{
    .begin_reading = "BEGIN",
    .begin_writing = "BEGIN IMMEDIATE",
    .lock_schema = "SELECT 1",  // the writing transaction already keeps everybody else out
    .table_names = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
    .now_seconds = "((julianday('now') - 2440587.5) * 86400.0)",
    .skip_locked = "",
};

struct CloseConnection {
  void operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }
};
struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using SqliteConnection = std::unique_ptr<sqlite3, CloseConnection>;
using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

/// Makes a statement ready to be run again, however this run of it ended.
struct ResetAtEnd {
  sqlite3_stmt* statement;
  ~ResetAtEnd() {
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
  }
};

/// Write-ahead logging shares memory between processes, which network file systems cannot.
bool is_on_network(const std::filesystem::path& file) {
  constexpr unsigned kNfs = 0x6969, kSmb = 0x517B, kCifs = 0xFF534D42, kSmb2 = 0xFE534D42, kAfs = 0x5346414F;
  std::filesystem::path folder = file.parent_path();
  struct statfs status {};
  if (::statfs(folder.empty() ? "." : folder.c_str(), &status) != 0) return false;
  const auto type = static_cast<unsigned>(status.f_type);
  return type == kNfs || type == kSmb || type == kCifs || type == kSmb2 || type == kAfs;
}

/// Waits for another process to let go. SQLite's own waiting grows to a tenth of a second at a time, so that of many
/// writers some would hardly ever come in between.
int wait_a_little(void*, int times) {
  if (times >= kBusyMilliseconds / kPauseMilliseconds) return 0;
  std::this_thread::sleep_for(std::chrono::milliseconds(kPauseMilliseconds));
  return 1;
}

/// What a result code means to whoever has to do something about it.
std::string meaning(sqlite3* connection, int code) {
  if (code == SQLITE_CONSTRAINT_FOREIGNKEY) return std::string(kDanglingReference);
  const int system = connection == nullptr ? 0 : sqlite3_system_errno(connection);
  const std::string reason = system != 0 ? std::strerror(system) : sqlite3_errstr(code);
  switch (code & 0xFF) {
    case SQLITE_FULL: return "cannot be written: the disk is full";
    case SQLITE_READONLY: return "is read-only";
    case SQLITE_NOTADB: return "is damaged or not a store: SQLite cannot read it";
    case SQLITE_CORRUPT: return "is damaged: SQLite finds its pages malformed";
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return fmt::format("has been locked by another process for {} s", kBusyMilliseconds / 1000);
    case SQLITE_CANTOPEN: return fmt::format("cannot be opened: {}", reason);
    case SQLITE_IOERR: return fmt::format("cannot be read or written: {}", reason);
    default: return fmt::format("cannot be used: {}", connection == nullptr ? reason : sqlite3_errmsg(connection));
  }
}

class SqliteDatabase : public Database {
 public:
  SqliteDatabase(const StoreUrl& url, StoreAccess access) : name_("store " + url.shown) {
    open(url.target, access);
    sqlite3_extended_result_codes(connection_.get(), 1);
    sqlite3_busy_handler(connection_.get(), wait_a_little, nullptr);
    sqlite3_limit(connection_.get(), SQLITE_LIMIT_LENGTH, kMaxTextBytes);
    if (access == StoreAccess::write && sqlite3_db_readonly(connection_.get(), "main") != 0) fail_with(SQLITE_READONLY);
    // What a foreign file could bring along is not trusted; a commit is on the disk before it is acknowledged.
    run_script(
        "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA foreign_keys = ON; "
        "PRAGMA synchronous = FULL");
    if (access == StoreAccess::write) log_ahead();
  }

  using Database::run;
  Answer run(const std::string& sql, std::span<const Cell> parameters) override {
    sqlite3_stmt* statement = prepared(sql);
    const ResetAtEnd reset{statement};
    for (std::size_t i = 0; i < parameters.size(); ++i) bind(statement, i, parameters[i]);
    Answer answer;
    int code = SQLITE_ROW;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) answer.rows.push_back(row_of(statement));
    if (code != SQLITE_DONE) fail_with(code);
    if (sqlite3_stmt_readonly(statement) == 0) answer.changed = sqlite3_changes(connection_.get());
    return answer;
  }

  void run_script(const std::string& sql) override {
    const int code = sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) fail_with(code);
  }

  const Dialect& dialect() const override { return kSqlite; }
  const std::string& name() const override { return name_; }

 private:
  [[noreturn]] void fail_with(int code) const {
    fail_database("{} {}", name_, one_line(meaning(connection_.get(), code)));
  }

  void open(const std::string& path, StoreAccess access) {
    const bool is_file = path != ":memory:";
    if (is_file && access == StoreAccess::read && !std::filesystem::exists(path))
      fail_database("there is no {}", name_);
    if (is_file && is_on_network(path))
      fail_database("{} lies on a network file system, where SQLite loses records; use a local file or postgresql://",
                    name_);
    // The path is taken as it is: with SQLITE_OPEN_URI missing, `file:` and `?` have no meaning.
    int code = open_with(
        path, access == StoreAccess::read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    if (code == SQLITE_OK && access == StoreAccess::read && is_file) code = try_reading(path);
    if (code != SQLITE_OK) fail_with(code);
  }

  int open_with(const std::string& path, int flags) {
    sqlite3* opened = nullptr;
    const int code = sqlite3_open_v2(path.c_str(), &opened, flags | SQLITE_OPEN_NOMUTEX, nullptr);
    connection_.reset(opened);
    return code;
  }

  /// A store in a folder that is read-only cannot have the files beside it that sharing takes. If no writer left any
  /// either, it can still be read as a file that nobody changes.
  int try_reading(const std::string& path) {
    const int code = sqlite3_exec(connection_.get(), "SELECT 1 FROM sqlite_master", nullptr, nullptr, nullptr);
    if (code != SQLITE_CANTOPEN || std::filesystem::exists(path + "-wal"))
      return SQLITE_OK;  // told by the next statement
    std::string uri = "file:";
    for (const char c : std::filesystem::absolute(path).string())
      uri += fmt::format("%{:02x}", static_cast<unsigned char>(c));
    return open_with(uri + "?immutable=1", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
  }

  /// Readers and one writer at a time do not wait for each other. The switch is not covered by SQLite's own waiting.
  void log_ahead() {
    for (int waited = 0;; waited += 10) {
      const int code = sqlite3_exec(connection_.get(), "PRAGMA journal_mode = WAL", nullptr, nullptr, nullptr);
      if (code == SQLITE_OK) return;
      if ((code & 0xFF) != SQLITE_BUSY || waited >= kBusyMilliseconds) fail_with(code);
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }

  sqlite3_stmt* prepared(const std::string& sql) {
    Statement& statement = statements_[sql];
    if (!statement) {
      sqlite3_stmt* made = nullptr;
      const int code = sqlite3_prepare_v3(connection_.get(), sql.c_str(), static_cast<int>(sql.size()),
                                          SQLITE_PREPARE_PERSISTENT, &made, nullptr);
      if (code != SQLITE_OK) fail_with(code);
      statement.reset(made);
    }
    return statement.get();
  }

  void bind(sqlite3_stmt* statement, std::size_t index, const Cell& value) {
    const int place = sqlite3_bind_parameter_index(statement, fmt::format("${}", index + 1).c_str());
    HONE_CHECK(place > 0, "the statement has no parameter {}", index + 1);
    int code = SQLITE_OK;  // what is not bound is NULL
    if (const auto* number = std::get_if<std::int64_t>(&value)) code = sqlite3_bind_int64(statement, place, *number);
    if (const auto* real = std::get_if<double>(&value)) code = sqlite3_bind_double(statement, place, *real);
    if (const auto* text = std::get_if<std::string>(&value))
      code = sqlite3_bind_text64(statement, place, text->data(), text->size(), SQLITE_STATIC, SQLITE_UTF8);
    if (code != SQLITE_OK) fail_with(code);
  }

  static Row row_of(sqlite3_stmt* statement) {
    Row row;
    for (int i = 0; i < sqlite3_column_count(statement); ++i) {
      switch (sqlite3_column_type(statement, i)) {
        case SQLITE_NULL: row.emplace_back(); break;
        case SQLITE_INTEGER: row.emplace_back(static_cast<std::int64_t>(sqlite3_column_int64(statement, i))); break;
        case SQLITE_FLOAT: row.emplace_back(sqlite3_column_double(statement, i)); break;
        default: {
          const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, i));
          row.emplace_back(
              std::string(text == nullptr ? "" : text, static_cast<std::size_t>(sqlite3_column_bytes(statement, i))));
        }
      }
    }
    return row;
  }

  std::string name_;
  SqliteConnection connection_;
  std::unordered_map<std::string, Statement> statements_;  // go before the connection does
};

}  // namespace

std::unique_ptr<Database> open_sqlite(const StoreUrl& url, StoreAccess access) {
  return std::make_unique<SqliteDatabase>(url, access);
}

}  // namespace hone
