#pragma once

#include "store/database/database.h"

namespace hone {

/// The version of the tables this hone reads and writes.
inline constexpr std::int64_t kSchemaVersion = 2;

/// The version of the tables in a database: 0 when it has none. Throws InputError (exit code 7) for a database of
/// something else.
std::int64_t schema_version(Database& database);

/// Brings tables of `version` or older to `version`, in one transaction; a new database is brought up from nothing in
/// the same way. Returns the version they had.
std::int64_t upgrade_schema(Database& database, std::int64_t version = kSchemaVersion);

/// Makes the tables of a new database when it is to be written to. Throws InputError (exit code 7) for a version that
/// is not ours; an older one can be upgraded.
void require_schema(Database& database, StoreAccess access);

}  // namespace hone
