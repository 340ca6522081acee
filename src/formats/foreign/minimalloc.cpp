#include "formats/foreign/minimalloc.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/output_file.h"
#include "base/text_file.h"
#include "base/word_reader.h"

namespace hone {
namespace {

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  if (line.ends_with('\r')) line.remove_suffix(1);
  while (true) {
    const std::size_t comma = line.find(',');
    cells.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

enum Column : std::size_t { kId, kLower, kUpper, kSize };

std::array<std::size_t, 4> columns_of(std::string_view heading, std::string_view where) {
  static constexpr std::array<std::string_view, 4> kNames = {"id", "lower", "upper", "size"};
  const std::vector<std::string_view> cells = cells_of(heading);
  std::array<std::size_t, 4> columns{};
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    const auto found = std::ranges::find(cells, kNames[i]);
    if (found == cells.end())
      fail("{}: no column '{}', expected a heading such as id,lower,upper,size", where, kNames[i]);
    columns[i] = static_cast<std::size_t>(found - cells.begin());
  }
  return columns;
}

}  // namespace

MemoryProblem parse_minimalloc(std::string_view text, const std::string& file) {
  MemoryProblem problem;
  std::array<std::size_t, 4> columns{};
  if (text.empty()) fail("{}: empty, expected a heading such as id,lower,upper,size", file);
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string where = fmt::format("{}:{}", file, number);
    if (number == 1) {
      columns = columns_of(line, where);
      continue;
    }
    if (line.empty() || line == "\r") continue;
    const std::vector<std::string_view> cells = cells_of(line);
    if (cells.size() <= std::ranges::max(columns))
      fail("{}: {} cells are too few for the heading", where, cells.size());
    const auto number_in = [&](Column column) { return parse_integer(cells[columns[column]], where, "a number"); };
    MemoryBuffer buffer{.name = std::string(cells[columns[kId]]),
                        .lower = number_in(kLower),
                        .upper = number_in(kUpper),
                        .size = number_in(kSize)};
    if (buffer.lower >= buffer.upper || buffer.size < 0)
      fail("{}: buffer '{}' must have lower < upper and a size of at least 0", where, buffer.name);
    problem.buffers.push_back(std::move(buffer));
  }
  return problem;
}

MemoryProblem read_minimalloc(const std::filesystem::path& path) {
  return parse_minimalloc(read_text_file(path).text, path.string());
}

void write_minimalloc(const std::filesystem::path& path, const MemoryProblem& problem, const MemoryPlan& plan) {
  OutputFile file(path);
  file.write("id,lower,upper,size,offset\n");
  for (std::size_t i = 0; i < problem.buffers.size(); ++i) {
    const MemoryBuffer& buffer = problem.buffers[i];
    file.write(
        fmt::format("{},{},{},{},{}\n", buffer.name, buffer.lower, buffer.upper, buffer.size, plan.offset_of[i]));
  }
  file.commit();
}

}  // namespace hone
