#include <array>
#include <charconv>
#include <cmath>
#include <unordered_map>

#include "base/sentence.h"
#include "store/database/database.h"
#include "store/database/libpq.h"

namespace hone {
namespace {

constexpr const char* kConnectSeconds = "10";
// PostgreSQL's numbers of the types that columns and counts have.
constexpr Oid kInt8 = 20, kInt2 = 21, kInt4 = 23, kFloat4 = 700, kFloat8 = 701, kNumeric = 1700;

constexpr Dialect kPostgresql{
    .begin_reading = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
    .begin_writing = "BEGIN",
    .lock_schema = "SELECT pg_advisory_xact_lock(1752133221)",  // "hone" as a number
    .table_names = "SELECT table_name::text FROM information_schema.tables WHERE table_schema = 'hone'",
    .now_seconds = "CAST(EXTRACT(EPOCH FROM clock_timestamp()) AS DOUBLE PRECISION)",
    .skip_locked = "FOR UPDATE SKIP LOCKED",
};

struct Disconnect {
  void operator()(PGconn* connection) const { libpq().finish(connection); }
};
struct ClearResult {
  void operator()(PGresult* result) const { libpq().clear(result); }
};
using PostgresqlConnection = std::unique_ptr<PGconn, Disconnect>;
using Result = std::unique_ptr<PGresult, ClearResult>;

void ignore_notice(void*, const char*) {}

template <class Number>
Number number_in(std::string_view text) {
  Number number{};
  std::from_chars(text.data(), text.data() + text.size(), number);  // also reads "Infinity" and "NaN"
  return number;
}

Cell value_of(Oid type, std::string_view text) {
  switch (type) {
    case kInt2:
    case kInt4:
    case kInt8: return number_in<std::int64_t>(text);
    case kFloat4:
    case kFloat8:
    case kNumeric: return number_in<double>(text);
    default: return std::string(text);
  }
}

/// A parameter as PostgreSQL reads it; reals so that they come back as the same bits.
std::string text_of(const Cell& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return fmt::to_string(*number);
  if (const auto* real = std::get_if<double>(&value)) return fmt::format("{}", *real);
  return std::get<std::string>(value);
}

class PostgresqlDatabase : public Database {
 public:
  PostgresqlDatabase(const StoreUrl& url, StoreAccess access) : name_("store " + url.shown) {
    // What stands in the URL overrides the time to wait and is overridden by the encoding.
    const std::array<const char*, 5> keys{"connect_timeout", "dbname", "client_encoding", "fallback_application_name",
                                          nullptr};
    const std::array<const char*, 5> values{kConnectSeconds, url.target.c_str(), "UTF8", "hone", nullptr};
    constexpr int kExpandUrl = 1;
    connection_.reset(libpq().connect(keys.data(), values.data(), kExpandUrl));
    if (libpq().status(connection_.get()) != CONNECTION_OK)
      fail_database("{} cannot be reached: {}", name_, first_line(libpq().error_message(connection_.get())));
    libpq().set_notice_processor(connection_.get(), ignore_notice, nullptr);
    if (access == StoreAccess::write) make_schema();
    run_script("SET search_path TO hone; SET lock_timeout = '30s'; SET synchronous_commit = on");
  }

  using Database::run;
  Answer run(const std::string& sql, std::span<const Cell> parameters) override {
    std::vector<std::string> texts;
    std::vector<const char*> pointers;
    texts.reserve(parameters.size());
    for (const Cell& value : parameters) {
      const bool is_null = std::holds_alternative<std::monostate>(value);
      if (!is_null) texts.push_back(text_of(value));
      pointers.push_back(is_null ? nullptr : texts.back().c_str());
    }
    const std::string& statement = prepared(sql);
    const Result result(libpq().exec_prepared(connection_.get(), statement.c_str(), static_cast<int>(pointers.size()),
                                              pointers.data(), nullptr, nullptr, 0));
    check(result);
    return answer_of(result.get());
  }

  void run_script(const std::string& sql) override { check(Result(libpq().exec(connection_.get(), sql.c_str()))); }

  const Dialect& dialect() const override { return kPostgresql; }
  const std::string& name() const override { return name_; }

 private:
  static std::string first_line(std::string_view message) { return one_line(message.substr(0, message.find('\n'))); }

  /// Two connections that make it at once collide in spite of IF NOT EXISTS, so that it is done under the lock.
  void make_schema() {
    if (!run("SELECT 1 FROM pg_namespace WHERE nspname = 'hone'").rows.empty()) return;
    write_transaction(*this, [this] {
      run(std::string(kPostgresql.lock_schema));
      run_script("CREATE SCHEMA IF NOT EXISTS hone");
    });
  }

  void check(const Result& result) const {
    const ExecStatusType status = libpq().result_status(result.get());
    if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) return;
    const char* state_field = libpq().result_error_field(result.get(), PG_DIAG_SQLSTATE);
    const char* primary = libpq().result_error_field(result.get(), PG_DIAG_MESSAGE_PRIMARY);
    const std::string_view state = state_field == nullptr ? "" : state_field;
    const std::string reason = first_line(primary == nullptr ? libpq().error_message(connection_.get()) : primary);
    if (state == "40P01" || state == "40001")  // deadlock, serialization failure
      throw TransactionConflict(fmt::format("{}: {}", name_, reason));
    if (state == "23503") fail_database("{} {}", name_, kDanglingReference);
    if (state == "53100") fail_database("{} cannot be written: the disk of the server is full", name_);
    if (state == "25006") fail_database("{} is read-only", name_);
    if (libpq().status(connection_.get()) != CONNECTION_OK)
      fail_database("{}: the connection to the server was lost: {}", name_, reason);
    fail_database("{}: {}", name_, reason);
  }

  const std::string& prepared(const std::string& sql) {
    const auto known = statements_.find(sql);
    if (known != statements_.end()) return known->second;
    const std::string statement = fmt::format("hone{}", statements_.size());
    check(Result(libpq().prepare(connection_.get(), statement.c_str(), sql.c_str(), 0, nullptr)));
    return statements_.emplace(sql, statement).first->second;
  }

  static Answer answer_of(PGresult* result) {
    Answer answer;
    const int columns = libpq().column_count(result);
    for (int i = 0; i < libpq().row_count(result); ++i) {
      Row row;
      for (int j = 0; j < columns; ++j) {
        if (libpq().is_null(result, i, j) != 0) row.emplace_back();
        else
          row.push_back(
              value_of(libpq().column_type(result, j),
                       {libpq().value(result, i, j), static_cast<std::size_t>(libpq().length(result, i, j))}));
      }
      answer.rows.push_back(std::move(row));
    }
    answer.changed = number_in<std::int64_t>(libpq().changed(result));
    return answer;
  }

  std::string name_;
  PostgresqlConnection connection_;
  std::unordered_map<std::string, std::string> statements_;  // by text: the name it was prepared under
};

}  // namespace

std::unique_ptr<Database> open_postgresql(const StoreUrl& url, StoreAccess access) {
  return std::make_unique<PostgresqlDatabase>(url, access);
}

}  // namespace hone
