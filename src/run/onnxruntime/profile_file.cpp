#include "run/onnxruntime/profile_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text_file.h"

namespace hone::ort {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kKernelSuffix = "_kernel_time";

std::string text_at(const Json& object, const char* key) {
  const auto it = object.find(key);
  if (it == object.end()) return {};
  return it->is_string() ? it->get<std::string>() : it->dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Numbers stand as numbers or, among the arguments, as texts.
double number_at(const Json& object, const char* key) {
  const auto it = object.find(key);
  if (it == object.end()) return 0;
  if (it->is_number()) return it->get<double>();
  return it->is_string() ? std::strtod(it->get_ref<const std::string&>().c_str(), nullptr) : 0;
}

KernelEvent kernel_event(const Json& event, std::string_view name) {
  const auto found = event.find("args");
  const Json& args = found != event.end() && found->is_object() ? *found : Json::object();
  return {.node = std::string(name.substr(0, name.size() - kKernelSuffix.size())),
          .op = text_at(args, "op_name"),
          .provider = text_at(args, "provider"),
          .input_types = text_at(args, "input_type_shape"),
          .output_types = text_at(args, "output_type_shape"),
          .start_seconds = number_at(event, "ts") * 1e-6,
          .seconds = number_at(event, "dur") * 1e-6,
          .output_bytes = number_at(args, "output_size"),
          .parameter_bytes = number_at(args, "parameter_size")};
}

}  // namespace

KernelProfile parse_profile(std::string_view text, const std::string& source) {
  const Json events = Json::parse(text, nullptr, false);
  if (!events.is_array()) fail("{}: not a profile of ONNX Runtime", source);
  KernelProfile profile;
  for (const Json& event : events) {
    if (!event.is_object()) fail("{}: not a profile of ONNX Runtime", source);
    const std::string name = text_at(event, "name");
    if (name == "model_run") {
      profile.run_starts.push_back(number_at(event, "ts") * 1e-6);
      profile.run_seconds.push_back(number_at(event, "dur") * 1e-6);
    }
    if (text_at(event, "cat") == "Node" && name.ends_with(kKernelSuffix))
      profile.kernels.push_back(kernel_event(event, name));
  }
  std::ranges::stable_sort(profile.kernels, {}, &KernelEvent::start_seconds);
  return profile;
}

KernelProfile read_profile(const std::filesystem::path& file) {
  return parse_profile(read_text_file(file).text, file.string());
}

}  // namespace hone::ort
