#include "store/database/transfer.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/sentence.h"
#include "base/version.h"
#include "store/database/schema.h"

namespace hone {
namespace {

constexpr std::string_view kSchemaPrefix = "hone.store/";
constexpr std::int64_t kPage = 500;  // rows held at a time

/// Calls `visit` for every row of a table in the order of keys.
void for_each_row(Store& store, const TableShape& table, const std::function<void(const Row&)>& visit) {
  const std::string sql =
      fmt::format("SELECT {} FROM {} WHERE id > $1 ORDER BY id LIMIT {}", table.list, table.name, kPage);
  Cell last = std::string();
  for (;;) {
    const Answer page = store.database().run(sql, {last});
    for (const Row& row : page.rows) visit(row);
    if (page.rows.size() < kPage) return;
    if (page.rows.back().front() == last)
      fail_database("{} is damaged: {} has keys that are no text", store.name(), table.name);
    last = page.rows.back().front();
  }
}

/// Calls `visit` for every record of a store, those that others refer to first, as they were at one moment.
void for_each_record(Store& store, const std::function<void(const TableShape&, const Row&)>& visit) {
  read_transaction(store.database(), [&] {
    for (const TableShape& table : all_tables()) for_each_row(store, table, [&](const Row& row) { visit(table, row); });
  });
}

std::string line_of(const Json& object) { return object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }

Json json_of(const Column& column, const Cell& cell) {
  if (std::holds_alternative<std::monostate>(cell)) return nullptr;
  if (column.type == ColumnType::json) {
    Json json;
    read_cell(cell, json);
    return json;
  }
  return std::visit(
      [](const auto& value) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>) return nullptr;
        else return value;
      },
      cell);
}

/// Reads exported text line by line; every complaint names the line.
class Importer {
 public:
  Importer(Writer& writer, std::string_view source) : writer_(writer), source_(source) {}

  TransferCount read(std::string_view text) {
    while (!text.empty()) {
      const std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(text.size(), line.size() + 1));
      ++line_;
      if (line.find_first_not_of(" \t\r") != std::string_view::npos) read_line(line);
    }
    if (line_ == 0 || is_inside_) complain("the export was cut off");
    return count_;
  }

 private:
  [[noreturn]] void complain(std::string_view what) const { fail("{}:{}: {}", source_, line_, one_line(what)); }

  void read_line(std::string_view line) {
    Json object;
    try {
      object = parse_shallow_json(line);
    } catch (const Json::exception&) {
      complain("not JSON");
    }
    if (!object.is_object()) complain("not a JSON object");
    if (object.contains("schema")) begin(object["schema"]);
    else if (!is_inside_) complain("no header {\"schema\": \"hone.store/...\"} before the first record");
    else if (object.contains("end")) end(object["end"]);
    else add(object);
  }

  void begin(const Json& schema) {
    if (is_inside_) complain("the export before this header was cut off");
    const std::string name = schema.is_string() ? schema.get<std::string>() : "";
    std::int64_t version = 0;
    if (name.starts_with(kSchemaPrefix))
      std::from_chars(name.data() + kSchemaPrefix.size(), name.data() + name.size(), version);
    if (version < 1) complain("this is no export of a store");
    if (version > kSchemaVersion)
      complain(
          fmt::format("exported with schema version {} by a newer hone; this one knows {}", version, kSchemaVersion));
    is_inside_ = true;
    records_ = 0;
  }

  void end(const Json& number) {
    if (!number.is_number_integer() || number.get<std::int64_t>() != records_)
      complain(fmt::format("records are missing: {} came before the end that announces {}", records_, number.dump()));
    is_inside_ = false;
  }

  void add(const Json& object) {
    const Json name = object.value("table", Json());
    if (!name.is_string()) complain("a record without its table");
    const auto table = std::ranges::find(all_tables(), name.get<std::string>(), &TableShape::name);
    if (table == all_tables().end()) complain(fmt::format("a store has no table '{}'", name.get<std::string>()));
    Row row = table->defaults;
    for (const auto& [key, value] : object.items()) {
      if (key == "table") continue;
      const auto column = std::ranges::find(table->columns, key, &Column::name);
      if (column == table->columns.end()) complain(fmt::format("{} has no column '{}'", table->name, key));
      row[static_cast<std::size_t>(column - table->columns.begin())] = cell(*column, value);
    }
    if (!is_key(row.front())) complain("the id of a record is 1 to 64 letters, digits and dashes");
    ++(writer_.insert(*table, row) ? count_.added : count_.known);
    ++records_;
  }

  static bool is_key(const Cell& cell) {
    const std::string& key = std::get<std::string>(cell);
    const auto is_fine = [](char c) { return c == '-' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'); };
    return !key.empty() && key.size() <= 64 && std::ranges::all_of(key, is_fine);
  }

  Cell cell(const Column& column, const Json& value) const {
    if (value.is_null() && column.is_nullable) return {};
    switch (column.type) {
      case ColumnType::json: return cell_of(value);
      case ColumnType::text:
        if (value.is_string()) return cell_of(value.get<std::string>());
        break;
      case ColumnType::integer:
        if (value.is_number_integer() && (!value.is_number_unsigned() || value.get<std::uint64_t>() <= INT64_MAX))
          return value.get<std::int64_t>();
        break;
      case ColumnType::real:
        if (value.is_number()) return value.get<double>();
        break;
      case ColumnType::progress:
        for (const Progress each : {Progress::waiting, Progress::running, Progress::done, Progress::failed})
          if (value == name_of(each)) return cell_of(each);
    }
    complain(fmt::format("'{}' cannot be {}", column.name,
                         one_line(value.dump(-1, ' ', true, Json::error_handler_t::replace))));
  }

  Writer& writer_;
  std::string_view source_;
  std::size_t line_ = 0;
  bool is_inside_ = false;    // between a header and its end
  std::int64_t records_ = 0;  // since the header
  TransferCount count_;
};

}  // namespace

Json json_of(const TableShape& table, const Row& row) {
  Json object;
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    object[std::string(table.columns[i].name)] = json_of(table.columns[i], row[i]);
  return object;
}

std::int64_t export_records(Store& store, const std::function<void(std::string_view line)>& write) {
  std::int64_t records = 0;
  write(line_of({{"schema", fmt::format("{}{}", kSchemaPrefix, kSchemaVersion)}, {"hone", version()}}));
  for_each_record(store, [&](const TableShape& table, const Row& row) {
    Json object{{"table", table.name}};
    object.update(json_of(table, row));
    write(line_of(object));
    ++records;
  });
  write(line_of({{"end", records}}));
  return records;
}

TransferCount import_records(Store& store, std::string_view text, std::string_view source) {
  TransferCount count;
  store.write([&](Writer& writer) { count = Importer(writer, source).read(text); });
  return count;
}

TransferCount merge_records(Store& into, Store& from) {
  TransferCount count;
  into.write([&](Writer& writer) {
    count = {};
    for_each_record(from, [&](const TableShape& table, const Row& row) {
      ++(writer.insert(table, row) ? count.added : count.known);
    });
  });
  return count;
}

}  // namespace hone
