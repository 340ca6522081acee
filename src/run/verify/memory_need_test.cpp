#include "run/verify/memory_need.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "graph/ir/parse.h"
#include "graph/ops/infer.h"

namespace hone {
namespace {

Model reduced_from(const std::string& shape) {
  Model model = parse_model("<ir_version: 8, opset_import: [\"\" : 17]> g (float[" + shape +
                                "] x) => (float y) "
                                "{ y = ReduceSum<keepdims = 0>(x) }",
                            "reduced");
  infer_types(model);
  return model;
}

TEST(MemoryNeedTest, WhatIsSmallFits) {
  EXPECT_NO_THROW(require_memory(reduced_from("16,16"), 100));
  EXPECT_GE(models_that_fit(reduced_from("16,16")), 100u);
  EXPECT_EQ(models_that_fit(reduced_from("1,16,16,16,16,16,16,16,16,65536")), 0u);
}

TEST(MemoryNeedTest, RefusesWhatWouldExhaustTheMachineAndSaysHowMuch) {
  try {
    require_memory(reduced_from("1,16,16,16,16,16,16,16,16,65536"));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_model);
    EXPECT_NE(std::string(error.what()).find("GB"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("--dim"), std::string::npos) << error.what();
    EXPECT_LE(std::string(error.what()).size(), 300u);
  }
}

TEST(MemoryNeedTest, SeveralAtOnceNeedMore) {
  EXPECT_THROW(require_memory(reduced_from("16,16"), std::size_t{1} << 50), InputError);
}

}  // namespace
}  // namespace hone
