#pragma once

#include "rewrite/rules/match.h"

namespace hone {

/// Whether the node is one of the match's.
bool takes(const Match& match, NodeId node);

/// Whether the conditions that can be asked as soon as a step is done hold, so that looking on makes sense.
bool hold_early(const Match& match, const MatchStep& step);

/// Whether a match that has a node for every operation is one: types are known, inner values have no other readers,
/// attributes fit, conditions hold and the right side would close no cycle. Binds terms and rests on the way. `classes`
/// as for Matcher::visit_at.
bool completed_by_conditions(Match& match, const RuleSetting& setting, const ValueClasses* classes);

}  // namespace hone
