#include "graph/ops/einsum_equation.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace hone {
namespace {

using Label = EinsumEquation::Label;
constexpr Label kEllipsis = 256;  // and more: the axes of an ellipsis, counted from the last

/// A term as written: letters before and after an optional ellipsis.
struct EinsumTerm {
  std::vector<Label> before, after;
  bool ellipsis = false;

  std::vector<Label> labels(std::size_t covered) const {
    std::vector<Label> all = before;
    for (std::size_t i = covered; i-- > 0;) all.push_back(kEllipsis + static_cast<Label>(i));
    all.insert(all.end(), after.begin(), after.end());
    return all;
  }
};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

EinsumTerm parse_term(const NodeReader& node, std::string_view text) {
  EinsumTerm term;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 3) == "..." && !term.ellipsis) {
      term.ellipsis = true;
      i += 2;
    } else if (is_letter(text[i])) {
      (term.ellipsis ? term.after : term.before).push_back(text[i]);
    } else {
      node.fail("the equation has a '{}' out of place", text[i]);
    }
  }
  return term;
}

/// Without an arrow the output has what the ellipses cover, then the letters that occur once, in order.
std::vector<Label> implicit_output(const std::vector<std::vector<Label>>& inputs, std::size_t covered) {
  std::map<Label, int> letters;
  for (const auto& labels : inputs)
    for (const Label label : labels)
      if (label < kEllipsis) ++letters[label];
  EinsumTerm term;
  for (const auto& [letter, count] : letters)
    if (count == 1) term.after.push_back(letter);
  return term.labels(covered);
}

}  // namespace

EinsumEquation einsum_equation(const NodeReader& node, std::span<const std::size_t> ranks) {
  std::string text = node.text("equation");
  std::erase(text, ' ');
  const std::size_t arrow = text.find("->");
  std::string_view left = std::string_view(text).substr(0, arrow);
  EinsumEquation equation;
  std::size_t widest = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const std::size_t comma = left.find(',');
    if ((comma == std::string_view::npos) != (i + 1 == ranks.size()))
      node.fail("the equation '{}' is not for {} inputs", text, ranks.size());
    const EinsumTerm term = parse_term(node, left.substr(0, comma));
    const std::size_t letters = term.before.size() + term.after.size();
    if (letters > ranks[i] || (letters < ranks[i] && !term.ellipsis))
      node.fail("the equation '{}' does not fit input {} of rank {}", text, i, ranks[i]);
    equation.inputs.push_back(term.labels(ranks[i] - letters));
    widest = std::max(widest, ranks[i] - letters);
    left.remove_prefix(comma == std::string_view::npos ? left.size() : comma + 1);
  }
  if (arrow == std::string::npos) {
    equation.output = implicit_output(equation.inputs, widest);
  } else {
    const EinsumTerm term = parse_term(node, std::string_view(text).substr(arrow + 2));
    equation.output = term.labels(term.ellipsis ? widest : 0);
  }
  return equation;
}

}  // namespace hone
