#include "base/version.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/examples.h"
#include "cli/verb.h"
#include "report/json_line.h"

namespace hone {
namespace {

std::function<ExitCode()> setup_version(CLI::App& command) {
  auto json = std::make_shared<bool>(false);
  command.add_flag("--json", *json, "One JSON object instead of text");
  add_examples(command, {{"hone version", "for a report of a fault"}, {"hone version --json", "for a program"}});
  return [json] {
    const BuildDescription& build = build_description();
    if (*json)
      fmt::print("{}", json_line(nlohmann::ordered_json{{"version", version()},
                                                        {"commit", commit()},
                                                        {"build", build.type},
                                                        {"compiler", build.compiler},
                                                        {"libraries", build.libraries}}));
    else
      fmt::print("hone {}\ncommit {}\nbuild {}, {}\nlibraries {}\n", version(), commit(), build.type, build.compiler,
                 fmt::join(build.libraries, ", "));
    return ExitCode::done;
  };
}

const Verb version_verb("version", Topic::tool, "Version, commit, compiler and libraries of this hone", setup_version);

}  // namespace
}  // namespace hone
