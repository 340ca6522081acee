#include <exception>
#include <map>
#include <thread>

#include "base/error.h"
#include "base/thread_pool.h"
#include "base/timer.h"
#include "bench/bench_run.h"
#include "bench/fault.h"
#include "bench/model_files.h"
#include "deliver/rule_moves.h"
#include "formats/onnx/read.h"
#include "graph/clean/clean.h"
#include "graph/ops/infer.h"
#include "run/reference/reference.h"
#include "run/verify/equivalence.h"
#include "run/verify/inputs.h"
#include "run/verify/rounding_study.h"
#include "zoo/registry.h"

// Whether the tolerance by rounding can be believed: faults are put into models of the zoo and of --models, and a fixed
// tolerance and the one by rounding judge the same results. None may be accepted that the fixed one refuses. Families
// of rules, which make no faults, are judged likewise.

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kAllFaults = 500, kQuickFaults = 30;
constexpr std::size_t kMostDraws = 12;  // for a fault that runs and keeps the shapes of outputs

/// Small enough to run by definition many times.
constexpr std::string_view kFaultyZoo[] = {
    "bert:length=16,layers=2,hidden=32,heads=2,feed_forward=64,vocabulary=50",
    "squeezenet:resolution=32,classes=10",
    "mamba:length=8,layers=2,hidden=16,states=4,vocabulary=20",
    "gpt2:length=16,layers=2,hidden=32,heads=2,positions=16,vocabulary=50",
    "llama:length=12,layers=2,hidden=32,heads=4,kv_heads=2,feed_forward=48,vocabulary=40",
    "vit:resolution=32,patch=16,layers=2,hidden=32,heads=2,feed_forward=64,classes=10",
    "resnet18:resolution=32,classes=10",
    "mobilenet-v2:resolution=32,classes=10",
    "unet:resolution=16,width=4,depth=2",
    "transformer-xl:length=4,memory=3,layers=2,hidden=16,heads=2,feed_forward=32,vocabulary=20",
    "wavenet:length=20,stacks=2,layers=3,channels=4,skip_channels=6,levels=8",
    "gnmt:length=4,layers=4,hidden=8,vocabulary=12",
    "graphnets:nodes=5,edges=9,features=3,hidden=8,rounds=2,outputs=2",
    "vit:resolution=32,patch=16,layers=2,hidden=32,heads=2,feed_forward=64,classes=10,dtype=float16",
    "gpt2:length=16,layers=2,hidden=32,heads=2,positions=16,vocabulary=50,dtype=bfloat16",
    "resnet18:resolution=32,classes=10,dtype=float16"};
constexpr std::size_t kQuickZoo = 3;

/// How often two checks agreed on something, and how not.
struct Agreement {
  std::size_t refused = 0, accepted = 0, accepted_only_by_rounding = 0, refused_only_by_rounding = 0;

  void count(bool fixed, bool rounding) {
    if (fixed == rounding) ++(fixed ? accepted : refused);
    else ++(rounding ? accepted_only_by_rounding : refused_only_by_rounding);
  }
  void add(const Agreement& more) {
    refused += more.refused;
    accepted += more.accepted;
    accepted_only_by_rounding += more.accepted_only_by_rounding;
    refused_only_by_rounding += more.refused_only_by_rounding;
  }
  std::size_t all() const { return refused + accepted + accepted_only_by_rounding + refused_only_by_rounding; }
};

/// An original with everything that candidates are judged by.
class FaultTrial {
 public:
  FaultTrial(std::string name, Model model, std::uint64_t seed)
      : name_(std::move(name)), model_(std::move(model)), inputs_(random_inputs(model_, seed)), seed_(seed) {
    infer_types(model_);
    results_ = ReferenceInterpreter(model_, seed).run(inputs_);
    study_ = study_rounding(model_, {&inputs_, 1}, seed);
    if (!study_.obstacle.empty()) fmt::print(stderr, "{}: fixed tolerance, as {}\n", name_, study_.obstacle);
  }

  const std::string& name() const { return name_; }
  const Model& model() const { return model_; }

  /// What a candidate gives; nothing where it does not run or the shape of an output changes.
  std::optional<std::vector<Datum>> results_of(Model& candidate) const {
    try {
      infer_types(candidate);
      std::vector<Datum> found = ReferenceInterpreter(candidate, seed_).run(inputs_);
      for (std::size_t i = 0; i < found.size(); ++i)
        if (found[i].is_tensor() && !(found[i].tensor().dims() == results_[i].tensor().dims())) return std::nullopt;
      return found;
    } catch (const InputError&) {
      return std::nullopt;
    }
  }

  /// Lets both checks judge a candidate that gave these results.
  void judge(const Model& candidate, const std::vector<Datum>& found, const std::string& what,
             Agreement& agreement) const {
    bool fixed = true;
    for (std::size_t i = 0; i < found.size(); ++i) fixed = fixed && compare(found[i], results_[i]).within;
    const auto exactly = [&](std::span<const Datum> inputs) {
      return ReferenceInterpreter(candidate, seed_, Precision::doubled).run(inputs);
    };
    const Equivalence rounding =
        check_equivalence(RunnableModel{model_, [&](std::span<const Datum>) { return results_; }},
                          RunnableModel{candidate, [&](std::span<const Datum>) { return found; }, exactly},
                          {.seed = seed_, .random_inputs = 1, .files = {}, .tolerance = {}}, study_.movements);
    agreement.count(fixed, rounding.equal);
    const bool surprises = what.starts_with("rules ") && !rounding.equal;
    if (fixed == rounding.equal && !surprises) return;
    fmt::print(stderr, "{}, {}: {}{} by rounding{}{}; {}\n", name_, what, rounding.equal ? "accepted" : "refused",
               fixed == rounding.equal ? "" : " only", rounding.equal ? "" : ": ", rounding.reason,
               tolerance_text(rounding));
  }

 private:
  std::string name_;
  Model model_;
  std::vector<Datum> inputs_;
  std::uint64_t seed_;
  std::vector<Datum> results_;
  RoundingStudy study_;
};

/// The models, each built when its turn comes.
std::vector<std::function<FaultTrial()>> trials(const BenchOptions& options) {
  std::vector<std::function<FaultTrial()>> all;
  const std::size_t zoo = options.quick ? kQuickZoo : std::size(kFaultyZoo);
  for (const std::string_view spec : std::span(kFaultyZoo).first(zoo)) {
    const std::string name = fmt::format("zoo:{}", spec);
    if (name.find(options.filter) == std::string::npos) continue;
    all.emplace_back([=] { return FaultTrial(name, build_zoo(fmt::format("{},weights=seeded", spec)), options.seed); });
  }
  if (options.models.empty()) return all;
  for (const std::filesystem::path& file : model_files(options))
    all.emplace_back([=] { return FaultTrial(file.stem().string(), onnx::read(file), options.seed); });
  return all;
}

using Agreements = std::map<std::string, Agreement>;

/// Puts one fault into a model, of the kind whose turn it is or of the next that has a place.
void try_fault(const FaultTrial& trial, std::size_t turn, Rng rng, Agreements& agreements) {
  for (std::size_t draw = 0; draw < kMostDraws * std::size(kFaultKinds); ++draw) {
    const FaultKind kind = kFaultKinds[(turn + draw / kMostDraws) % std::size(kFaultKinds)];
    std::optional<Fault> fault = inject(trial.model(), kind, rng.split(draw));
    if (!fault) continue;
    const auto found = trial.results_of(fault->model);
    if (!found) continue;
    trial.judge(fault->model, *found, fmt::format("{}: {}", name_of(kind), fault->what),
                agreements[std::string(name_of(kind))]);
    return;
  }
}

/// Families of rules, applied wherever they match, are no faults.
void try_rules(const FaultTrial& trial, Agreements& agreements) {
  const Proposal start{.model = std::make_shared<const Model>(trial.model()), .options = {}, .steps = {}};
  for (const Move& move : rule_moves({})) {
    const std::optional<Proposal> proposal = move.apply(start);
    if (!proposal) continue;
    Model model = *proposal->model;
    if (const auto found = trial.results_of(model))
      trial.judge(model, *found, move.name, agreements["no fault: rules"]);
  }
}

Agreements joined(std::span<const Agreements> by_model) {
  Agreements all;
  for (const Agreements& some : by_model)
    for (const auto& [kind, each] : some) all[kind].add(each);
  return all;
}

BenchReport report_of(const Agreements& agreements) {
  BenchReport report;
  Agreement faults;
  for (const auto& [kind, each] : agreements) {
    report.rows.push_back({{"kind", kind},
                           {"tried", each.all()},
                           {"refused", each.refused},
                           {"accepted", each.accepted},
                           {"only rounding accepts", each.accepted_only_by_rounding},
                           {"only rounding refuses", each.refused_only_by_rounding}});
    if (kind.starts_with("no fault")) continue;
    faults.refused += each.all();
    faults.accepted_only_by_rounding += each.accepted_only_by_rounding;
  }
  report.summary["faults"] = faults.refused;
  report.summary["accepted_only_by_rounding"] = faults.accepted_only_by_rounding;
  return report;
}

BenchReport run_faults(const BenchOptions& options) {
  const auto makers = trials(options);
  if (makers.empty()) fail_usage("no model's name contains '{}'", options.filter);
  const std::size_t total = options.quick ? kQuickFaults : kAllFaults;
  const Rng rng(options.seed);
  std::vector<Agreements> by_model(makers.size());
  std::vector<std::exception_ptr> failures(makers.size());
  ThreadPool(std::max(1U, std::thread::hardware_concurrency()))
      .for_each(makers.size(), [&](std::size_t, std::size_t i) {
        try {
          const Timer timer;
          const FaultTrial trial = makers[i]();
          for (std::size_t turn = total * i / makers.size(); turn < total * (i + 1) / makers.size(); ++turn)
            try_fault(trial, turn, rng.split(turn), by_model[i]);
          try_rules(trial, by_model[i]);
          fmt::print(stderr, "{}: {:.1f} s\n", trial.name(), timer.seconds());
        } catch (...) {
          failures[i] = std::current_exception();
        }
      });
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
  return report_of(joined(by_model));
}

const BenchRun faults("faults", run_faults);

}  // namespace
}  // namespace hone
