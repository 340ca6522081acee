#include "run/measure/kernel_profile.h"

#include "base/child_process.h"
#include "run/measure/pinning.h"
#include "run/measure/runtime_subject.h"

namespace hone {
namespace {

constexpr std::size_t kWarmups = 3;

}  // namespace

ort::RunProfile profile_kernels(const Candidate& candidate, const MeasureOptions& options, std::size_t runs) {
  if (options.runtime != RuntimeKind::onnxruntime) fail_usage("kernels are recorded on ONNX Runtime only");
  const TemporaryFolder folder;
  const std::string file = text_of_child([&] {
    if (options.pinned) pin_process(options.threads);
    const RuntimeHost host(options);
    ort::SessionOptions session_options = options.session;
    session_options.profile = folder.path() / "profile";
    ort::Session session(host.environment(), candidate.file, session_options);
    const ort::PreparedRun prepared(session, host.inputs_of(candidate));
    for (std::size_t i = 0; i < kWarmups + runs; ++i) prepared.run();
    return session.end_profiling().string();
  });
  ort::RunProfile profile = ort::read_profile(file);
  return ort::last_runs(std::move(profile), runs);
}

}  // namespace hone
