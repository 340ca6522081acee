#pragma once

#include <string_view>
#include <vector>

#include "rewrite/worth/price_lesson.h"
#include "run/profile/operator_timing.h"
#include "store/database/store.h"

namespace hone {

/// Records what a model taught under these conditions on the computer we run on, in the place of what it taught before;
/// `graph` is the original. Of so many models the last stay that reading them all takes no time worth speaking of.
void record_price_lesson(Store& store, const GraphRecord& graph, const ProfileContext& context,
                         const PriceLesson& lesson);

/// What models taught under exactly these conditions on the computer we run on, the last first; one graph can be left
/// out. Prices tell by themselves what is about others.
std::vector<PriceLesson> stored_price_lessons(Store& store, const ProfileContext& context,
                                              std::string_view except_graph = {});

}  // namespace hone
