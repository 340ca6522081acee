#include <algorithm>

#include "graph/ops/op.h"
#include "rewrite/proof/draft.h"

// Convolutions and pools.

namespace hone {
namespace {

/// A list of numbers from `low` to `high`: any, or (what is long, always) all `low` but for one place or for all alike.
DimList any_list(const Draft& draft, Choices& choices, std::size_t count, std::int64_t low, std::int64_t high) {
  DimList list(count, Dim(low));
  if (count == 0 || high <= low || choices.shortcut(2)) return list;
  if ((draft.scope.lists == Scope::Lists::any && count <= 2) || count == 1) {
    for (Dim& element : list) element = pick_between(choices, low, high);
    return list;
  }
  const std::size_t place = choices.pick(count + 2);  // nowhere, one of the places, everywhere
  if (place == 0) return list;
  const Dim value = pick_between(choices, low + 1, high);
  if (place == count + 1) list.assign(count, value);
  else list[place - 1] = value;
  return list;
}

void choose_window(Draft& draft, Choices& choices, std::size_t spatial) {
  for (const char* name : {"strides", "dilations"})
    if (draft.undecided(name)) draft.choose(name, any_list(draft, choices, spatial, 1, draft.scope.stride));
  if (draft.undecided("pads")) draft.choose("pads", any_list(draft, choices, 2 * spatial, 0, draft.scope.pad));
}

/// The axes of a kernel after its first two: as long as it is asked to be, else any.
Shape any_kernel(const Draft& draft, Choices& choices, Shape shape, std::size_t spatial) {
  DimList sizes;
  if (draft.wanted_rank(1) == spatial + 2) sizes.assign(draft.wanted[1]->begin() + 2, draft.wanted[1]->end());
  if (sizes.empty() || !std::ranges::all_of(sizes, &Dim::known))
    sizes = any_list(draft, choices, spatial, 1, draft.scope.kernel);
  for (const Dim size : sizes) shape.push_back(size);
  return shape;
}

/// How many axes the lists that are decided speak of; else any number.
std::size_t listed_axes(const Draft& draft, Choices& choices) {
  for (const char* name : {"kernel_shape", "strides", "dilations"})
    if (const auto count = draft.length(name)) return *count;
  if (const auto count = draft.length("pads")) return *count / 2;
  return 1 + choices.pick(draft.scope.spatial);
}

/// How many axes the window of a convolution moves over; 0 when what is decided leaves none.
std::size_t spatial_axes(const Draft& draft, Choices& choices) {
  const auto beyond_channels = [](std::size_t rank) { return rank < 3 ? 0 : rank - 2; };
  if (!draft.open(0)) return beyond_channels(draft.rank(0));
  if (!draft.open(1)) return beyond_channels(draft.rank(1));
  for (const std::size_t input : {1, 0})
    if (draft.wanted_rank(input)) return beyond_channels(*draft.wanted_rank(input));
  return listed_axes(draft, choices);
}

bool complete_convolution(Draft& draft, Choices& choices) {
  const bool transposed = draft.op->name == "ConvTranspose";
  const std::size_t spatial = spatial_axes(draft, choices);
  if (spatial == 0) return false;
  const auto decided = draft.integer("group");
  const bool one = !draft.undecided("group") || choices.shortcut(2);
  const std::int64_t group = decided ? *decided : one ? 1 : pick_between(choices, 1, draft.scope.group);
  draft.choose("group", Dim(group));
  if (draft.open(0)) {
    const Dim channels = draft.open(1) ? Dim(pick_between(choices, 1, 2)) * Dim(group)
                                       : (transposed ? draft.shape(1)[0] : draft.shape(1)[1] * Dim(group));
    draft.set(0, draft.any_image(channels, spatial, choices));
  }
  const Dim channels = draft.shape(0)[1];
  if (!channels.known() || group <= 0 || channels.value() % group != 0) return false;
  if (draft.open(1)) {
    const Dim made = draft.any_size(choices);
    draft.set(1,
              any_kernel(draft, choices,
                         transposed ? Shape{channels, made} : Shape{made * Dim(group), Dim(channels.value() / group)},
                         spatial));
  }
  if (draft.open(2)) draft.set(2, {transposed ? draft.shape(1)[1] * Dim(group) : draft.shape(1)[0]});
  choose_window(draft, choices, spatial);
  if (transposed) draft.choose("output_padding", DimList(spatial, Dim(0)));
  return true;
}

bool complete_pool(Draft& draft, Choices& choices) {
  if (draft.open(0)) {
    const std::size_t spatial = listed_axes(draft, choices);
    draft.set(0, draft.any_image(Dim(pick_between(choices, 1, 2)), spatial, choices));
  }
  if (draft.rank(0) < 3) return false;
  const std::size_t spatial = draft.rank(0) - 2;
  if (draft.undecided("kernel_shape"))
    draft.choose("kernel_shape", any_list(draft, choices, spatial, 1, draft.scope.kernel));
  if (draft.undecided("ceil_mode")) draft.choose("ceil_mode", number(choices.pick(2)));
  if (draft.op->name == "AveragePool" && draft.undecided("count_include_pad"))
    draft.choose("count_include_pad", number(choices.pick(2)));
  choose_window(draft, choices, spatial);
  return true;
}

bool complete_global_pool(Draft& draft, Choices& choices) {
  if (draft.open(0))
    draft.set(0, draft.any_image(draft.any_size(choices), 1 + choices.pick(draft.scope.spatial), choices));
  return true;
}

bool complete_pad(Draft& draft, Choices& choices) {
  if (const auto decided = draft.length("pads"); decided && draft.open(0))
    draft.set(0, draft.any_shape(0, choices, *decided / 2, *decided / 2));
  if (draft.open(0))
    draft.set(0, choices.shortcut(2) ? draft.any_image(draft.any_size(choices), 1 + choices.pick(2), choices)
                                     : draft.any_shape(0, choices, 1, std::max<std::size_t>(3, draft.scope.rank)));
  const std::size_t rank = draft.rank(0);
  if (draft.undecided("pads")) {
    DimList pads(2 * rank, Dim(0));
    if (choices.shortcut(2) && rank > 2)
      for (std::size_t i = 0; i < 2 * rank; ++i) pads[i] = i % rank < 2 ? Dim(0) : number(choices.pick(3));
    else pads = any_list(draft, choices, 2 * rank, 0, draft.scope.pad);
    draft.choose("pads", pads);
  }
  if (draft.undecided("mode")) {
    constexpr const char* kModes[] = {"constant", "reflect", "edge"};
    draft.choose("mode", std::string(kModes[choices.shortcut(2) ? 0 : choices.pick(3)]));
  }
  if (draft.undecided("value")) draft.choose("value", choices.pick(2) == 0 ? 0.0 : 1.0);
  return true;
}

constexpr NamedCompletion kWindowCompletions[] = {
    {"Conv", complete_convolution},
    {"ConvTranspose", complete_convolution},
    {"MaxPool", complete_pool},
    {"AveragePool", complete_pool},
    {"LpPool", complete_pool},
    {"GlobalAveragePool", complete_global_pool},
    {"GlobalMaxPool", complete_global_pool},
    {"Pad", complete_pad},
};

}  // namespace

std::span<const NamedCompletion> window_completions() { return kWindowCompletions; }

}  // namespace hone
