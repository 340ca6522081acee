#include "graph/ops/evaluate.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

Definition definition(std::string_view domain, std::string_view name,
                      std::vector<std::pair<std::string, std::int64_t>> imports) {
  Node node;
  node.op = OpName::intern(domain, name);
  Opsets opsets;
  opsets.imports = std::move(imports);
  return definition_of(node, opsets);
}

TEST(DefinitionTest, IsTheNewestNotAboveTheOpset) {
  EXPECT_EQ(definition("", "Add", {{"", 10}}).version, 7);
  EXPECT_EQ(definition("", "RMSNormalization", {{"", 22}}).entry, nullptr);
  EXPECT_EQ(definition("acme", "Add", {{"", 10}}).entry, nullptr);
}

TEST(DefinitionTest, OfADomainThatIsNotImportedIsTheNewestOfAll) {
  EXPECT_EQ(definition("", "Add", {{"com.microsoft", 1}}).version, 14);
  EXPECT_EQ(definition("com.microsoft", "FusedMatMul", {{"", 17}}).version, 1);
}

TEST(DefinitionTest, WithoutAnyImportIsTheFirst) { EXPECT_EQ(definition("", "Add", {}).version, 1); }

TEST(DefinitionTest, SomeOperatorsAreReadBeforeOnnxDefinesThem) {
  const Definition early = definition("", "LayerNormalization", {{"", 11}});
  ASSERT_NE(early.entry, nullptr);
  EXPECT_EQ(early.version, 17);
  EXPECT_FALSE(early.in_opset);
  EXPECT_TRUE(definition("", "LayerNormalization", {{"", 17}}).in_opset);
}

}  // namespace
}  // namespace hone
