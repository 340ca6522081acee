#include "run/runtime/runtime.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace hone {

std::optional<KernelProfile> RuntimeHost::record_kernels(const ModelToRun&, const RuntimeOptions&,
                                                         std::span<const Datum>, std::size_t) const {
  return std::nullopt;
}

std::vector<std::vector<double>> RuntimeHost::time_groups(const ModelToRun&, std::span<const RuntimeOptions> options,
                                                          std::span<const Datum>, std::size_t) const {
  return std::vector<std::vector<double>>(options.size());
}

std::string Runtime::label() const {
  const std::string installed = version();
  return installed.empty() ? name() : name() + " " + installed;
}

std::string Runtime::install() const { fail_usage("'{}' is part of hone, there is nothing to install", name()); }

std::vector<OptionMove> Runtime::moves(const Model&, std::size_t, OptionRange) const { return {}; }

nlohmann::ordered_json Runtime::describe(const RuntimeOptions&, std::size_t) const {
  return nlohmann::ordered_json::object();
}

std::string Runtime::snippet(const RuntimeOptions&, std::size_t, const std::string&) const { return {}; }

RuntimeOptions Runtime::by_plan(const Model&, const std::filesystem::path&, const RuntimeOptions&) const {
  fail_usage("{} obeys no plan file; `hone plan --plan FILE --emit KIND=PATH` writes a plan for others", title());
}

std::string Runtime::plan_of(const Model&, const RuntimeOptions&) const { return {}; }

const RuntimeKind& RuntimeKind::usual() {
  const std::vector<const RuntimeKind*> kinds = all();
  const auto found = std::ranges::find_if(kinds, [](const RuntimeKind* kind) { return kind->standing_.usual; });
  HONE_CHECK(found != kinds.end(), "no runtime is the usual one");
  return **found;
}

const RuntimeKind* RuntimeKind::stand_in() {
  const std::vector<const RuntimeKind*> kinds = all();
  const auto found = std::ranges::find_if(kinds, [](const RuntimeKind* kind) { return kind->standing_.stands_in; });
  return found == kinds.end() ? nullptr : *found;
}

std::shared_ptr<const Runtime> usual_runtime() { return RuntimeKind::usual().make(""); }

std::shared_ptr<const Runtime> measuring_runtime() {
  std::shared_ptr<const Runtime> usual = usual_runtime();
  if (usual->available()) return usual;
  const RuntimeKind* stand_in = RuntimeKind::stand_in();
  return stand_in != nullptr ? stand_in->make("") : nullptr;
}

}  // namespace hone
