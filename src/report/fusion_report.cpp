#include "report/fusion_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "plan/problem/group_contents.h"
#include "report/fitted.h"
#include "report/table.h"

namespace hone {
namespace {

constexpr std::size_t kMostBetween = 6;  // said one by one

/// `2.62 us`: what kernels take is mostly far below a millisecond.
std::string kernel_time(double seconds) {
  return seconds < 1e-3 ? fmt::format("{:.2f} us", seconds * 1e6) : in_milliseconds(seconds);
}

/// One explanation being told.
class FusionTale {
 public:
  FusionTale(const Problem& problem, const Plan& plan, const FusionExplanation& found)
      : problem_(problem), plan_(plan), found_(found), contents_(problem.workload, plan) {}

  std::string text() const {
    std::string text = fitted(home_of(found_.first) + "; " + home_of(found_.second) + ".");
    for (const SharedKernel& kernel : found_.shared) text += fitted(sharing(kernel));
    if (!found_.shared.empty()) return text;
    text += fitted("They are not together. " + distance());
    if (found_.way.empty()) return text;
    if (found_.changes.empty()) text += fitted(devices());
    for (const FusionChange& change : found_.changes) text += fitted(outcome(change));
    return text;
  }

  std::string name(OperationId operation) const { return problem_.workload.operation(operation).name; }
  std::string group_text(GroupId group) const {
    return fmt::format("group {} ({})", group.index(), contents_.text(group));
  }
  std::string reason(const FusionChange& change) const {
    std::string text = fmt::format("'{}' {}", name(change.culprit), text_of(change.refusal));
    if (change.between.valid())
      text += fmt::format(": the kernel would read '{0}', and '{0}' waits for the kernel", name(change.between));
    return text;
  }

 private:
  std::string home_of(OperationId operation) const {
    const GroupId group = plan_.group(operation);
    return fmt::format("'{}' runs in {} on {}", name(operation), group_text(group),
                       problem_.machine.device(plan_.device_of[group.index()]).name);
  }

  std::string sharing(const SharedKernel& kernel) const {
    std::string text = fmt::format("They are together in {}", group_text(kernel.group));
    const auto again = [&](OperationId operation) {
      text += fmt::format(", where '{}' is computed once more", name(operation));
    };
    if (kernel.has_copy_of_first) again(found_.first);
    if (kernel.has_copy_of_second) again(found_.second);
    return fmt::format(
        "{}. It takes {}, its {} operations as kernels of their own {}; {} are made in it that never cross memory.",
        text, kernel_time(kernel.seconds), contents_.instances(kernel.group).size(), kernel_time(kernel.seconds_apart),
        with_prefix(kernel.kept_bytes, "B"));
  }

  /// How far they are from one another.
  std::string distance() const {
    if (found_.way.empty())
      return "Neither needs what the other makes: they can share a kernel only where a third operation brings them "
             "together, which both read or which reads both.";
    if (found_.way.size() == 2) return fmt::format("'{}' reads '{}'.", name(found_.second), name(found_.first));
    std::vector<std::string> between;
    for (std::size_t i = 1; i + 1 < found_.way.size() && i <= kMostBetween; ++i)
      between.push_back(fmt::format("'{}'", name(found_.way[i])));
    const std::size_t more = found_.way.size() - 2 - between.size();
    return fmt::format(
        "On the way from one to the other {} {}{}. The kernel of '{}' begins at '{}', which reads '{}' of {}.",
        found_.way.size() == 3 ? "lies" : "lie", fmt::join(between, ", "),
        more == 0 ? "" : fmt::format(" and {} more", more), name(found_.second), name(found_.reader),
        name(found_.producer), group_text(plan_.group(found_.producer)));
  }

  std::string devices() const {
    return fmt::format("'{}' is on {}, the kernel on {}, and a kernel runs on one device.", name(found_.producer),
                       problem_.machine.device(plan_.device(found_.producer)).name,
                       problem_.machine.device(plan_.device(found_.second)).name);
  }

  std::string outcome(const FusionChange& change) const {
    const std::string way = change.way == FusionChange::Way::merged
                                ? fmt::format("Both kernels as one, groups {} and {}",
                                              plan_.group(found_.producer).index(), plan_.group(found_.second).index())
                                : fmt::format("'{}' computed by all that read it", name(found_.producer));
    if (change.refusal != Refusal::none) return fmt::format("{}: not possible, {}.", way, reason(change));
    return fmt::format("{}: possible, {}; {} now, {} then{}.", way, difference(change),
                       kernels(change.kernels_now, change.seconds_now),
                       kernels(change.kernels_then, change.seconds_then),
                       change.times_computed > 1
                           ? fmt::format(", and '{}' computed {} times", name(found_.producer), change.times_computed)
                           : "");
  }

  static std::string kernels(std::size_t count, double seconds) {
    return fmt::format("{} kernel{} of {}{}", count, count == 1 ? "" : "s", kernel_time(seconds),
                       count == 1 ? "" : " together");
  }
  static std::string difference(const FusionChange& change) {
    constexpr double kSaid = 5e-9;  // less is not seen in what is printed
    const double more = change.seconds_then - change.seconds_now;
    if (std::abs(more) < kSaid) return "but not faster";
    if (more > 0) return fmt::format("but slower by {}", kernel_time(more));
    return fmt::format("and faster by {}", kernel_time(-more));
  }

  const Problem& problem_;
  const Plan& plan_;
  const FusionExplanation& found_;
  GroupContents contents_;
};

}  // namespace

std::string fusion_text(const Problem& problem, const Plan& plan, const FusionExplanation& found) {
  return FusionTale(problem, plan, found).text();
}

nlohmann::ordered_json fusion_json(const Problem& problem, const Plan& plan, const FusionExplanation& found) {
  using Json = nlohmann::ordered_json;
  const FusionTale tale(problem, plan, found);
  Json object{{"first", tale.name(found.first)},
              {"second", tale.name(found.second)},
              {"together", !found.shared.empty()},
              {"group_of_first", plan.group(found.first).index()},
              {"group_of_second", plan.group(found.second).index()}};
  Json& way = object["way"] = Json::array();
  for (const OperationId operation : found.way) way.push_back(tale.name(operation));
  Json& shared = object["shared"] = Json::array();
  for (const SharedKernel& kernel : found.shared)
    shared.push_back({{"group", kernel.group.index()},
                      {"has_copy_of_first", kernel.has_copy_of_first},
                      {"has_copy_of_second", kernel.has_copy_of_second},
                      {"seconds", kernel.seconds},
                      {"seconds_apart", kernel.seconds_apart},
                      {"kept_bytes", kernel.kept_bytes}});
  Json& changes = object["changes"] = Json::array();
  for (const FusionChange& change : found.changes) {
    Json entry{{"way", change.way == FusionChange::Way::merged ? "merged" : "inlined"},
               {"possible", change.refusal == Refusal::none}};
    if (change.refusal != Refusal::none) entry["reason"] = tale.reason(change);
    else
      entry.update({{"kernels_now", change.kernels_now},
                    {"kernels_then", change.kernels_then},
                    {"seconds_now", change.seconds_now},
                    {"seconds_then", change.seconds_then},
                    {"times_computed", change.times_computed}});
    changes.push_back(std::move(entry));
  }
  return object;
}

}  // namespace hone
