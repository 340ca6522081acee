#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/parameters.h"
#include "base/registered.h"

namespace hone {

/// Base of kinds of plug-ins that are made from the text behind the colon of a spec, as in `taso:alpha=1.05`, and from
/// `Inputs`, what every plug-in of the sort is made for. `Plugin` is what they make. Defining one at namespace scope
/// registers it.
template <class Kind, class Plugin, class... Inputs>
class PluginKind : public Registered<Kind> {
 public:
  using Make = std::function<std::unique_ptr<Plugin>(std::string_view, Inputs...)>;

  PluginKind(std::string_view name, std::string_view summary, Make factory, std::string help = "")
      : name_(name), summary_(summary), make_(std::move(factory)), help_(std::move(help)) {}

  /// The kind of a plug-in that is made from an aggregate of parameters with a `list()`, and the inputs.
  template <class Made, class Chosen>
  static Kind with_parameters(std::string_view name, std::string_view summary) {
    const auto make = [](std::string_view text, Inputs... inputs) -> std::unique_ptr<Plugin> {
      Chosen chosen;
      chosen.list().parse(text);
      return std::make_unique<Made>(chosen, std::forward<Inputs>(inputs)...);
    };
    return Kind(name, summary, make, Chosen().list().help());
  }

  /// The kind of a plug-in that leaves nothing to choose.
  template <class Made>
  static Kind without_parameters(std::string_view name, std::string_view summary) {
    const auto make = [](std::string_view text, Inputs... inputs) -> std::unique_ptr<Plugin> {
      Parameters().parse(text);
      return std::make_unique<Made>(std::forward<Inputs>(inputs)...);
    };
    return Kind(name, summary, make);
  }

  /// Makes one by `name` or `name:parameters`. Throws InputError (usage) for an unknown name or parameter.
  static std::unique_ptr<Plugin> make_by(std::string_view spec, Inputs... inputs) {
    const std::size_t colon = std::min(spec.find(':'), spec.size());
    const Kind& kind = Kind::named(spec.substr(0, colon));
    return kind.make(spec.substr(std::min(colon + 1, spec.size())), std::forward<Inputs>(inputs)...);
  }

  std::string_view name() const { return name_; }
  std::string_view summary() const { return summary_; }
  /// A line for every parameter.
  const std::string& help() const { return help_; }
  std::unique_ptr<Plugin> make(std::string_view parameters, Inputs... inputs) const {
    return make_(parameters, std::forward<Inputs>(inputs)...);
  }

 private:
  std::string_view name_, summary_;
  Make make_;
  std::string help_;
};

}  // namespace hone
