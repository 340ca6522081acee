#include "graph/ir/scope.h"

#include "base/error.h"

namespace hone {
namespace {

/// Every body in the attributes, in order; a reference to an attribute of a function has none yet.
template <class Visit>
void visit_bodies(const Attributes& attributes, Visit visit) {
  for (const Attribute& attribute : attributes) {
    if (const auto* body = std::get_if<SharedGraph>(&attribute.value); body != nullptr && *body != nullptr)
      visit(**body);
    if (const auto* bodies = std::get_if<std::vector<SharedGraph>>(&attribute.value))
      for (const SharedGraph& one : *bodies) visit(*one);
  }
}

}  // namespace

std::size_t capture_count(const Attributes& attributes) {
  std::size_t count = 0;
  visit_bodies(attributes, [&](const Graph& body) { count += body.captures().size(); });
  return count;
}

std::vector<HeldBody> bodies_of(const Attributes& attributes, std::span<const ValueId> captured) {
  std::vector<HeldBody> bodies;
  visit_bodies(attributes, [&](const Graph& body) {
    HONE_CHECK(captured.size() >= body.captures().size(), "body '{}' captures more than its node says", body.name);
    bodies.push_back({&body, captured.first(body.captures().size())});
    captured = captured.subspan(body.captures().size());
  });
  return bodies;
}

std::vector<std::string_view> scoped_names(const Graph& graph, std::span<const std::string_view> captured) {
  std::vector<std::string_view> names(graph.value_count());
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = graph.value(ValueId(i)).name;
  for (std::size_t i = 0; i < captured.size(); ++i) names[graph.captures()[i].index()] = captured[i];
  return names;
}

std::vector<std::string_view> scoped_names(const HeldBody& body, std::span<const std::string_view> outer) {
  std::vector<std::string_view> captured;
  for (const ValueId id : body.captured) captured.push_back(outer[id.index()]);
  return scoped_names(*body.graph, captured);
}

}  // namespace hone
