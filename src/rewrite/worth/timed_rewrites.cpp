#include "rewrite/worth/timed_rewrites.h"

#include <algorithm>

namespace hone {

const TimeParts& parts_by(PartPrices prices, const TimedRewrite& rewrite) {
  return prices == PartPrices::timed ? rewrite.timed : rewrite.estimated;
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
