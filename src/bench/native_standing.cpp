#include "bench/native_standing.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/child_process.h"
#include "deliver/delivery.h"
#include "formats/onnx/read.h"
#include "formats/onnx/write.h"
#include "graph/ops/infer.h"
#include "plan/simulate/simulator.h"
#include "run/measure/interleave.h"
#include "run/measure/pinning.h"
#include "run/measure/statistics.h"
#include "run/profile/group_profile.h"
#include "run/verify/inputs.h"

namespace hone {
namespace {

constexpr double kQuickDeliverySeconds = 10;

/// A model on a runtime, made anew for every block of rounds.
struct RunSubject : Subject {
  explicit RunSubject(std::unique_ptr<PreparedModel> made) : prepared(std::move(made)) {}
  void run() override { prepared->run(); }
  std::unique_ptr<PreparedModel> prepared;
};

SubjectMaker maker_of(const RuntimeHost& host, const ModelToRun& model, const RuntimeOptions& options,
                      const std::vector<Datum>& inputs) {
  return [&host, model, options, &inputs] {
    auto subject = std::make_unique<RunSubject>(host.prepare(model, options));
    subject->prepared->set_inputs(inputs);
    return subject;
  };
}

InterleavedSamples timed(std::span<const SubjectMaker> makers, const BenchOptions& options) {
  return interleave(makers, {.warmup_seconds = 0.1,
                             .seconds = options.quick ? 0.3 : 3,
                             .blocks = options.quick ? 1U : 4U,
                             .seed = options.seed});
}

Model typed_model(const std::filesystem::path& file) {
  Model model = onnx::read(file);
  infer_types(model);
  return model;
}

}  // namespace

double prediction_error(const std::filesystem::path& file, const BenchOptions& options) {
  const Model model = typed_model(file);
  const std::vector<Datum> inputs = given_inputs(model, {}, options.seed);
  const auto runtime = RuntimeKind::named("native").make("");
  auto profile = profile_groups(*runtime, model, {.options = {}, .inputs = inputs});
  if (!profile) fail("{}: has no groups to time", file.string());
  auto times = std::make_shared<KernelTimes>();
  add_times(*profile, *times);
  for (DeviceKind& kind : profile->problem.machine.kinds) kind.kernel_times = times;
  Simulator simulator(std::make_shared<SimulatorTables>(profile->problem.workload, profile->problem.machine));
  const double predicted = simulator.evaluate(profile->plan).seconds;
  const std::string measured = text_of_child([&] {
    pin_process(1);
    const auto host = runtime->start(1);
    const SubjectMaker makers[] = {maker_of(*host, {model, file}, {}, inputs)};
    const InterleavedSamples samples = timed(makers, options);
    return nlohmann::json(median(counted_seconds(samples, 0, Clock::cpu))).dump();
  });
  return std::fabs(predicted / nlohmann::json::parse(measured).get<double>() - 1);
}

double speedup_over_optimized(const std::filesystem::path& file, const BenchOptions& options) {
  const Model model = typed_model(file);
  DeliveryRequest request{.runtime = usual_runtime(), .seed = options.seed};
  request.make_static = [](Model& each) { infer_types(each); };
  if (options.quick) request.seconds = kQuickDeliverySeconds;
  const Delivery best = deliver(onnx::read(file), request);
  const TemporaryFolder folder;
  const std::filesystem::path optimized = folder.path() / "optimized.onnx";
  onnx::write(*best.chosen.model, optimized);
  const std::vector<Datum> inputs = given_inputs(model, {}, options.seed);
  const std::string speedup = text_of_child([&] {
    pin_process(1);
    const auto usual = usual_runtime()->start(1);
    const auto own = RuntimeKind::named("native").make("")->start(1);
    const SubjectMaker makers[] = {maker_of(*usual, {model, optimized}, best.chosen.options, inputs),
                                   maker_of(*own, {model, file}, {}, inputs)};
    const InterleavedSamples samples = timed(makers, options);
    return nlohmann::json(compare_subjects(samples, 0, 1, clock_for(samples, 1), options.seed).speedup()).dump();
  });
  return nlohmann::json::parse(speedup).get<double>();
}

}  // namespace hone
