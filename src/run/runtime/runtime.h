#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/plugin_kind.h"
#include "graph/ir/model.h"
#include "graph/ops/datum.h"
#include "run/runtime/kernel_profile.h"
#include "run/runtime/options.h"
#include "run/runtime/plan_form.h"

namespace hone {

/// A model as a runtime is given it; the types of `model` must be static.
struct ModelToRun {
  const Model& model;
  std::filesystem::path file;  // that holds the same, with dims as dynamic as they are; may be empty for one in memory
};

/// What a runtime reads of a model to run.
enum class ModelForm { file, graph };

/// A model made ready to run again and again.
class PreparedModel {
 public:
  virtual ~PreparedModel() = default;
  /// The inputs of all runs to come: one datum an input in order, an empty one for an input that keeps its default.
  virtual void set_inputs(std::span<const Datum> inputs) = 0;
  /// Runs once and drops what comes out; this is what gets timed.
  virtual void run() = 0;
  /// Runs once and returns one datum an output.
  virtual std::vector<Datum> outputs() = 0;
  /// What of the model is not run as it was meant to be, and why, in sentences.
  virtual std::vector<std::string> notes() const { return {}; }
  /// Bytes that it keeps and works in: constants as they were packed, and memory for what is in between. 0 where it
  /// does not tell.
  virtual std::size_t held_bytes() const { return 0; }
  /// Operators that run by their definition for want of anything better, one entry a node.
  virtual std::vector<std::string> by_definition() const { return {}; }
};

/// A runtime at work in this process, with all that its models share. A process has one at a time, and it outlives the
/// models it made ready. What fails on a model throws InputError.
class RuntimeHost {
 public:
  virtual ~RuntimeHost() = default;

  /// The model must outlive what is returned.
  virtual std::unique_ptr<PreparedModel> prepare(const ModelToRun& model, const RuntimeOptions& options) const = 0;
  /// Makes a model in memory ready to run node by node as it is written, whatever the runtime would make of it else.
  virtual std::unique_ptr<PreparedModel> prepare_as_written(Model model) const = 0;
  /// What the runtime itself makes of a model before it runs it; the types need not be known.
  virtual Model optimized(const ModelToRun& model) const { return model.model; }

  /// Records the kernels of so many runs, after a few that warm up. Nothing where the runtime cannot.
  virtual std::optional<KernelProfile> record_kernels(const ModelToRun& model, const RuntimeOptions& options,
                                                      std::span<const Datum> inputs, std::size_t runs) const;
  /// Runs a model with each of several options in turn, so many times, always once before what is timed. Seconds by
  /// group of the plan that it runs by, medians, for each of the options; nothing for those where the runtime obeys no
  /// plans or the model runs by none.
  virtual std::vector<std::vector<double>> time_groups(const ModelToRun& model, std::span<const RuntimeOptions> options,
                                                       std::span<const Datum> inputs, std::size_t runs) const;
};

/// What a change of options acts on.
enum class OptionKind {
  single,  // one option
  level,   // a level of the runtime's own optimisers, which decides what all other changes are worth
};

/// A change of a runtime's options that may make a model faster.
struct OptionMove {
  std::string name;
  OptionKind kind = OptionKind::single;
  std::function<std::optional<RuntimeOptions>(const RuntimeOptions&)> apply;  // nothing where nothing would change
};

/// Which changes of options to try.
enum class OptionRange {
  likely,  // those that have been seen to pay on some model
  all,
};

/// A way to run an original that results of a changed model have to agree with.
struct Baseline {
  std::string name;  // `original without its optimisers`
  RuntimeOptions options;
};

/// Something that runs models. Making one is cheap and never fails for want of what it needs: that is told by
/// `available`, and by an InputError (backend missing) that names the command to install it from what cannot do
/// without.
class Runtime {
 public:
  virtual ~Runtime() = default;

  /// What the user types.
  virtual std::string name() const = 0;
  /// What it is called in sentences.
  virtual std::string title() const = 0;
  /// Of what is installed; empty where that is part of hone.
  virtual std::string version() const { return {}; }
  /// Name and version, which timings hold for.
  std::string label() const;

  virtual bool available() const { return true; }
  /// The command that installs it; empty where there is nothing to install.
  virtual std::string install_command() const { return {}; }
  /// Installs it and says in a sentence what is where now.
  virtual std::string install() const;

  virtual ModelForm takes() const = 0;
  /// How many of the threads offered it uses.
  virtual std::size_t threads_used(std::size_t offered) const { return offered; }
  /// Begins work in this process.
  virtual std::unique_ptr<RuntimeHost> start(std::size_t threads) const = 0;

  /// Changes of options that could make this model faster with so many threads.
  virtual std::vector<OptionMove> moves(const Model& model, std::size_t threads, OptionRange range) const;
  /// What results of a changed model are compared with; to agree with one of them is enough. None where the runtime
  /// computes by definition.
  virtual std::vector<Baseline> baselines() const { return {}; }
  /// Options under the runtime's own names for them.
  virtual nlohmann::ordered_json describe(const RuntimeOptions& options, std::size_t threads) const;
  /// Lines of a program that run a model file with these options; empty where there is no such program.
  virtual std::string snippet(const RuntimeOptions& options, std::size_t threads, const std::string& model_file) const;

  /// How it takes a plan; null where it takes none.
  virtual const PlanForm* plan_form() const { return nullptr; }

  /// The machine of which it obeys plan files; empty where it obeys none.
  virtual std::string plan_machine() const { return {}; }
  /// These options, with which a model runs by a plan file for it or for what `RuntimeHost::optimized` makes of it;
  /// types must be static. Throws InputError for a plan of another graph (exit code 3), one that is not valid, and
  /// where the runtime obeys none (2).
  virtual RuntimeOptions by_plan(const Model& model, const std::filesystem::path& plan,
                                 const RuntimeOptions& options) const;
  /// The text of the plan file by which a model runs with these options; empty where the runtime obeys none.
  virtual std::string plan_of(const Model& model, const RuntimeOptions& options) const;
};

/// An option of commands that stands for a parameter of a runtime, such as `library`.
struct ParameterOption {
  std::string_view option, parameter, meaning;
};

/// One kind of runtime, under the name the user types.
class RuntimeKind : public PluginKind<RuntimeKind, Runtime> {
 public:
  static constexpr std::string_view kCalled = "runtime";

  /// What commands know of a kind besides its name.
  struct Standing {
    bool usual = false;                    // meant where the user names no runtime; one kind is
    bool stands_in = false;                // for the usual one where that is not installed
    std::vector<ParameterOption> options;  // of all commands that take a runtime
  };
  using PluginKind::PluginKind;
  RuntimeKind(std::string_view name, std::string_view summary, Make make, std::string help, Standing standing)
      : PluginKind(name, summary, std::move(make), std::move(help)), standing_(std::move(standing)) {}

  /// The kind that is meant where the user names none.
  static const RuntimeKind& usual();
  /// The kind that stands in for it; null where none was built.
  static const RuntimeKind* stand_in();

  const std::vector<ParameterOption>& options() const { return standing_.options; }

 private:
  Standing standing_;
};

/// The runtime that is meant where the user names none.
std::shared_ptr<const Runtime> usual_runtime();
/// What measures where the user names none: the usual runtime or, where that is not installed, what stands in for it.
/// Null where neither is there.
std::shared_ptr<const Runtime> measuring_runtime();

}  // namespace hone
