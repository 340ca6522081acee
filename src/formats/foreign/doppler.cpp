#include "formats/foreign/doppler.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/word_reader.h"

namespace hone {
namespace {

constexpr double kCostOfASecond = 1e10;

/// Goes through a text line by line; what a line lists is apart by commas, white space or both.
class ListedLines {
 public:
  ListedLines(std::string_view text, const std::string& file) : rest_(text), file_(file) {}

  std::vector<std::string_view> next() {
    ++number_;
    if (rest_.empty()) fail("{}: the graph ends before its last node", where());
    const std::string_view line = rest_.substr(0, rest_.find('\n'));
    rest_.remove_prefix(std::min(rest_.size(), line.size() + 1));
    std::vector<std::string_view> words;
    for (std::size_t begin = 0; (begin = line.find_first_not_of(kApart, begin)) != std::string_view::npos;) {
      words.push_back(line.substr(begin, line.find_first_of(kApart, begin) - begin));
      begin += words.back().size();
    }
    return words;
  }

  /// All numbers of the next line, each below `end`.
  std::vector<std::size_t> numbers(std::string_view what, std::size_t end) {
    std::vector<std::size_t> numbers;
    for (const std::string_view word : next()) {
      const std::int64_t number = parse_integer(word, where(), what);
      if (number < 0 || static_cast<std::size_t>(number) >= end)
        fail("{}: '{}' is no number below {}, expected {}", where(), word, end, what);
      numbers.push_back(static_cast<std::size_t>(number));
    }
    return numbers;
  }

  /// The place of the last line in the file.
  std::string where() const { return fmt::format("{}:{}", file_, number_); }

 private:
  static constexpr std::string_view kApart = ", \t\r";

  std::string_view rest_;
  const std::string& file_;
  std::size_t number_ = 0;
};

}  // namespace

Workload parse_doppler(std::string_view text, const std::string& file) {
  ListedLines lines(text, file);
  const std::vector<std::size_t> all = lines.numbers("the number of nodes", text.size());  // each takes a line
  if (all.size() != 1) fail("{}: expected the number of nodes", lines.where());
  const std::size_t inputs = lines.numbers("an input", all.front()).size();
  if (inputs >= all.front()) fail("{}: all of {} nodes are inputs", lines.where(), all.front());
  const std::size_t count = all.front() - inputs;
  const std::vector<std::size_t> from = lines.numbers("the begin of an edge", count);
  const std::vector<std::size_t> to = lines.numbers("the end of an edge", count);
  if (from.size() != to.size()) fail("{}: {} edges begin but {} end", lines.where(), from.size(), to.size());

  WorkloadBuilder builder(file);
  builder.set_device_kinds({"processor"});
  std::vector<Operation> operations(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::vector<std::string_view> words = lines.next();
    if (words.size() < 2) fail("{}: expected what computing a node and sending its result take", lines.where());
    const auto seconds = [&](std::string_view word) {
      return parse_amount(word, lines.where(), "a cost") / kCostOfASecond;
    };
    operations[i].name = std::to_string(i);
    operations[i].op = words.size() > 2 ? words[2] : "task";
    operations[i].seconds = {seconds(words[0])};
    Buffer result;
    result.name = operations[i].name;
    result.transfer_seconds = seconds(words[1]);
    builder.add_buffer(std::move(result));
  }
  std::vector<std::vector<BufferId>> reads(count);
  for (std::size_t edge = 0; edge < from.size(); ++edge) reads[to[edge]].emplace_back(from[edge]);
  for (std::size_t i = 0; i < count; ++i) {
    const BufferId output(i);
    builder.add_operation(std::move(operations[i]), reads[i], std::span(&output, 1));
  }
  return std::move(builder).build();
}

}  // namespace hone
