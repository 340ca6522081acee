#include <gtest/gtest.h>

#include <algorithm>

#include "graph/ops/op.h"

// What every entry of the op table promises, whatever family it is from.

namespace hone {
namespace {

std::string label(const OpEntry& entry) { return OpName::intern(entry.domain, entry.name)->text(); }

TEST(OpTableTest, VersionsAscend) {
  for (const OpEntry* entry : OpTable::instance().entries()) {
    ASSERT_FALSE(entry->versions.empty()) << label(*entry);
    EXPECT_TRUE(std::ranges::is_sorted(entry->versions, std::less_equal<>{})) << label(*entry);
    EXPECT_GE(entry->versions.front(), 1) << label(*entry);
  }
}

TEST(OpTableTest, EveryOperatorInfersTypes) {
  for (const OpEntry* entry : OpTable::instance().entries()) EXPECT_NE(entry->infer, nullptr) << label(*entry);
}

TEST(OpTableTest, AritiesAreRanges) {
  for (const OpEntry* entry : OpTable::instance().entries()) {
    EXPECT_LE(entry->inputs.min, entry->inputs.max) << label(*entry);
    EXPECT_LE(entry->outputs.min, entry->outputs.max) << label(*entry);
    EXPECT_GE(entry->outputs.max, 1u) << label(*entry);
  }
}

TEST(OpTableTest, NoVersionHasAnAttributeTwice) {
  for (const OpEntry* entry : OpTable::instance().entries())
    for (std::size_t i = 0; i < entry->attributes.size(); ++i)
      for (std::size_t k = 0; k < i; ++k) {
        const AttributeSpec &a = entry->attributes[i], &b = entry->attributes[k];
        EXPECT_TRUE(a.name != b.name || a.last < b.first || b.last < a.first) << label(*entry) << " " << a.name;
      }
}

TEST(OpTableTest, ViewsNameTheMemoryTheyShare) {
  for (const OpEntry* entry : OpTable::instance().entries()) {
    EXPECT_TRUE(entry->kind != OpKind::view || !entry->aliases.empty()) << label(*entry);
    for (const Alias& alias : entry->aliases) {
      EXPECT_LT(alias.input, entry->inputs.max) << label(*entry);
      EXPECT_LT(alias.output, entry->outputs.max) << label(*entry);
    }
  }
}

TEST(OpTableTest, InputsThatChangePlacesAreTwo) {
  for (const OpEntry* entry : OpTable::instance().entries())
    EXPECT_TRUE(!entry->commutative || (entry->inputs.min <= 2 && entry->inputs.max >= 2)) << label(*entry);
  EXPECT_TRUE(OpTable::instance().find(OpName::intern("", "Add"))->commutative);
  EXPECT_FALSE(OpTable::instance().find(OpName::intern("", "Sub"))->commutative);
}

TEST(OpTableTest, ViewsOfTheDefaultDomainCopy) {
  for (const OpEntry* entry : OpTable::instance().entries())
    EXPECT_TRUE(entry->kind != OpKind::view || !entry->domain.empty() || entry->degree == Degree::copy)
        << label(*entry);
}

TEST(OpTableTest, IsFoundByName) {
  for (const OpEntry* entry : OpTable::instance().entries())
    EXPECT_EQ(OpTable::instance().find(OpName::intern(entry->domain, entry->name)), entry) << label(*entry);
  EXPECT_EQ(OpTable::instance().find(OpName::intern("", "NoSuchOperator")), nullptr);
}

TEST(OpTableTest, CoversTheDefaultDomain) {
  const auto count =
      std::ranges::count_if(OpTable::instance().entries(), [](const OpEntry* entry) { return entry->domain.empty(); });
  EXPECT_GE(count, 170);
}

}  // namespace
}  // namespace hone
