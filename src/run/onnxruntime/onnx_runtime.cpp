#include <nlohmann/json.hpp>

#include "base/child_process.h"
#include "base/parameters.h"
#include "formats/onnx/read.h"
#include "formats/onnx/write.h"
#include "run/onnxruntime/install.h"
#include "run/onnxruntime/moves.h"
#include "run/onnxruntime/plan_form.h"
#include "run/onnxruntime/profile_file.h"
#include "run/onnxruntime/session.h"
#include "run/runtime/runtime.h"

namespace hone::ort {
namespace {

constexpr std::size_t kWarmups = 3;

/// What the user may choose behind `onnxruntime:`.
struct OrtParameters {
  std::string library;
  std::string level = "all";
  std::string disable;

  Parameters list() {
    return Parameters()
        .add("library", &library, "file of its library; else HONE_ORT_LIB, `hone setup` or the system's")
        .add("level", &level, "how much it rewrites: none, basic, extended, layout or all")
        .add("disable", &disable, "optimisers to leave out, by its names for them: A;B");
  }

  /// Options of every session that is told nothing else.
  SessionOptions session() const {
    SessionOptions session{.level = level_named(level)};
    for (std::string_view rest = disable; !rest.empty();) {
      const std::size_t end = std::min(rest.find(';'), rest.size());
      if (end > 0) session.disabled_optimizers.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return session;
  }
};

class SessionModel : public PreparedModel {
 public:
  template <class Source>
  SessionModel(const Environment& environment, const Source& source, const SessionOptions& options)
      : session_(environment, source, options) {}
  void set_inputs(std::span<const Datum> inputs) override { prepared_.emplace(session_, inputs); }
  void run() override { prepared_->run(); }
  std::vector<Datum> outputs() override { return prepared_->outputs(); }

 private:
  Session session_;
  std::optional<PreparedRun> prepared_;
};

class OrtHost : public RuntimeHost {
 public:
  OrtHost(std::shared_ptr<const Library> library, std::size_t threads, SessionOptions defaults)
      : environment_(std::move(library), static_cast<int>(threads)), defaults_(std::move(defaults)) {}

  std::unique_ptr<PreparedModel> prepare(const ModelToRun& model, const RuntimeOptions& options) const override {
    return std::make_unique<SessionModel>(environment_, model.file, options.value_or(defaults_));
  }

  std::unique_ptr<PreparedModel> prepare_as_written(Model model) const override {
    return std::make_unique<SessionModel>(environment_, ModelBytes{onnx::encode(model)},
                                          SessionOptions{.level = OptimizationLevel::none, .shared_arena = true});
  }

  Model optimized(const ModelToRun& model) const override {
    const TemporaryFolder folder;
    SessionOptions options = defaults_;
    options.optimized_model = folder.path() / "optimized.onnx";
    { const Session saving(environment_, model.file, options); }
    return onnx::read(options.optimized_model);
  }

  std::optional<KernelProfile> record_kernels(const ModelToRun& model, const RuntimeOptions& options,
                                              std::span<const Datum> inputs, std::size_t runs) const override {
    const TemporaryFolder folder;
    SessionOptions session_options = options.value_or(defaults_);
    session_options.profile = folder.path() / "profile";
    Session session(environment_, model.file, session_options);
    const PreparedRun prepared(session, inputs);
    for (std::size_t i = 0; i < kWarmups + runs; ++i) prepared.run();
    return last_runs(read_profile(session.end_profiling()), runs);
  }

 private:
  Environment environment_;
  SessionOptions defaults_;
};

class OnnxRuntime : public Runtime {
 public:
  explicit OnnxRuntime(const OrtParameters& chosen) : library_(chosen.library), defaults_(chosen.session()) {}

  std::string name() const override { return "onnxruntime"; }
  std::string title() const override { return "ONNX Runtime"; }
  std::string version() const override { return Library::load(library_)->version(); }
  bool available() const override { return Library::available(library_); }
  std::string install_command() const override { return ort::install_command(); }
  std::string install() const override {
    const std::string installed = ort::install();
    return fmt::format("ONNX Runtime {} is in {}", installed, install_folder().string());
  }

  ModelForm takes() const override { return ModelForm::file; }
  std::unique_ptr<RuntimeHost> start(std::size_t threads) const override {
    return std::make_unique<OrtHost>(Library::load(library_), threads, defaults_);
  }

  std::vector<OptionMove> moves(const Model& model, std::size_t threads, OptionRange range) const override {
    std::vector<OptionMove> moves;
    for (const SessionChange& change : session_changes(model, threads, range))
      moves.push_back(
          {.name = change.name, .apply = [this, change](const RuntimeOptions& from) -> std::optional<RuntimeOptions> {
             SessionOptions session = from.value_or(defaults_);
             if (!change.apply(session)) return std::nullopt;
             return RuntimeOptions::holding(std::move(session));
           }});
    return moves;
  }

  /// Its own optimisers may change results, of quantised models for one, more than ours do.
  std::vector<Baseline> baselines() const override {
    return {{.name = "ONNX Runtime, original without its optimisers",
             .options = RuntimeOptions::holding(SessionOptions{.level = OptimizationLevel::none})},
            {.name = "ONNX Runtime, original with its optimisers", .options = {}}};
  }
  nlohmann::ordered_json describe(const RuntimeOptions& options, std::size_t threads) const override {
    return session_json(options.value_or(defaults_), threads);
  }
  std::string snippet(const RuntimeOptions& options, std::size_t threads,
                      const std::string& model_file) const override {
    return session_snippet(describe(options, threads), model_file);
  }
  const PlanForm* plan_form() const override { return &plan_form_; }

 private:
  std::string library_;
  SessionOptions defaults_;
  OrtPlanForm plan_form_;
};

std::unique_ptr<Runtime> make_onnx_runtime(std::string_view text) {
  OrtParameters chosen;
  chosen.list().parse(text);
  return std::make_unique<OnnxRuntime>(chosen);
}

const RuntimeKind onnx_runtime_kind(
    "onnxruntime", "ONNX Runtime, found or installed by `hone setup`", make_onnx_runtime, OrtParameters().list().help(),
    {.usual = true,
     .options = {
         {"--ort-lib", "library", "File of ONNX Runtime's library; else HONE_ORT_LIB, `hone setup` or the system's"},
         {"--level", "level", "How much ONNX Runtime rewrites: none, basic, extended, layout, all"},
         {"--disable-optimizer", "disable", "Leave out one of ONNX Runtime's optimisers"}}});

}  // namespace
}  // namespace hone::ort
