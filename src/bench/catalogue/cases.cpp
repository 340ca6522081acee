#include <deque>
#include <nlohmann/json.hpp>

#include "bench/catalogue/bench_case.h"
#include "bench/catalogue/case_file.h"

namespace hone {
namespace {

const BenchCase programmed_cases[] = {
    {"advantage", "Kernels searched by learned advantages against random search, on graphs of the zoo and in --data"},
    {"advantage-native", "The same with times of groups measured on hone's own executor, winners raced (--models DIR)"},
    {"advantage-validation", "The same on the families by which everything about it was chosen"},
    {"brkga", "Speed of the genetic algorithm against a straightforward one"},
    {"conformance", "ONNX's backend tests: lossless reading and writing, published outputs"},
    {"core", "Reading, inferring and writing by size; memory by size of weights (--models DIR)"},
    {"doppler", "Graphs of DOPPLER in --data, placed by the rules of its simulator"},
    {"encode", "Speed of graph layers: three layers of GraphSAGE, 128 wide, and pooling of neighbours"},
    {"extraction", "Saturated e-graphs in --data: what is chosen from them against the proved optimum"},
    {"faults", "Faults put into models: does the tolerance by rounding refuse them (--models DIR)"},
    {"fiddle", "Throughput and latency of DNN splits in --data against published methods"},
    {"foreign", "All sets of public problem instances in --data against their best known results"},
    {"fusion", "Which operations share a kernel: rules and searches on graphs of the zoo and XLA modules in --data"},
    {"go-joint",
     "Kernels, devices and order one by one, in sequence and jointly, at equal evaluations (--data: XLA modules)"},
    {"go-placement",
     "GO's table of placements: experts, classical methods, prior learned placers, GO (--data: XLA modules)"},
    {"hlo", "XLA modules in --data: reading, round trips, reordering, costs, simulation"},
    {"memory", "Buffers with lifetimes in --data: laid out within their capacity"},
    {"optimize", "What `hone optimize` gains over ONNX Runtime with all optimisations (--models DIR)"},
    {"order", "XLA modules in --data: the order of work that takes least memory on one device"},
    {"native", "Hone's own executor beside the usual runtime, on one thread and on two (--models DIR)"},
    {"native-conformance", "ONNX's backend tests on hone's own executor: equal to the reference, and what has no code"},
    {"native-memory", "Memory and allocations of hone's own executor, of the zoo's models or of files (--models DIR)"},
    {"native-fusion", "Plans of kernels on hone's own executor: simulated and measured, and what each lever is worth"},
    {"planning",
     "Learned planning against the best of all other methods, on graphs of test families (--data: XLA modules)"},
    {"planning-validation", "The same on the families by which variants are chosen (--data: XLA modules)"},
    {"predict", "Latency predicted from timings of operators, each model from the others (--models DIR)"},
    {"regal", "The search `guided` and its policy against the genetic algorithm it guides, on graphs it has not seen"},
    {"rewrite", "Graph rewriting by all methods: cost, measured time, search time and memory"},
    {"rewrite-cost",
     "Rewrites of many models measured, and ranked by models of whole graphs fitted without each (--models DIR)"},
    {"rewrite-gain", "What families of rules bring to networks that are drawn: measured, to learn from (--db)"},
    {"rewrite-shapes", "Prices of rewrites corrected at one size of a model, at its other sizes"},
    {"rewrite-decision", "How long a policy of rewriting takes for one decision, by nodes and candidates"},
    {"selftest", "Whether measuring sees no difference where there is none, and 3 % where it is planted"},
    {"sharding", "Sharding problems in --data against the best of the ASPLOS 2025 contest"},
    {"simulate", "Speed of the simulator, and its agreement with the oracle"},
    {"stg", "Standard task graphs in --data: schedules against known optima"},
    {"time-to-peak",
     "How soon plans take no more memory than those of 1,200 generations, on test families (--data: XLA modules)"},
    {"store", "Eight processes write to a store (--db, else a file) and are killed one by one"},
    {"xrlflow", "Learned rewriting beside classical methods and measured choice (--models DIR, --data: policies)"},
};

/// Every file of bench/cases/ is a case by its name.
class CasesOfFiles {
 public:
  CasesOfFiles() {
    for (const CaseFile& file : case_files()) {
      const std::string& summary = summaries_.emplace_back(nlohmann::json::parse(file.text).at("summary"));
      cases_.emplace_back(file.name, summary);
    }
  }

 private:
  std::deque<std::string> summaries_;
  std::deque<BenchCase> cases_;
};

const CasesOfFiles cases_of_files;

}  // namespace
}  // namespace hone
