#pragma once

#include <functional>
#include <string_view>

#include "store/database/store.h"

namespace hone {

/// How many records were new to a store, or brought one that was under way to its end, and how many it had already.
struct TransferCount {
  std::int64_t added = 0, known = 0;
};

/// Writes every record of a store as it was at one moment, one JSON object a line: a header with the schema version,
/// the records, and an end with their number. Returns that number.
std::int64_t export_records(Store& store, const std::function<void(std::string_view line)>& write);

/// Adds the records of exported text, of this or an older schema version, or of several exports one after another: all
/// or none. Throws InputError (exit code 3) naming source and line for what is no export or was cut off.
TransferCount import_records(Store& store, std::string_view text, std::string_view source);

/// Adds all records of another store: all or none.
TransferCount merge_records(Store& into, Store& from);

/// A row as the object that export writes.
Json json_of(const TableShape& table, const Row& row);

}  // namespace hone
