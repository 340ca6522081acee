#include "store/database/store.h"

#include <chrono>
#include <filesystem>

#include "store/database/schema.h"

namespace hone {

void Writer::add(const Provenance& provenance) {
  // Always in this order: two transactions that add the same things cannot wait for each other.
  add(provenance.hardware);
  add(provenance.software);
  add(provenance.graph);
}

bool Writer::insert(const TableShape& table, const Row& row) { return database_.run(table.insert, row).changed > 0; }

double Writer::seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

Store::Store(std::string_view url, StoreAccess access) : database_(open_database(parse_store_url(url), access)) {
  require_schema(*database_, access);
}

void Store::write(const std::function<void(Writer&)>& action) {
  write_transaction(*database_, [&] {
    Writer writer(*database_);
    action(writer);
  });
}

std::int64_t Store::count(const TableShape& table) {
  return std::get<std::int64_t>(database_->run(fmt::format("SELECT COUNT(*) FROM {}", table.name)).rows.at(0).at(0));
}

std::int64_t upgrade_store(std::string_view url) {
  const StoreUrl parsed = parse_store_url(url);
  {
    open_database(parsed, StoreAccess::read);
  }  // complains about one that is missing, which opening to write would create
  const std::unique_ptr<Database> database = open_database(parsed, StoreAccess::write);
  const std::int64_t had = upgrade_schema(*database);
  if (had > kSchemaVersion) require_schema(*database, StoreAccess::write);
  return had;
}

}  // namespace hone
