#include "deliver/rule_moves.h"

#include <map>

#include "graph/ops/infer.h"
#include "rewrite/rules/rule.h"
#include "rewrite/search/everywhere.h"

namespace hone {

std::vector<Move> rule_moves(const std::vector<std::string>& allowed) {
  std::vector<Move> moves;
  std::map<std::string, std::vector<const Rule*>> families;
  for (const Rule& rule : builtin_rules()) families[rule.family].push_back(&rule);
  for (const auto& family : families) {
    const std::string& name = family.first;
    const std::vector<const Rule*>& rules = family.second;
    moves.push_back({.kind = Move::Kind::model,
                     .name = "rules " + name,
                     .apply = [name, rules, allowed](const Proposal& from) -> std::optional<Proposal> {
                       Model model = *from.model;
                       infer_types(model);  // a file need not say the types of what lies between
                       const std::size_t sites = apply_everywhere(model, rules, allowed);
                       if (sites == 0) return std::nullopt;
                       Proposal to = from;
                       to.model = std::make_shared<const Model>(std::move(model));
                       to.steps.push_back({.part = Part::model, .name = "rules " + name, .sites = sites});
                       return to;
                     }});
  }
  return moves;
}

}  // namespace hone
