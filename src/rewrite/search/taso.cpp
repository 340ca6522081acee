#include <algorithm>
#include <queue>
#include <unordered_set>

#include "rewrite/search/method.h"

// Backtracking search of TASO (Jia et al., SOSP 2019): the cheapest graph of a queue is expanded, and what costs less
// than alpha times the best joins the queue. A queue entry here is a rewrite of a graph that exists; its graph is made
// when it is taken from the queue.

namespace hone {
namespace {

struct TasoParameters {
  double alpha = 1.05;
  std::int64_t budget = 100;
  double growth = 2;
  Parameters list() {
    return Parameters()
        .add("alpha", &alpha, {1, 10}, "how much worse than the best a graph may be to be followed")
        .add("budget", &budget, {1, 1e9}, "graphs to expand")
        .add("growth", &growth, {1, 100}, "how many times the nodes of the original a graph may have");
  }
};

struct Waiting {
  double seconds = 0;
  std::size_t number = 0;  // what was found first goes first
  StatePointer from;       // null for the start
  RewriteOption option;
  std::int64_t nodes = 0;

  friend bool operator<(const Waiting& a, const Waiting& b) {
    return a.seconds != b.seconds ? a.seconds > b.seconds : a.number > b.number;
  }
};

class Taso final : public RewriteMethod {
 public:
  explicit Taso(TasoParameters parameters) : parameters_(parameters) {}

  void run(RewriteSearch& search) override {
    const auto most_nodes =
        static_cast<std::int64_t>(parameters_.growth * static_cast<double>(search.start()->graph.node_count()));
    std::priority_queue<Waiting> queue;
    std::unordered_set<std::uint64_t> seen = {search.start()->hash};
    double best = search.start()->seconds;
    queue.push({.seconds = best,
                .number = 0,
                .from = nullptr,
                .option = {},
                .nodes = static_cast<std::int64_t>(search.start()->graph.node_count())});
    for (std::int64_t popped = 0; popped < parameters_.budget && !queue.empty() && !search.spent(); ++popped) {
      const Waiting next = queue.top();
      queue.pop();
      const StatePointer state = next.from ? search.take(next.from, next.option) : search.start();
      if (state->seconds > parameters_.alpha * best) return;  // and so are all behind it
      for (RewriteOption& option : search.expand(*state)) {
        const std::int64_t nodes = next.nodes + option.nodes;
        if (option.seconds >= parameters_.alpha * best || nodes >= most_nodes || !seen.insert(option.hash).second)
          continue;
        best = std::min(best, option.seconds);
        queue.push({.seconds = option.seconds,
                    .number = seen.size(),
                    .from = state,
                    .option = std::move(option),
                    .nodes = nodes});
      }
    }
    // The best may still be waiting; it stands first.
    if (!queue.empty() && queue.top().from && queue.top().seconds < search.least_sum())
      search.take(queue.top().from, queue.top().option);
  }

 private:
  TasoParameters parameters_;
};

const RewriteMethodKind taso_kind = RewriteMethodKind::with_parameters<Taso, TasoParameters>(
    "taso", "backtracking over the cheapest graphs, slightly worse ones included");

}  // namespace
}  // namespace hone
