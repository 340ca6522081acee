#include "learn/train/first_rule.h"

#include "learn/policy/gene_by_gene.h"

namespace hone::learn {
namespace {

template <class Seen>
void set(Safetensors& contents, Seen sight, float weight) {
  contents.arrays["head.bias"].values[static_cast<std::size_t>(sight)] = weight;
}

/// Little memory, copies and excess, in the order to lean on.
void set_rule_for_steps(Safetensors& contents, const Objective& objective) {
  set(contents, Sight::due, -4);
  if (objective.asks_for(Measure::memory)) {
    set(contents, Sight::made, -1);
    set(contents, Sight::copied, -2);
    set(contents, Sight::resident, -2);
    set(contents, Sight::freed, 1);
    set(contents, Sight::shared, 2);
    set(contents, Sight::excess, -2);
    set(contents, Sight::lead, -2);
    set(contents, Sight::recent, 1);
    contents.arrays["wait"].values[0] = -2;
  } else {
    set(contents, Sight::tail, 4);
    set(contents, Sight::duration, -5);
    contents.arrays["wait"].values[0] = -8;
  }
}

/// The order to lean on; devices as they come, but for slow ones where time counts.
void set_rule_for_genes(Safetensors& contents, const Objective& objective) {
  set(contents, GeneSight::due, -4);
  if (!objective.asks_for(Measure::memory)) set(contents, GeneSight::duration, -5);
}

}  // namespace

void set_first_rule(Safetensors& contents, Head head, const Objective& objective) {
  if (head == Head::independent) set_rule_for_genes(contents, objective);
  else set_rule_for_steps(contents, objective);
}

NetworkShape shape_of(const TrainingRequest& request) {
  return {.width = request.width,
          .rounds = request.rounds,
          .encoder = parse_encoder(request.encoder, "--encoder"),
          .head = parse_head(request.head, "--head")};
}

}  // namespace hone::learn
