#pragma once

#include "run/profile/model_profile.h"
#include "store/database/store.h"

namespace hone {

/// The timings of node configurations that a store has for exactly these conditions on the computer we run on.
ProfileTable stored_profiles(Store& store, const ProfileContext& context);

/// The models that were profiled as a whole under exactly these conditions, other than the one given: what the
/// correction from sums of nodes to whole models is learnt from.
std::vector<MeasuredGraph> stored_graphs(Store& store, const ProfileContext& context, const Model& except);

/// Records the timings of a model's nodes that are not in `known`, and the time of the whole.
void record_profile(Store& store, const std::string& name, const Model& model, const ModelProfile& profile,
                    const ProfileTable& known);

/// Records timings of nodes that were met while a graph was rewritten.
void record_timings(Store& store, const GraphRecord& graph, const ProfileTable& timings);

}  // namespace hone
