#include "rewrite/worth/timed_rewrites.h"

#include <algorithm>

#include "rewrite/worth/node_sort.h"

namespace hone {
namespace {

/// What an operator of the runtime's own is by the sort of its work, where its name says nothing.
TimePart part_of_work(std::string_view sort) {
  constexpr std::pair<std::string_view, TimePart> kParts[] = {
      {"pointwise", TimePart::arithmetic},  {"reduction", TimePart::reduction},
      {"matmul", TimePart::weight_product}, {"convolution", TimePart::spatial_convolution},
      {"movement", TimePart::transpose},    {"view", TimePart::view}};
  const auto* found = std::ranges::find(kParts, sort, [](const auto& each) { return each.first; });
  return found == std::end(kParts) ? TimePart::other : found->second;
}

TimePart part_of(const KernelSum& kernels) {
  const std::size_t dot = kernels.op.rfind('.');
  const bool is_own = dot != std::string::npos;
  const OpName* op =
      is_own ? OpName::intern(kernels.op.substr(0, dot), kernels.op.substr(dot + 1)) : OpName::intern("", kernels.op);
  const TimePart part = sort_of_operator(op);
  return part == TimePart::other ? part_of_work(kernels.sort) : part;
}

}  // namespace

TimeParts parts_of_kernels(std::span<const KernelSum> kernels, double frame_seconds) {
  TimeParts parts;
  parts[TimePart::other] = frame_seconds;
  for (const KernelSum& each : kernels) {
    parts[part_of(each)] += each.seconds;
    parts[TimePart::kernels] += kKernelSeconds * each.count;
  }
  return parts;
}

TimeParts parts_by(PartPrices prices, const TimedRewrite& rewrite) {
  if (prices == PartPrices::estimated) return rewrite.estimated;
  if (prices == PartPrices::timed || rewrite.executed.empty()) return rewrite.timed;
  return parts_of_kernels(rewrite.executed, rewrite.frame_seconds);
}

MeasuredRewrites examples_of(const TimedRewrites& timed, PartPrices prices) {
  const auto example = [&](const TimedRewrite& rewrite) {
    return MeasuredRewrite{.parts = parts_by(prices, rewrite),
                           .seconds = (rewrite.seconds + rewrite.again_seconds) / 2};
  };
  MeasuredRewrites examples{.name = timed.model, .start = example(timed.start), .rewrites = {}};
  std::ranges::transform(timed.rewrites, std::back_inserter(examples.rewrites), example);
  return examples;
}

std::string rules_towards(const RewriteState& state) {
  std::vector<std::string> names;
  for (const RewriteState* each = &state; each->before; each = each->before.get())
    if (each->rule != nullptr && std::ranges::find(names, each->rule->name) == names.end())
      names.push_back(each->rule->name);
  std::string text;
  for (auto name = names.rbegin(); name != names.rend(); ++name) text += (text.empty() ? "" : ", ") + *name;
  return text;
}

}  // namespace hone
