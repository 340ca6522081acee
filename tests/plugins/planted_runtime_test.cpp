// A runtime in one file: the reference interpreter with planted times. It is measured and optimised for by its name, as
// any other is, and proves that nothing else of hone has to know a runtime.

#include <gtest/gtest.h>

#include <ctime>
#include <nlohmann/json.hpp>

#include "deliver/delivery.h"
#include "deliver/package.h"
#include "deliver/runtime_check.h"
#include "graph/clean/clean_case_test.h"
#include "run/measure/kernel_recording.h"
#include "run/profile/model_profile.h"
#include "run/reference/reference.h"

namespace hone {
namespace {

constexpr double kSlowSeconds = 2e-3, kFastSeconds = 0.5e-3;  // planted, of a run

struct PlantedParameters {
  std::int64_t wrong = 0;
  Parameters list() { return Parameters().add("wrong", &wrong, {0, 1}, "1: what is fast computes something else"); }
};

struct PlantedOptions {
  bool fast = false;
  friend bool operator==(const PlantedOptions&, const PlantedOptions&) = default;
};

/// Keeps the processor busy, so that it takes as long by its clock.
void spend(double seconds) {
  const auto now = [] {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  for (const double end = now() + seconds; now() < end;) continue;
}

class PlantedModel : public PreparedModel {
 public:
  PlantedModel(Model model, PlantedOptions options, PlantedParameters chosen)
      : model_(std::move(model)), options_(options), chosen_(chosen) {}
  void set_inputs(std::span<const Datum> inputs) override { inputs_.assign(inputs.begin(), inputs.end()); }
  void run() override { spend(options_.fast ? kFastSeconds : kSlowSeconds); }
  std::vector<Datum> outputs() override {
    std::vector<Datum> results = ReferenceInterpreter(model_).run(inputs_);
    if (options_.fast && chosen_.wrong != 0) {
      Tensor changed = Tensor::zeros(results[0].tensor().type(), results[0].tensor().dims());
      for (std::size_t i = 0; i < changed.count(); ++i) changed.set_number(i, 1e3);
      results[0] = changed;
    }
    return results;
  }

 private:
  Model model_;
  PlantedOptions options_;
  PlantedParameters chosen_;
  std::vector<Datum> inputs_;
};

class PlantedHost : public RuntimeHost {
 public:
  explicit PlantedHost(PlantedParameters chosen) : chosen_(chosen) {}
  std::unique_ptr<PreparedModel> prepare(const ModelToRun& model, const RuntimeOptions& options) const override {
    return std::make_unique<PlantedModel>(model.model, options.value_or(PlantedOptions()), chosen_);
  }
  std::unique_ptr<PreparedModel> prepare_as_written(Model model) const override {
    return std::make_unique<PlantedModel>(std::move(model), PlantedOptions(), chosen_);
  }

 private:
  PlantedParameters chosen_;
};

class PlantedRuntime : public Runtime {
 public:
  explicit PlantedRuntime(PlantedParameters chosen) : chosen_(chosen) {}
  std::string name() const override { return "planted"; }
  std::string title() const override { return "the planted runtime"; }
  std::string version() const override { return "7"; }
  ModelForm takes() const override { return ModelForm::graph; }
  std::unique_ptr<RuntimeHost> start(std::size_t) const override { return std::make_unique<PlantedHost>(chosen_); }
  std::vector<OptionMove> moves(const Model&, std::size_t, OptionRange) const override {
    return {{.name = "faster", .apply = [](const RuntimeOptions& from) -> std::optional<RuntimeOptions> {
               if (from.value_or(PlantedOptions()).fast) return std::nullopt;
               return RuntimeOptions::holding(PlantedOptions{.fast = true});
             }}};
  }
  std::vector<Baseline> baselines() const override { return {{.name = "planted, original", .options = {}}}; }
  nlohmann::ordered_json describe(const RuntimeOptions& options, std::size_t threads) const override {
    return {{"fast", options.value_or(PlantedOptions()).fast}, {"threads", threads}};
  }
  std::string snippet(const RuntimeOptions&, std::size_t, const std::string& model_file) const override {
    return "planted " + model_file;
  }

 private:
  PlantedParameters chosen_;
};

const RuntimeKind planted_kind = RuntimeKind::with_parameters<PlantedRuntime, PlantedParameters>(
    "planted", "the reference interpreter with planted times");

constexpr std::string_view kPlantedGraph = "g (float[2,3] x) => (y) { a = Exp(x) y = Neg(a) }";

DeliveryRequest planted_request(const std::string& spec) {
  DeliveryRequest request{.seconds = 30, .evaluations = 1, .runtime = RuntimeKind::make_by(spec)};
  request.make_static = [](Model& model) { infer_types(model); };
  return request;
}

bool has_step(const Delivery& delivery, std::string_view name) {
  return std::ranges::any_of(delivery.chosen.steps, [&](const Step& step) { return step.name == name; });
}

TEST(PlantedRuntimeTest, IsMeasuredByItsName) {
  const std::shared_ptr<const Runtime> runtime = RuntimeKind::make_by("planted");
  const Model model = typed_model(kPlantedGraph);
  const RuntimeOptions fast = *runtime->moves(model, 1, OptionRange::likely)[0].apply({});
  const std::vector<Candidate> candidates{{.name = "slow", .model = model, .file = {}},
                                          {.name = "fast", .model = model, .file = {}, .options = fast}};
  const Measurement measurement =
      measure_models(candidates, {.runtime = runtime, .interleave = {.warmup_seconds = 0.01, .seconds = 0.1}});
  EXPECT_EQ(measurement.runtime, "planted 7");
  ASSERT_EQ(measurement.models.size(), 2u);
  EXPECT_EQ(measurement.models[1].failure, "");
  ASSERT_TRUE(measurement.models[1].ratio);
  EXPECT_NEAR(measurement.models[1].ratio->ratio, kFastSeconds / kSlowSeconds, 0.15);
}

TEST(PlantedRuntimeTest, ItsOwnMoveIsFoundVerifiedAndDescribed) {
  const Model original = typed_model(kPlantedGraph);
  const DeliveryRequest request = planted_request("planted");
  const Delivery delivery = deliver(original, request);
  EXPECT_TRUE(has_step(delivery, "faster")) << decisions_json(delivery.log, Detail::everything).dump(1);
  EXPECT_TRUE(delivery.gain);
  ASSERT_TRUE(delivery.verified_on_runtime);
  EXPECT_TRUE(delivery.correct());
  EXPECT_EQ(delivery_json(delivery, request, original)["runtime_options"].dump(), R"({"fast":true,"threads":1})");
}

TEST(PlantedRuntimeTest, AMoveThatChangesResultsIsNotDelivered) {
  const Delivery delivery = deliver(typed_model(kPlantedGraph), planted_request("planted:wrong=1"));
  EXPECT_FALSE(has_step(delivery, "faster"));
  EXPECT_EQ(delivery.chosen.options, RuntimeOptions());
  const std::string log = decisions_json(delivery.log, Detail::everything).dump(1);
  EXPECT_NE(log.find("\"planted, original\",\n  \"outcome\": \"failed\""), std::string::npos) << log;
  EXPECT_FALSE(delivery.gain);
  EXPECT_TRUE(delivery.correct());
}

TEST(PlantedRuntimeTest, ItsOperatorsAreTimedAndItsKernelsAreNot) {
  const Model model = typed_model(kPlantedGraph);
  const std::shared_ptr<const Runtime> runtime = RuntimeKind::make_by("planted");
  const ModelProfile profile = profile_model(
      model, "", {.runtime = runtime, .effort = {.least_rounds = 2, .most_rounds = 2, .seconds = 0}, .known = {}});
  EXPECT_EQ(profile.context.runtime, "planted 7");
  EXPECT_EQ(profile.graph.nodes.size(), 2u);
  EXPECT_GE(profile.measured_seconds, 0.9 * kSlowSeconds);
  EXPECT_THROW(record_kernels({.name = "model", .model = model, .file = {}}, {.runtime = runtime, .interleave = {}}, 1),
               InputError);
}

TEST(RuntimeTest, OptionsOfDifferentKindsDiffer) {
  EXPECT_EQ(RuntimeOptions::holding(1), RuntimeOptions::holding(1));
  EXPECT_NE(RuntimeOptions::holding(1), RuntimeOptions::holding(2));
  EXPECT_NE(RuntimeOptions::holding(1), RuntimeOptions::holding(1.0));
  EXPECT_NE(RuntimeOptions::holding(1), RuntimeOptions());
}

TEST(RuntimeTest, EveryRuntimeSaysWhatItIsCalledAndHowToGetIt) {
  for (const RuntimeKind* kind : RuntimeKind::all()) {
    const std::unique_ptr<Runtime> runtime = kind->make("");
    EXPECT_EQ(runtime->name(), kind->name());
    EXPECT_FALSE(runtime->title().empty());
    EXPECT_TRUE(runtime->available() || !runtime->install_command().empty()) << kind->name();
  }
  EXPECT_THROW(RuntimeKind::named("nothing"), InputError);
}

TEST(RuntimeTest, TheReferenceInterpreterRunsLikeAnyOther) {
  const Model model = typed_model(kPlantedGraph);
  const std::vector<Datum> inputs{Tensor::of<float>({0, 0, 0, 0, 0, 0}, {2, 3})};
  const std::unique_ptr<RuntimeHost> host = RuntimeKind::make_by("reference")->start(1);
  std::vector<std::unique_ptr<PreparedModel>> both;
  both.push_back(host->prepare({model, {}}, {}));
  both.push_back(host->prepare_as_written(model));
  for (const auto& prepared : both) {
    prepared->set_inputs(inputs);
    EXPECT_EQ(prepared->outputs().at(0).tensor(), Tensor::of<float>({-1, -1, -1, -1, -1, -1}, {2, 3}));
  }
}

}  // namespace
}  // namespace hone
