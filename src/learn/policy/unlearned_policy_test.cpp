// Rows of comparisons mean what they say: policies that have learned nothing, and networks without messages.

#include "learn/policy/unlearned_policy.h"

#include <gtest/gtest.h>

#include "learn/policy/drawn_problem_test.h"
#include "learn/policy/gene_by_gene.h"
#include "learn/policy/plan_policy.h"
#include "learn/policy/plan_sampler.h"
#include "learn/policy/reference_order.h"

namespace hone {
namespace {

TEST(UnlearnedPolicy, IsOfTheKindAndShapeOfThePolicyThatItIsComparedWith) {
  for (const BuiltinPolicy& builtin : builtin_policies()) {
    const Policy learned = Policy::load(std::string(builtin.name));
    for (const char* name : {"untrained", "zero-step"}) {
      const Policy unlearned(unlearned_policy(name, form_of(learned), Objective::peak_bytes), name);
      EXPECT_EQ(&unlearned.kind(), &learned.kind()) << builtin.name;
      const NetworkShape &shape = unlearned.parts().front().shape, &wanted = learned.parts().front().shape;
      EXPECT_EQ(shape.width, wanted.width) << builtin.name;
      EXPECT_EQ(shape.rounds, wanted.rounds) << builtin.name;
      EXPECT_EQ(shape.encoder, wanted.encoder) << builtin.name;
    }
  }
}

TEST(UnlearnedPolicy, ZeroStepsDifferFromChanceByTheRuleThatLearningStartsFrom) {
  const PolicyForm form = form_of(Policy::load("guided-memory"));
  const Safetensors untrained = unlearned_policy("untrained", form, Objective::peak_bytes);
  const Safetensors zero_step = unlearned_policy("zero-step", form, Objective::peak_bytes);
  for (const auto& [name, array] : untrained.arrays)
    EXPECT_EQ(array == zero_step.arrays.at(name), name != "head.bias") << name;
  const auto due = static_cast<std::size_t>(GeneFeature::due);
  EXPECT_EQ(zero_step.arrays.at("head.bias").values[due], -4);
  EXPECT_EQ(untrained.arrays.at("head.bias").values[due], 0);
}

TEST(UnlearnedPolicy, OnlyTwoNamesMeanOne) {
  EXPECT_TRUE(is_unlearned("untrained"));
  EXPECT_TRUE(is_unlearned("zero-step"));
  EXPECT_FALSE(is_unlearned("guided-memory"));
  EXPECT_FALSE(names_a_file(""));
  EXPECT_TRUE(names_a_file("guided-memory"));
}

/// What a policy says of a graph with its edges, and of the same operations without.
bool sees_edges(const std::string& name) {
  const Problem problem = drawn_problem(5);
  const GraphView view(problem);
  const Features features = features_of(view, reference_order(view).places);
  const FlatLists<std::uint32_t> none(std::vector<std::vector<std::uint32_t>>(view.operations()));
  GraphInput input = input_of(view, features);
  const Policy policy = Policy::load(name);
  const std::vector<float> with = plan_weights(policy.network(kPlanNetwork), input).rows;
  input.edges = {&none, &none};
  return with != plan_weights(policy.network(kPlanNetwork), input).rows;
}

TEST(UnlearnedPolicy, APolicyWithoutMessagesSeesNoEdges) {
  EXPECT_FALSE(sees_edges("guided-memory-flat"));
  EXPECT_TRUE(sees_edges("guided-memory-stepwise"));
  EXPECT_TRUE(sees_edges("guided-memory"));
  // The row without messages is to be compared with the one of its kind.
  EXPECT_EQ(&Policy::load("guided-memory-flat").kind(), &Policy::load("guided-memory-stepwise").kind());
}

}  // namespace
}  // namespace hone
