#include "formats/hlo/attributes.h"

#include <algorithm>
#include <charconv>

#include "base/error.h"

namespace hone::hlo {
namespace {

/// Reads pieces of one attribute's value.
class ValueReader {
 public:
  ValueReader(const Module& module, std::string_view value) : module_(module), value_(value), rest_(value) {}

  bool accept(char c) {
    skip_space();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) refuse();
  }
  bool at_end() {
    skip_space();
    return rest_.empty();
  }
  std::int64_t integer() {
    skip_space();
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    if (error != std::errc()) refuse();
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return number;
  }
  /// Numbers between commas up to `close`.
  std::vector<std::int64_t> integers_until(char close) {
    std::vector<std::int64_t> numbers;
    while (!accept(close)) {
      numbers.push_back(integer());
      if (!accept(',')) {
        expect(close);
        break;
      }
    }
    return numbers;
  }
  std::string_view until_any(std::string_view stops) {
    skip_space();
    const std::size_t end = std::min(rest_.find_first_of(stops), rest_.size());
    const std::string_view found = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return found;
  }
  [[noreturn]] void refuse() const {
    fail("{}: cannot understand the attribute's value '{:.60}'", module_.where(value_), value_);
  }

 private:
  void skip_space() {
    while (!rest_.empty() &&
           (rest_.front() == ' ' || rest_.front() == '\n' || rest_.front() == '\t' || rest_.front() == '\r'))
      rest_.remove_prefix(1);
    // XLA marks every fifth element of a long list: /*index=5*/
    if (rest_.starts_with("/*")) {
      rest_.remove_prefix(std::min(rest_.size(), rest_.find("*/", 2) + 2));
      skip_space();
    }
  }

  const Module& module_;
  std::string_view value_;
  std::string_view rest_;
};

/// Calls `set` with each of `3x3` or `1_1x1_1_0`, one a dimension.
template <class Set>
void read_by_dimension(ValueReader& reader, std::vector<WindowDimension>& window, Set set) {
  std::size_t i = 0;
  do {
    if (i == window.size()) window.emplace_back();
    set(window[i++]);
  } while (reader.accept('x'));
}

void read_window_field(ValueReader& reader, std::vector<WindowDimension>& window) {
  const std::string_view key = reader.until_any("=");
  reader.expect('=');
  const auto read_into = [&](std::int64_t WindowDimension::*field) {
    read_by_dimension(reader, window, [&](WindowDimension& one) { one.*field = reader.integer(); });
  };
  if (key == "size") return read_into(&WindowDimension::size);
  if (key == "stride") return read_into(&WindowDimension::stride);
  if (key == "lhs_dilate") return read_into(&WindowDimension::base_dilation);
  if (key == "rhs_dilate") return read_into(&WindowDimension::window_dilation);
  if (key == "pad")
    return read_by_dimension(reader, window, [&](WindowDimension& one) {
      one.pad_low = reader.integer();
      reader.expect('_');
      one.pad_high = reader.integer();
    });
  reader.until_any(" }");  // rhs_reversal changes no cost
}

/// Axes by label in one of the three parts of dim_labels; spatial axes are digits.
struct Labels {
  std::size_t first = 0, second = 0;
  std::vector<std::size_t> spatial;
};
std::optional<Labels> read_labels(std::string_view text, char first, char second) {
  Labels labels;
  std::size_t found = 0;
  for (std::size_t axis = 0; axis < text.size(); ++axis) {
    const char c = text[axis];
    if (c == first || c == second) {
      (c == first ? labels.first : labels.second) = axis;
      ++found;
    } else if (c >= '0' && c <= '9') {
      const auto place = static_cast<std::size_t>(c - '0');
      if (labels.spatial.size() <= place) labels.spatial.resize(place + 1);
      labels.spatial[place] = axis;
    } else {
      return std::nullopt;
    }
  }
  return found == 2 && labels.spatial.size() + 2 == text.size() ? std::optional(labels) : std::nullopt;
}

std::vector<std::int64_t> read_index(ValueReader& reader) {
  reader.expect('{');
  return reader.integers_until('}');
}

}  // namespace

std::vector<std::int64_t> integers(const Module& module, const Instruction& instruction, std::string_view key) {
  const std::string_view value = module.attribute(instruction, key);
  if (value.empty()) return {};
  ValueReader reader(module, value);
  return reader.accept('{') ? reader.integers_until('}') : std::vector{reader.integer()};
}

std::int64_t integer(const Module& module, const Instruction& instruction, std::string_view key,
                     std::int64_t otherwise) {
  const std::string_view value = module.attribute(instruction, key);
  return value.empty() ? otherwise : ValueReader(module, value).integer();
}

std::vector<WindowDimension> window(const Module& module, const Instruction& instruction) {
  std::vector<WindowDimension> window;
  const std::string_view value = module.attribute(instruction, "window");
  if (value.empty()) return window;
  ValueReader reader(module, value);
  reader.expect('{');
  while (!reader.accept('}')) {
    if (reader.at_end()) reader.refuse();
    read_window_field(reader, window);
  }
  for (const WindowDimension& one : window)
    if (one.size < 0 || one.stride < 1 || one.base_dilation < 1 || one.window_dilation < 1) reader.refuse();
  return window;
}

std::optional<ConvolutionLabels> convolution_labels(const Module& module, const Instruction& instruction) {
  const std::string_view value = module.attribute(instruction, "dim_labels");
  const std::size_t underscore = value.find('_');
  const std::size_t arrow = value.find("->");
  if (underscore == std::string_view::npos || arrow == std::string_view::npos || arrow < underscore)
    return std::nullopt;
  const auto input = read_labels(value.substr(0, underscore), 'b', 'f');
  const auto kernel = read_labels(value.substr(underscore + 1, arrow - underscore - 1), 'o', 'i');
  const auto output = read_labels(value.substr(arrow + 2), 'b', 'f');
  if (!input || !kernel || !output) return std::nullopt;
  if (input->spatial.size() != kernel->spatial.size() || input->spatial.size() != output->spatial.size())
    return std::nullopt;
  return ConvolutionLabels{.input_batch = input->first,
                           .input_feature = input->second,
                           .kernel_output_feature = kernel->first,
                           .kernel_input_feature = kernel->second,
                           .output_batch = output->first,
                           .output_feature = output->second,
                           .input_spatial = input->spatial,
                           .kernel_spatial = kernel->spatial,
                           .output_spatial = output->spatial};
}

std::int64_t group_size(const Module& module, const Instruction& instruction) {
  const std::string_view value = module.attribute(instruction, "replica_groups");
  if (value.starts_with('[')) {  // [groups,size]<=[devices]
    ValueReader reader(module, value);
    reader.expect('[');
    const std::vector<std::int64_t> sizes = reader.integers_until(']');
    return sizes.size() < 2 ? 0 : std::max<std::int64_t>(0, sizes.back());
  }
  const std::size_t open = value.find('{', 1);
  if (open == std::string_view::npos) return 0;
  const std::string_view first = value.substr(open, value.find('}', open) - open);
  return 1 + std::ranges::count(first, ',');
}

std::vector<AliasPair> alias_pairs(const Module& module, std::string_view value) {
  std::vector<AliasPair> pairs;
  if (value.empty()) return pairs;
  ValueReader reader(module, value);
  reader.expect('{');
  while (!reader.accept('}')) {
    AliasPair pair;
    pair.output_index = read_index(reader);
    reader.expect(':');
    reader.expect('(');
    pair.operand = reader.integer();
    if (reader.accept(',')) pair.operand_index = read_index(reader);
    reader.until_any(")");
    reader.expect(')');
    pairs.push_back(std::move(pair));
    if (!reader.accept(',')) {
      reader.expect('}');
      break;
    }
  }
  return pairs;
}

std::optional<double> known_trip_count(std::string_view backend_config) {
  const std::size_t key = backend_config.find("known_trip_count");
  if (key == std::string_view::npos) return std::nullopt;
  const std::size_t digits = backend_config.find_first_of("0123456789", key);
  if (digits == std::string_view::npos) return std::nullopt;
  std::uint64_t count = 0;
  const auto [end, error] =
      std::from_chars(backend_config.data() + digits, backend_config.data() + backend_config.size(), count);
  return error == std::errc() ? std::optional(static_cast<double>(count)) : std::nullopt;
}

}  // namespace hone::hlo
