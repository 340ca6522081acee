#include "deliver/runtime_moves.h"

namespace hone {

std::vector<Move> runtime_moves(const Runtime& runtime, const Model& model, std::size_t threads, OptionRange range) {
  std::vector<Move> moves;
  for (const OptionMove& offered : runtime.moves(model, threads, range))
    moves.push_back({.kind = offered.kind == OptionKind::level ? Move::Kind::level : Move::Kind::option,
                     .name = offered.name,
                     .apply = [offered](const Proposal& from) -> std::optional<Proposal> {
                       const std::optional<RuntimeOptions> options = offered.apply(from.options);
                       if (!options) return std::nullopt;
                       Proposal to = from;
                       to.options = *options;
                       to.steps.push_back({.part = Part::runtime, .name = offered.name});
                       return to;
                     }});
  return moves;
}

}  // namespace hone
