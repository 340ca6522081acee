#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string_view>

#include "base/registered.h"

namespace hone {

/// What a command is about: a heading of the list of commands, in this order.
enum class Topic { models, plans, learning, records, tool };

/// The heading itself.
constexpr std::string_view title_of(Topic topic) {
  constexpr std::string_view kTitles[] = {"Models", "Plans and machines", "Policies and rules",
                                          "Records and benchmarks", "This tool"};
  return kTitles[static_cast<std::size_t>(topic)];
}

/// One command of the tool. Defining one at namespace scope registers it.
class Verb : public Registered<Verb> {
 public:
  static constexpr std::string_view kCalled = "command";
  /// Adds the verb's options to its command and returns what to do once they are parsed.
  using Setup = std::function<std::function<ExitCode()>(CLI::App&)>;

  Verb(std::string_view name, Topic topic, std::string_view summary, Setup setup)
      : name_(name), summary_(summary), topic_(topic), setup_(std::move(setup)) {}

  std::string_view name() const { return name_; }
  std::string_view summary() const { return summary_; }
  Topic topic() const { return topic_; }
  std::function<ExitCode()> setup(CLI::App& command) const { return setup_(command); }

 private:
  std::string_view name_, summary_;
  Topic topic_;
  Setup setup_;
};

}  // namespace hone
