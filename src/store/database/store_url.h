#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace hone {

/// Where a store lies: a file of SQLite or a database on a PostgreSQL server.
struct StoreUrl {
  enum class Kind { sqlite, postgresql };

  Kind kind = Kind::sqlite;
  std::string target;  // path of the file, `:memory:`, or what libpq takes
  std::string shown;   // for messages: without a password
};

/// `sqlite:///relative.db`, `sqlite:////absolute.db`, `sqlite:///:memory:`, `postgresql://user@host/name`, a plain
/// path, or `default`. Throws InputError (usage) for anything else.
StoreUrl parse_store_url(std::string_view url);

/// What `default` means: $HONE_DB if set, else hone/hone.db in the user's cache folder, which is made if missing.
std::string default_store_url();

}  // namespace hone
