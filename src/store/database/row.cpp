#include "store/database/row.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/suggestion.h"

namespace hone {
namespace {

constexpr int kMaxJsonDepth = 200;

constexpr ColumnType type_of(const std::string*) { return ColumnType::text; }
constexpr ColumnType type_of(const std::int64_t*) { return ColumnType::integer; }
constexpr ColumnType type_of(const double*) { return ColumnType::real; }
constexpr ColumnType type_of(const Json*) { return ColumnType::json; }
constexpr ColumnType type_of(const Progress*) { return ColumnType::progress; }

template <class Field>
Column column_for(std::string_view name, const Field&) {
  return {.name = name, .type = type_of(static_cast<const Field*>(nullptr))};
}
template <class Field>
Column column_for(std::string_view name, const std::optional<Field>&) {
  return {.name = name, .type = type_of(static_cast<const Field*>(nullptr)), .is_nullable = true};
}

/// A record whose key is known is left as it is, unless the known one was still under way and the new one is final.
std::string insert_statement(const TableShape& shape) {
  std::vector<std::string> places, updates;
  for (const Column& column : shape.columns) {
    places.push_back(fmt::format("${}", places.size() + 1));
    updates.push_back(fmt::format("{0} = excluded.{0}", column.name));
  }
  const bool has_progress = std::ranges::count(shape.columns, ColumnType::progress, &Column::type) > 0;
  const std::string conflict =
      has_progress
          ? fmt::format(
                "UPDATE SET {} WHERE {}.state IN ('waiting', 'running') AND excluded.state IN ('done', 'failed')",
                fmt::join(updates, ", "), shape.name)
          : "NOTHING";
  return fmt::format("INSERT INTO {} ({}) VALUES ({}) ON CONFLICT (id) DO {}", shape.name, shape.list,
                     fmt::join(places, ", "), conflict);
}

template <class Record>
TableShape shape_of(const Record& record) {
  TableShape shape{.name = Record::kTable, .defaults = row_of(record)};
  auto name = Record::kColumns.begin();
  std::apply([&](const auto&... field) { (shape.columns.push_back(column_for(*name++, field)), ...); },
             Record::fields(record));
  shape.list = fmt::format("{}", fmt::join(Record::kColumns, ", "));
  shape.insert = insert_statement(shape);
  return shape;
}

template <class Kind>
const Kind& expect(const Cell& cell, std::string_view what) {
  const Kind* value = std::get_if<Kind>(&cell);
  if (value == nullptr) fail_database("the store holds a record that is not {} where it should be", what);
  return *value;
}

}  // namespace

const std::vector<TableShape>& all_tables() {
  static const std::vector<TableShape> tables =
      std::apply([](const auto&... record) { return std::vector<TableShape>{shape_of(record)...}; }, AllRecords());
  return tables;
}

const TableShape& find_table(std::string_view name) {
  const auto found = std::ranges::find(all_tables(), name, &TableShape::name);
  if (found != all_tables().end()) return *found;
  std::vector<std::string_view> names;
  for (const TableShape& table : all_tables()) names.push_back(table.name);
  fail_usage("a store has no table '{:.60}'{}", name, suggestion_or_all(name, names));
}

Cell cell_of(const std::string& text) {
  const std::string quoted = Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string valid = Json::parse(quoted).get<std::string>();
  std::ranges::replace(valid, '\0', ' ');
  return valid;
}
Cell cell_of(std::int64_t number) { return number; }
Cell cell_of(double real) {
  HONE_CHECK(std::isfinite(real), "a record holds {}", real);
  return real;
}
Cell cell_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }
Cell cell_of(Progress progress) { return std::string(name_of(progress)); }

void read_cell(const Cell& cell, std::string& field) { field = expect<std::string>(cell, "text"); }
void read_cell(const Cell& cell, std::int64_t& field) { field = expect<std::int64_t>(cell, "a whole number"); }
void read_cell(const Cell& cell, double& field) {
  // SQLite may hand back a real that is whole as an integer.
  const auto* whole = std::get_if<std::int64_t>(&cell);
  field = whole != nullptr ? static_cast<double>(*whole) : expect<double>(cell, "a number");
}
void read_cell(const Cell& cell, Json& field) {
  try {
    field = parse_shallow_json(expect<std::string>(cell, "JSON"));
  } catch (const Json::exception&) {
    fail_database("the store holds a record that is not JSON where it should be");
  }
}
void read_cell(const Cell& cell, Progress& field) {
  const std::string& name = expect<std::string>(cell, "a state");
  for (const Progress each : {Progress::waiting, Progress::running, Progress::done, Progress::failed}) {
    field = each;
    if (name_of(each) == name) return;
  }
  fail_database("the store holds a record in a state '{}' that there is not", name);
}

Json parse_shallow_json(std::string_view text) {
  return Json::parse(text, [](int depth, Json::parse_event_t, const Json&) {
    if (depth > kMaxJsonDepth) throw Json::other_error::create(599, "nested too deep", nullptr);
    return true;
  });
}

}  // namespace hone
