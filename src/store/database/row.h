#pragma once

#include <string>
#include <vector>

#include "store/database/database.h"
#include "store/database/record.h"

namespace hone {

/// What a column of a table holds.
enum class ColumnType : std::uint8_t { text, integer, real, json, progress };

/// A column as import and export see it.
struct Column {
  std::string_view name;
  ColumnType type = ColumnType::text;
  bool is_nullable = false;
};

/// A table as import and export see it. The first column is the key.
struct TableShape {
  std::string_view name;
  std::vector<Column> columns;
  Row defaults;        // a row of a record that nothing was said about
  std::string list;    // of columns: `id, graph, ...`
  std::string insert;  // SQL that adds a row of all columns, see `Writer::insert`
};

/// All tables; each refers only to those before it.
const std::vector<TableShape>& all_tables();
/// Throws InputError (usage) for a name that is none.
const TableShape& find_table(std::string_view name);

/// Cells of fields. Text is made valid UTF-8 without NUL, which PostgreSQL would refuse.
Cell cell_of(const std::string& text);
Cell cell_of(std::int64_t number);
Cell cell_of(double real);
Cell cell_of(const Json& json);
Cell cell_of(Progress progress);
template <class Field>
Cell cell_of(const std::optional<Field>& field) {
  return field ? cell_of(*field) : Cell();
}

/// Fields of cells. Throws InputError (exit code 7) for a cell that holds something else, which only another program
/// can have written.
void read_cell(const Cell& cell, std::string& field);
void read_cell(const Cell& cell, std::int64_t& field);
void read_cell(const Cell& cell, double& field);
void read_cell(const Cell& cell, Json& field);
void read_cell(const Cell& cell, Progress& field);
template <class Field>
void read_cell(const Cell& cell, std::optional<Field>& field) {
  field.reset();
  if (!std::holds_alternative<std::monostate>(cell)) read_cell(cell, field.emplace());
}

/// JSON that is not nested so deep that printing it would exhaust the stack; throws nlohmann's exceptions for text
/// that is none.
Json parse_shallow_json(std::string_view text);

template <class Record>
Row row_of(const Record& record) {
  return std::apply([](const auto&... field) { return Row{cell_of(field)...}; }, Record::fields(record));
}

template <class Record>
Record record_of(const Row& row) {
  Record record;
  auto cell = row.begin();
  std::apply([&](auto&... field) { (read_cell(*cell++, field), ...); }, Record::fields(record));
  return record;
}

}  // namespace hone
