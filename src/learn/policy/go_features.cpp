#include "learn/policy/go_features.h"

#include <algorithm>
#include <cmath>

namespace hone {
namespace {

constexpr std::size_t kMoments = 256;  // at which it is known how busy a device is

/// What the columns are made of: a plan carried out, or nothing.
class Sighting {
 public:
  Sighting(const GraphView& graph, const ListPoint* point)
      : graph_(graph), machine_(graph.problem().machine), point_(point), devices_(graph.devices()) {
    for (std::size_t i = 0; i < graph.operations(); ++i) work_ += graph.least_seconds(i);
    mean_seconds_ = std::max(1e-300, work_ / static_cast<double>(std::max<std::size_t>(1, graph.operations())));
    add_speeds();
    if (point_ != nullptr) add_business();
  }

  void add_seen(std::size_t operation, std::vector<float>& rows) const {
    if (point_ == nullptr) {
      rows.insert(rows.end(), kGoSeen, 0.0F);
      return;
    }
    const double total = point_->seconds, start = point_->starts[operation], finish = point_->finishes[operation];
    double ready = 0, wanted = total;
    for (const std::uint32_t before : graph_.before(operation)) ready = std::max(ready, point_->finishes[before]);
    for (const std::uint32_t after : graph_.after(operation)) wanted = std::min(wanted, point_->starts[after]);
    const std::size_t device = point_->device_of[operation].index();
    const double values[kGoSeen] = {1,
                                    start / total,
                                    std::log1p(std::max(0.0, start - ready) / mean_seconds_),
                                    std::log1p(std::max(0.0, wanted - finish) / mean_seconds_),
                                    1 - share_read_on(operation, device),
                                    1 - share_sent_to(operation, device),
                                    busy_[device] / total,
                                    graph_.critical_path() / total};
    for (const double value : values) rows.push_back(static_cast<float>(value));
  }

  void add_pair(std::size_t operation, std::size_t device, std::vector<float>& rows) const {
    const double least = std::max(graph_.least_seconds(operation), 1e-300);
    const double seconds = graph_.seconds(operation, device);
    double values[kGoPair] = {0, std::isfinite(seconds) ? std::log(std::max(seconds, 1e-300) / least) : 0,
                              speed_[device]};
    if (point_ != nullptr) {
      const double total = point_->seconds, start = point_->starts[operation];
      values[0] = point_->device_of[operation].index() == device ? 1 : 0;
      values[3] = share_read_on(operation, device);
      values[4] = share_sent_to(operation, device);
      values[5] = (busy_[device] - mean_busy_) / total;
      values[6] = 1 - taken_[device * kMoments + moment(start)];
      const Arrival arrival = arrival_on(operation, device);
      values[7] = std::log1p(arrival.moving / mean_seconds_);
      values[8] = std::clamp((arrival.seconds - start) / total * 10, -2.0, 2.0);
    }
    for (const double value : values) rows.push_back(static_cast<float>(value));
  }

  std::vector<float> overall(const GoHistory& history) const {
    const double total = point_ != nullptr ? point_->seconds : 0;
    double crossing = 0, bytes = 0;
    for (std::size_t i = 0; point_ != nullptr && i < graph_.operations(); ++i)
      for (std::size_t k = 0; k < graph_.before(i).size(); ++k) {
        const double moved = graph_.edge_bytes()[graph_.edges().first_into(i) + k];
        bytes += moved;
        if (point_->device_of[i] != point_->device_of[graph_.before(i)[k]]) crossing += moved;
      }
    const auto count = static_cast<double>(devices_);
    const double values[kGoOverall] = {point_ != nullptr ? 1.0 : 0.0,
                                       count / 8,
                                       total > 0 ? graph_.critical_path() / total : 0,
                                       total > 0 ? work_ / count / total : 0,
                                       bytes > 0 ? crossing / bytes : 0,
                                       std::log1p(static_cast<double>(history.passes)),
                                       std::log1p(static_cast<double>(graph_.operations())) / 10,
                                       std::log1p(work_ / std::max(graph_.critical_path(), 1e-300)) / 3,
                                       std::log1p(static_cast<double>(history.stalled)),
                                       history.direction == Direction::forward ? 1.0 : 0.0};
    return {values, values + kGoOverall};
  }

 private:
  struct Arrival {
    double seconds = 0;  // when all that is read would be there
    double moving = 0;   // seconds of transfers for that
  };

  /// Of the fastest device 1: by what all operations that it can run take.
  void add_speeds() {
    std::vector<double> spent(devices_);
    for (std::size_t i = 0; i < graph_.operations(); ++i)
      for (std::size_t device = 0; device < devices_; ++device) {
        const double seconds = graph_.seconds(i, device);
        spent[device] += std::isfinite(seconds) ? seconds : 10 * graph_.least_seconds(i);
      }
    const double fastest = std::max(1e-300, *std::ranges::min_element(spent));
    for (const double seconds : spent) speed_.push_back(fastest / std::max(seconds, fastest));
  }

  void add_business() {
    busy_.assign(devices_, 0);
    taken_.assign(devices_ * kMoments, 0);
    const double length = std::max(point_->seconds, 1e-300) / kMoments;
    for (std::size_t i = 0; i < graph_.operations(); ++i) {
      const std::size_t device = point_->device_of[i].index();
      const double start = point_->starts[i], finish = point_->finishes[i];
      busy_[device] += finish - start;
      for (std::size_t at = moment(start); at <= moment(finish); ++at) {
        const double begin = static_cast<double>(at) * length;
        taken_[device * kMoments + at] +=
            std::max(0.0, std::min(finish, begin + length) - std::max(start, begin)) / length;
      }
    }
    for (const double busy : busy_) mean_busy_ += busy / static_cast<double>(devices_);
  }

  std::size_t moment(double seconds) const {
    const double place = seconds / std::max(point_->seconds, 1e-300) * kMoments;
    return std::min(kMoments - 1, static_cast<std::size_t>(std::max(0.0, place)));
  }

  double share_read_on(std::size_t operation, std::size_t device) const {
    double here = 0, all = 0;
    for (std::size_t k = 0; k < graph_.before(operation).size(); ++k) {
      const double bytes = graph_.edge_bytes()[graph_.edges().first_into(operation) + k];
      all += bytes;
      if (point_->device_of[graph_.before(operation)[k]].index() == device) here += bytes;
    }
    return all > 0 ? here / all : 1;
  }

  double share_sent_to(std::size_t operation, std::size_t device) const {
    std::size_t here = 0;
    for (const std::uint32_t after : graph_.after(operation))
      if (point_->device_of[after].index() == device) ++here;
    const std::size_t all = graph_.after(operation).size();
    return all > 0 ? static_cast<double>(here) / static_cast<double>(all) : 1;
  }

  Arrival arrival_on(std::size_t operation, std::size_t device) const {
    Arrival arrival;
    for (std::size_t k = 0; k < graph_.before(operation).size(); ++k) {
      const std::uint32_t source = graph_.before(operation)[k];
      const std::size_t from = point_->device_of[source].index();
      double moving = 0;
      if (from != device) {
        const LinkId link = machine_.routes[from * devices_ + device];
        const double bytes = graph_.edge_bytes()[graph_.edges().first_into(operation) + k];
        if (link.valid() && bytes > 0) moving = machine_.link(link).seconds(bytes);
      }
      arrival.moving += moving;
      arrival.seconds = std::max(arrival.seconds, point_->finishes[source] + moving);
    }
    return arrival;
  }

  const GraphView& graph_;
  const Machine& machine_;
  const ListPoint* point_;
  std::size_t devices_;
  double work_ = 0, mean_seconds_ = 0, mean_busy_ = 0;
  std::vector<double> speed_, busy_;  // by device
  std::vector<double> taken_;         // by device * kMoments + moment: share of it
};

}  // namespace

Features go_features_of(const GraphView& graph) {
  std::vector<float> places(graph.operations());
  const auto count = static_cast<float>(std::max<std::size_t>(1, graph.operations()));
  for (std::size_t i = 0; i < graph.operations(); ++i) places[graph.sequence()[i]] = static_cast<float>(i) / count;
  return features_of(graph, places);
}

GoTasks GoTasks::of(const Task& task) {
  GoTasks tasks = none();
  for (const Site& site : task.sites()) {
    tasks.place = tasks.place || site.field == PlanField::device;
    tasks.schedule = tasks.schedule || site.field == PlanField::priority;
    tasks.fuse = tasks.fuse || site.field == PlanField::group;
  }
  return tasks;
}

GoSight go_sight_of(const GraphView& graph, const ListPoint* point, const GoHistory& history, const GoTasks& tasks) {
  const Sighting sighting(graph, point);
  GoSight sight{.seen = {}, .pairs = {}, .overall = sighting.overall(history)};
  if (!tasks.any()) return sight;
  sight.seen.reserve(graph.operations() * kGoSeen);
  if (tasks.place) sight.pairs.reserve(graph.operations() * graph.devices() * kGoPair);
  for (std::size_t i = 0; i < graph.operations(); ++i) {
    sighting.add_seen(i, sight.seen);
    for (std::size_t device = 0; tasks.place && device < graph.devices(); ++device)
      sighting.add_pair(i, device, sight.pairs);
  }
  return sight;
}

}  // namespace hone
