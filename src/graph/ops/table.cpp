#include <unordered_map>

#include "graph/ops/family.h"
#include "graph/ops/op.h"

namespace hone {
namespace {

/// Built on first use, after all families have added themselves.
std::unordered_map<const OpName*, const OpEntry*> index_by_name() {
  std::unordered_map<const OpName*, const OpEntry*> index;
  for (const OpEntry* entry : OpFamily::all_entries()) {
    const bool added = index.emplace(OpName::intern(entry->domain, entry->name), entry).second;
    HONE_CHECK(added, "operator {} has two entries", entry->name);
  }
  return index;
}

}  // namespace

const OpTable& OpTable::instance() {
  static const OpTable table;
  return table;
}

OpTable::OpTable() : entries_(OpFamily::all_entries()) {
  std::sort(entries_.begin(), entries_.end(), [](const OpEntry* a, const OpEntry* b) {
    return std::pair(a->domain, a->name) < std::pair(b->domain, b->name);
  });
}

const OpEntry* OpTable::find(const OpName* op) const {
  static const auto index = index_by_name();
  const auto it = index.find(op);
  return it == index.end() ? nullptr : it->second;
}

}  // namespace hone
