#include "formats/source/size_guesses.h"

#include <algorithm>
#include <cctype>
#include <functional>

namespace hone {
namespace {

constexpr std::int64_t kLargest = 1 << 20;      // of a dim
constexpr std::int64_t kLargestTold = 1 << 26;  // which may be elements of a whole tensor
constexpr std::size_t kMostTold = 8;

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// A character with which a digit beside it is part of a name, not a size.
bool is_of_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '/'; }

std::string without_quotes(std::string_view text) {
  std::string kept;
  bool quoted = false;
  for (const char c : text) {
    if (c == '\'') quoted = !quoted;
    kept += quoted ? ' ' : c;
  }
  return kept;
}

/// Sizes in the order of finding, each once.
class DistinctSizes {
 public:
  explicit DistinctSizes(std::int64_t largest) : largest_(largest) {}
  void add(std::int64_t size) {
    if (size >= 1 && size <= largest_ && std::ranges::find(found_, size) == found_.end()) found_.push_back(size);
  }
  std::vector<std::int64_t> take() { return std::move(found_); }

 private:
  std::int64_t largest_;
  std::vector<std::int64_t> found_;
};

}  // namespace

std::string words_of(std::string_view refusal) {
  std::string words(refusal);
  std::erase_if(words, is_digit);
  return words;
}

std::vector<std::int64_t> sizes_told(std::string_view refusal) {
  const std::string text = without_quotes(refusal);
  DistinctSizes told(kLargestTold);
  std::int64_t product = 0;  // of the list that is open; 0 outside of one
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '[') product = 1;
    if (text[at] == ']') {
      told.add(product);
      product = 0;
    }
    if (!is_digit(text[at])) continue;
    const std::size_t begin = at;
    std::int64_t number = 0;
    for (; at < text.size() && is_digit(text[at]); ++at)
      number = std::min(10 * number + (text[at] - '0'), kLargestTold + 1);
    const bool of_name = (begin > 0 && is_of_name(text[begin - 1])) || (at < text.size() && is_of_name(text[at]));
    --at;
    if (of_name) continue;
    told.add(number);
    product = std::min(product * number, kLargestTold + 1);
  }
  std::vector<std::int64_t> sizes = told.take();
  if (sizes.size() > kMostTold) sizes.resize(kMostTold);
  std::ranges::sort(sizes, std::greater{});
  return sizes;
}

std::vector<std::int64_t> sizes_suggested(std::span<const std::int64_t> told, std::int64_t now) {
  DistinctSizes sizes(kLargest);
  for (const std::int64_t size : told)
    if (size > 1) sizes.add(size);
  for (const std::int64_t wanted : told)
    for (const std::int64_t found : told) {
      if (wanted == found) continue;
      sizes.add(now + wanted - found);
      sizes.add((now * wanted + found - 1) / found);
    }
  for (const std::int64_t size : told) sizes.add(size + 1);
  sizes.add(1);
  return sizes.take();
}

std::vector<std::int64_t> sizes_usual(std::int64_t now) {
  constexpr std::int64_t kMostPower = 4096;
  DistinctSizes sizes(kLargest);
  for (std::int64_t size = now / 2; size > 1; size /= 2) sizes.add(size);
  sizes.add(2 * now);
  for (std::int64_t size = 2; size <= kMostPower; size *= 2) sizes.add(size);
  sizes.add(3);
  sizes.add(1);
  return sizes.take();
}

}  // namespace hone
