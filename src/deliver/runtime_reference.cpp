#include "deliver/runtime_reference.h"

#include "base/error.h"
#include "formats/onnx/write.h"

namespace hone {

RuntimeReference::RuntimeReference(std::shared_ptr<const Runtime> runtime, const Model& original,
                                   EquivalenceOptions options, std::function<Model(const Model&)> made_static)
    : runtime_(std::move(runtime)),
      options_(std::move(options)),
      made_static_(std::move(made_static)),
      original_(made_static_(original)),
      original_file_(folder_.path() / "original.onnx") {
  onnx::write(original, original_file_);
}

Equivalence RuntimeReference::compare(const Model& candidate) const {
  try {
    const Model fixed = made_static_(candidate);
    const std::filesystem::path file = folder_.path() / "candidate.onnx";
    onnx::write(candidate, file);
    std::vector<Baseline> baselines = runtime_->baselines();
    if (baselines.empty()) baselines.emplace_back();
    Equivalence found;
    for (const Baseline& baseline : baselines) {
      found =
          check_on_runtime({{original_, original_file_}, baseline.options}, {{fixed, file}, {}}, options_, *runtime_);
      if (found.equal) break;
    }
    return found;
  } catch (const InputError& error) {
    return {.equal = false, .reason = error.what(), .outputs = {}, .inputs_tried = 0};
  }
}

}  // namespace hone
