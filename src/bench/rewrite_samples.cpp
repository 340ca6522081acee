#include "bench/rewrite_samples.h"

#include <algorithm>

#include "base/child_process.h"
#include "base/error.h"
#include "base/progress.h"
#include "deliver/price_forecast.h"
#include "formats/onnx/read.h"
#include "formats/onnx/write.h"
#include "graph/clean/clean.h"
#include "graph/ir/structural_hash.h"
#include "graph/ops/infer.h"
#include "zoo/registry.h"

namespace hone {
namespace {

constexpr std::size_t kPairs = 8;
constexpr std::size_t kTimedAtOnce = 5;  // rewrites beside the original

/// Files of proposals, which runtimes read.
class SampleFiles {
 public:
  Candidate written(const Proposal& proposal) {
    const std::filesystem::path file = folder_.path() / fmt::format("{}.onnx", files_++);
    onnx::write(*proposal.model, file);
    Candidate made{.name = file.stem().string(), .model = *proposal.model, .file = file, .options = proposal.options};
    infer_types(made.model);
    return made;
  }

 private:
  TemporaryFolder folder_;
  std::size_t files_ = 0;
};

}  // namespace

std::vector<std::shared_ptr<const Runtime>> measured_runtimes() {
  std::vector<std::shared_ptr<const Runtime>> runtimes;
  if (usual_runtime()->available()) runtimes.push_back(usual_runtime());
  if (RuntimeKind::stand_in() != nullptr) runtimes.push_back(RuntimeKind::stand_in()->make(""));
  return runtimes;
}

Model cleaned_model(const std::string& name) {
  Model model = is_zoo_spec(name) ? build_zoo(name) : onnx::read(name);
  infer_types(model);
  clean(model);
  infer_types(model);
  return model;
}

std::vector<std::string> steps_of(const Proposal& proposal) {
  std::vector<std::string> names;
  for (const Step& step : proposal.steps)
    names.push_back(step.part == Part::model ? step.name.substr(step.name.find(' ') + 1) : step.name);
  return names;
}

std::vector<Proposal> rewrite_samples(const Proposal& start, std::span<const std::optional<Proposal>> wanted,
                                      const Runtime& runtime, Rng rng) {
  DecisionLog log;
  std::vector<Proposal> all;
  std::vector<std::pair<std::uint64_t, RuntimeOptions>> seen = {{structural_hash(start.model->graph), {}}};
  const auto add = [&](const std::optional<Proposal>& made) {
    if (!made) return;
    std::pair<std::uint64_t, RuntimeOptions> key = {structural_hash(made->model->graph), made->options};
    if (std::ranges::find(seen, key) != seen.end()) return;
    seen.push_back(std::move(key));
    all.push_back(*made);
  };
  for (const std::optional<Proposal>& each : wanted) add(each);
  const std::vector<Move> moves = priced_moves(*start.model, runtime, {});
  for (const Move& move : moves) add(made(move, start, log));
  const std::size_t singles = all.size();
  for (std::size_t i = 0; i < kPairs && singles > 1; ++i) {
    const Proposal first = all[rng.below(singles)];
    add(made(moves[rng.below(moves.size())], first, log));
  }
  return all;
}

MeasureOptions sample_measuring(std::shared_ptr<const Runtime> runtime, double seconds, std::uint64_t seed) {
  MeasureOptions measuring{.runtime = std::move(runtime), .tells_loading = false};
  measuring.interleave = {
      .warmup_seconds = seconds / 4, .seconds = seconds, .least_rounds = 10, .blocks = 4, .seed = seed};
  return measuring;
}

TimedSamples time_samples(const Proposal& start, std::span<const Proposal> rewrites, const MeasureOptions& measuring) {
  TimedSamples found;
  for (std::size_t at = 0; at < rewrites.size(); at += kTimedAtOnce) {
    show_progress(fmt::format("{}: {} of {} rewrites", start.model->source, at, rewrites.size()));
    const auto group = rewrites.subspan(at, std::min(kTimedAtOnce, rewrites.size() - at));
    SampleFiles files;
    std::vector<Candidate> models = {files.written(start)};
    for (const Proposal& each : group) models.push_back(files.written(each));
    const Measurement measured = measure_models(models, measuring);
    if (const std::string& failure = measured.models[0].failure; !failure.empty())
      fail("{}: does not run: {}", start.model->source, failure);
    found.seconds = measured.models[0].latency.median;
    for (std::size_t i = 0; i < group.size(); ++i)
      if (const auto& ratio = measured.models[i + 1].ratio) found.rewrites.push_back({group[i], *ratio});
  }
  return found;
}

}  // namespace hone
