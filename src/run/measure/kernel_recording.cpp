#include "run/measure/kernel_recording.h"

#include <nlohmann/json.hpp>

#include "base/child_process.h"
#include "run/measure/pinning.h"

namespace hone {
namespace {

/// What the child hands over.
std::string text_of(const KernelProfile& profile) {
  nlohmann::json kernels = nlohmann::json::array();
  for (const KernelEvent& each : profile.kernels)
    kernels.push_back({each.node, each.op, each.provider, each.input_types, each.output_types, each.start_seconds,
                       each.seconds, each.output_bytes, each.parameter_bytes});
  return nlohmann::json{{"kernels", kernels}, {"starts", profile.run_starts}, {"seconds", profile.run_seconds}}.dump(
      -1, ' ', false, nlohmann::json::error_handler_t::replace);
}

KernelProfile profile_in(const std::string& text) {
  const nlohmann::json object = nlohmann::json::parse(text);
  KernelProfile profile{.kernels = {}, .run_starts = object["starts"], .run_seconds = object["seconds"]};
  for (const nlohmann::json& each : object["kernels"])
    profile.kernels.push_back({.node = each[0],
                               .op = each[1],
                               .provider = each[2],
                               .input_types = each[3],
                               .output_types = each[4],
                               .start_seconds = each[5],
                               .seconds = each[6],
                               .output_bytes = each[7],
                               .parameter_bytes = each[8]});
  return profile;
}

}  // namespace

KernelProfile record_kernels(const Candidate& candidate, const MeasureOptions& options, std::size_t runs) {
  return profile_in(text_of_child([&] {
    if (options.pinned) pin_process(options.threads);
    const std::unique_ptr<RuntimeHost> host = options.runtime->start(options.threads);
    const std::optional<KernelProfile> profile =
        host->record_kernels({candidate.model, candidate.file}, candidate.options, inputs_of(candidate, options), runs);
    if (!profile) fail_usage("{} does not record its kernels", options.runtime->title());
    return text_of(*profile);
  }));
}

}  // namespace hone
