#include "cli/runtime_arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace hone {

void RuntimeArguments::add_to(CLI::App& command, const std::string& unless_given, const std::string& also) {
  std::vector<std::string_view> names;
  for (const RuntimeKind* kind : RuntimeKind::all()) {
    names.push_back(kind->name());
    for (const ParameterOption& each : kind->options())
      command.add_option(std::string(each.option), values_[each.option], std::string(each.meaning))
          ->allow_extra_args(false);
  }
  if (!also.empty()) names.push_back(also);
  const std::string last(names.back());
  names.pop_back();
  command
      .add_option(
          "--runtime", spec_,
          fmt::format("What runs the models: {} or {} (default: {})", fmt::join(names, ", "), last, unless_given))
      ->type_name("NAME[:KEY=VALUE,...]");
}

bool RuntimeArguments::given() const {
  return !spec_.empty() || std::ranges::any_of(values_, [](const auto& each) { return !each.second.empty(); });
}

std::shared_ptr<const Runtime> RuntimeArguments::make() const {
  std::string spec = spec_.empty() ? std::string(RuntimeKind::usual().name()) : spec_;
  for (const ParameterOption& each : RuntimeKind::named(spec.substr(0, spec.find(':'))).options())
    if (const std::vector<std::string>& values = values_.at(each.option); !values.empty())
      spec += fmt::format("{}{}={}", spec.find(':') == std::string::npos ? ":" : ",", each.parameter,
                          fmt::join(values, ";"));
  return RuntimeKind::make_by(spec);
}

}  // namespace hone
