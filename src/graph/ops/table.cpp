#include <unordered_map>

#include "graph/ops/family.h"
#include "graph/ops/op.h"

namespace hone {
namespace {

/// Families add themselves before main; the table is built on first use, after all of them are there.
std::vector<const OpFamily*>& families() {
  static std::vector<const OpFamily*> all;
  return all;
}

std::unordered_map<const OpName*, const OpEntry*> index_by_name() {
  std::unordered_map<const OpName*, const OpEntry*> index;
  for (const OpFamily* family : families()) {
    for (const OpEntry& entry : family->entries()) {
      const bool added = index.emplace(OpName::intern(entry.domain, entry.name), &entry).second;
      HONE_CHECK(added, "operator {} has two entries", entry.name);
    }
  }
  return index;
}

}  // namespace

OpFamily::OpFamily(std::vector<OpEntry> entries) : entries_(std::move(entries)) { families().push_back(this); }

const OpTable& OpTable::instance() {
  static const OpTable table;
  return table;
}

OpTable::OpTable() {
  for (const OpFamily* family : families())
    for (const OpEntry& entry : family->entries()) entries_.push_back(&entry);
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
