#include "report/kernel_trace.h"

#include <nlohmann/json.hpp>

#include "base/output_file.h"
#include "report/json_line.h"

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

/// A shape as it was recorded, as JSON again; as text when it is none.
Json recorded(const std::string& text) {
  Json value = Json::parse(text, nullptr, false);
  return value.is_discarded() ? Json(text) : value;
}

Json name_of_process(std::size_t process, const std::string& name) {
  return {{"ph", "M"}, {"name", "process_name"}, {"pid", process}, {"args", {{"name", name + " · measured"}}}};
}

Json slice(std::size_t process, const KernelEvent& event) {
  return {{"ph", "X"},
          {"name", event.node},
          {"cat", event.op},
          {"pid", process},
          {"tid", 0},
          {"ts", event.start_seconds * 1e6},
          {"dur", event.seconds * 1e6},
          {"args",
           {{"op_name", event.op},
            {"provider", event.provider},
            {"parameter_size", event.parameter_bytes},
            {"output_size", event.output_bytes},
            {"input_type_shape", recorded(event.input_types)},
            {"output_type_shape", recorded(event.output_types)}}}};
}

}  // namespace

void write_kernel_trace(const std::filesystem::path& path, const std::vector<NamedProfile>& profiles) {
  OutputFile file(path);
  file.write("{\"traceEvents\":[\n");
  std::string separator;
  const auto write = [&](const Json& event) {
    const std::string line = json_line(event);
    file.write(separator + line.substr(0, line.size() - 1));
    separator = ",\n";
  };
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    write(name_of_process(i + 1, profiles[i].name));
    for (const KernelEvent& event : profiles[i].profile.kernels) write(slice(i + 1, event));
  }
  file.write("\n],\"displayTimeUnit\":\"ns\"}\n");
  file.commit();
}

}  // namespace hone
