#include "cli/examples.h"

namespace hone {
namespace {

constexpr char kBeforePurpose = '\t';  // in the command's footer
constexpr char kAfterExample = '\n';

}  // namespace

void add_examples(CLI::App& command, std::initializer_list<Example> examples) {
  std::string footer;
  for (const Example& example : examples) footer += example.line + kBeforePurpose + example.purpose + kAfterExample;
  command.footer(footer);
}

std::vector<Example> examples_of(const CLI::App& command) {
  std::vector<Example> examples;
  for (const std::string& text : CLI::detail::split(command.get_footer(), kAfterExample)) {
    const std::size_t between = text.find(kBeforePurpose);
    if (between != std::string::npos) examples.push_back({text.substr(0, between), text.substr(between + 1)});
  }
  return examples;
}

}  // namespace hone
