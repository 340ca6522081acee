#include "learn/policy/gene_features.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace hone {
namespace {

/// What has happened when an operation has run, the reference order being run on one device.
struct Moment {
  double held = 0;                             // bytes while it runs, without weights and inputs
  double made = 0, resident = 0, seconds = 0;  // so far: bytes made, of weights and inputs read, time
};

/// The reference order, run through once.
class ReferenceRun {
 public:
  ReferenceRun(const GraphView& graph, std::span<const float> due) : graph_(graph), moments_(graph.operations()) {
    order_.resize(graph.operations());
    std::iota(order_.begin(), order_.end(), 0U);
    std::ranges::stable_sort(order_, {}, [&](std::uint32_t operation) { return due[operation]; });
    for (const GraphView::Buffer& buffer : graph.buffers()) unread_.push_back(buffer.readers);
    middle_.assign(unread_.size(), kUnseen);
    for (const std::uint32_t operation : order_) run(operation);
  }

  /// By operation its place among weights and inputs, from 0 to 1; that in the order where nothing reads any.
  std::vector<double> homes(std::span<const float> due) const {
    std::vector<double> homes(order_.size(), kUnseen);
    for (const std::uint32_t operation : order_) {
      homes[operation] = home_by_reads(operation);
      if (homes[operation] == kUnseen) homes[operation] = mean_home(graph_.before(operation), homes);
    }
    for (std::size_t i = order_.size(); i-- > 0;)
      if (double& home = homes[order_[i]]; home == kUnseen) home = mean_home(graph_.after(order_[i]), homes);
    for (std::size_t i = 0; i < homes.size(); ++i)
      if (homes[i] == kUnseen) homes[i] = due[i];
    return homes;
  }

  const Moment& after(std::size_t operation) const { return moments_[operation]; }
  const Moment& whole() const { return now_; }
  double peak_bytes() const { return peak_; }

 private:
  void run(std::uint32_t operation) {
    for (const std::uint32_t buffer : graph_.makes(operation)) {
      now_.held += graph_.buffers()[buffer].bytes;
      now_.made += graph_.buffers()[buffer].bytes;
    }
    for (const std::uint32_t buffer : graph_.reads(operation)) meet_resident(buffer);
    now_.seconds += graph_.least_seconds(operation);
    peak_ = std::max(peak_, now_.held);
    moments_[operation] = now_;
    for (const std::uint32_t buffer : graph_.reads(operation))
      if (--unread_[buffer] == 0) give_back(buffer);
  }
  void meet_resident(std::uint32_t buffer) {
    if (!graph_.buffers()[buffer].is_resident || middle_[buffer] != kUnseen) return;
    middle_[buffer] = now_.resident + graph_.buffers()[buffer].bytes / 2;
    now_.resident += graph_.buffers()[buffer].bytes;
  }
  void give_back(std::uint32_t buffer) {
    const GraphView::Buffer& own = graph_.buffers()[buffer];
    if (!own.is_output && !own.is_resident) now_.held -= own.bytes;
  }

  double home_by_reads(std::uint32_t operation) const {
    double sum = 0, bytes = 0;
    for (const std::uint32_t buffer : graph_.reads(operation)) {
      if (!graph_.buffers()[buffer].is_resident) continue;
      sum += middle_[buffer] * graph_.buffers()[buffer].bytes;
      bytes += graph_.buffers()[buffer].bytes;
    }
    return bytes > 0 ? sum / (bytes * now_.resident) : kUnseen;
  }
  static double mean_home(std::span<const std::uint32_t> operations, std::span<const double> homes) {
    double sum = 0, count = 0;
    for (const std::uint32_t operation : operations) {
      if (homes[operation] == kUnseen) continue;
      sum += homes[operation];
      ++count;
    }
    return count > 0 ? sum / count : kUnseen;
  }

  static constexpr double kUnseen = -1;

  const GraphView& graph_;
  std::vector<std::uint32_t> order_;
  std::vector<Moment> moments_;        // by operation
  std::vector<std::uint32_t> unread_;  // by buffer: reads to come
  std::vector<double> middle_;         // by buffer of weights and inputs: bytes of those before it and half of its own
  Moment now_;
  double peak_ = 0;
};

double share(double part, double whole) { return whole > 0 && std::isfinite(part / whole) ? part / whole : 0; }

}  // namespace

GeneFeatures gene_features_of(const GraphView& graph, std::span<const float> due) {
  Features base = features_of(graph, due);
  const ReferenceRun run(graph, due);
  const Moment& whole = run.whole();
  const std::vector<double> homes = run.homes(due);
  GeneFeatures features{.rows = {}, .edge_rows = std::move(base.edge_rows), .places = {}};
  features.weighted = static_cast<float>(2 * share(whole.resident, whole.resident + run.peak_bytes()) - 1);
  features.rows.reserve(graph.operations() * kGeneFeatures);
  for (std::size_t i = 0; i < graph.operations(); ++i) {
    const Moment& then = run.after(i);
    float last = due[i], first = due[i];
    for (const std::uint32_t reader : graph.after(i)) last = std::max(last, due[reader]);
    for (const std::uint32_t source : graph.before(i)) first = std::min(first, due[source]);
    const std::array<double, kLivenessFeatures> liveness = {share(then.held, run.peak_bytes()),
                                                            share(then.made, whole.made),
                                                            share(then.resident, whole.resident),
                                                            share(then.seconds, whole.seconds),
                                                            last - due[i],
                                                            due[i] - first,
                                                            std::sqrt(share(graph.made_bytes(i), run.peak_bytes())),
                                                            std::sqrt(share(graph.resident_bytes(i), whole.resident)),
                                                            share(whole.resident, whole.resident + run.peak_bytes()),
                                                            homes[i],
                                                            std::log1p(static_cast<double>(graph.operations())) / 10};
    const std::span<const float> row = base.row(i);
    features.rows.insert(features.rows.end(), row.begin(), row.end());
    for (const double value : liveness) features.rows.push_back(static_cast<float>(value));
    features.places.push_back(due[i] - 0.5F);
    features.places.push_back(static_cast<float>(homes[i]) - 0.5F);
  }
  return features;
}

}  // namespace hone
