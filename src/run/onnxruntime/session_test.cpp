#include "run/onnxruntime/session.h"

#include <gtest/gtest.h>

#include "base/child_process.h"
#include "formats/onnx/read.h"
#include "formats/onnx/write.h"
#include "graph/ir/parse.h"
#include "run/onnxruntime/profile_file.h"

namespace hone::ort {
namespace {

/// Skips a test where ONNX Runtime is not installed.
#define HONE_NEEDS_ORT() \
  if (!Library::available()) GTEST_SKIP() << "needs ONNX Runtime: " << kInstallCommand

std::string bytes_of(std::string_view text) { return onnx::encode(parse_model(text, "test")); }

constexpr std::string_view kScaled = R"(<ir_version: 8, opset_import: ["" : 17]>
  agraph (float[N,2] x, float[2] y) => (float[N,2] z) { s = Add(x, y)  z = Relu(s) })";

TEST(OrtLibraryTest, MissingLibraryNamesTheCommandThatInstallsIt) {
  try {
    Library::load("/nowhere/libonnxruntime.so");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.code(), ExitCode::backend_missing);
    EXPECT_NE(std::string(error.what()).find(kInstallCommand), std::string::npos);
  }
}

TEST(OrtSessionTest, RunsOurTensors) {
  HONE_NEEDS_ORT();
  const Environment environment(Library::load());
  const Session session(environment, ModelBytes{bytes_of(kScaled)});
  EXPECT_EQ(session.inputs(), (std::vector<std::string>{"x", "y"}));
  const std::vector<Datum> results =
      session.run(std::vector<Datum>{Tensor::of<float>({1, 2, 3, 4}, {2, 2}), Tensor::of<float>({-2, 1}, {2})});
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].tensor(), Tensor::of<float>({0, 3, 1, 5}, {2, 2}));
}

TEST(OrtSessionTest, NothingIsGivenForInputsThatHaveADefault) {
  HONE_NEEDS_ORT();
  const Environment environment(Library::load());
  const Session session(environment, ModelBytes{bytes_of(R"(<ir_version: 8, opset_import: ["" : 17]>
    agraph (float[2] x, float[2] w = {3,4}) => (float[2] y) { y = Mul(x, w) })")});
  const std::vector<Datum> inputs{Tensor::of<float>({1, 2}, {2}), Datum()};
  EXPECT_EQ(session.run(inputs).at(0).tensor(), Tensor::of<float>({3, 8}, {2}));
}

TEST(OrtSessionTest, CarriesStrings) {
  HONE_NEEDS_ORT();
  const Environment environment(Library::load());
  const Session session(environment, ModelBytes{bytes_of(R"(<ir_version: 8, opset_import: ["" : 17]>
    agraph (string[2] x) => (string[2] y) { y = Identity(x) })")});
  const Tensor words = Tensor::of<std::string>({"one", "zwei"}, {2});
  EXPECT_EQ(session.run(std::vector<Datum>{words}).at(0).tensor(), words);
}

TEST(OrtSessionTest, CarriesSequencesBothWays) {
  HONE_NEEDS_ORT();
  const Environment environment(Library::load());
  const Session session(environment, ModelBytes{bytes_of(R"(<ir_version: 8, opset_import: ["" : 17]>
    agraph (seq(float[2]) x, float[2] last) => (seq(float[2]) y) { y = SequenceInsert(x, last) })")});
  const Tensor first = Tensor::of<float>({1, 2}, {2}), last = Tensor::of<float>({3, 4}, {2});
  const std::vector<Datum> results = session.run(std::vector<Datum>{Sequence{{first}, ElementType::float32}, last});
  ASSERT_TRUE(results.at(0).is_sequence());
  const std::vector<Datum>& items = results[0].sequence().items;
  ASSERT_EQ(items.size(), 2u);
  EXPECT_EQ(items[0].tensor(), first);
  EXPECT_EQ(items[1].tensor(), last);
  EXPECT_THROW(session.run(std::vector<Datum>{Sequence{{}, ElementType::float32}, last}), InputError);
}

TEST(OrtSessionTest, GivesMapsAsKeysAndValues) {
  HONE_NEEDS_ORT();
  const Environment environment(Library::load());
  const Session session(environment, ModelBytes{bytes_of(R"(<ir_version: 8, opset_import: ["" : 17, "ai.onnx.ml" : 1]>
    agraph (float[1,2] x) => (seq(map(int64, float)) y) { y = ai.onnx.ml.ZipMap <classlabels_int64s = [5, 7]> (x) })")});
  const std::vector<Datum> results = session.run(std::vector<Datum>{Tensor::of<float>({0.25f, 0.75f}, {1, 2})});
  const std::vector<Datum>& map = results.at(0).sequence().items.at(0).sequence().items;
  ASSERT_EQ(map.size(), 2u);
  EXPECT_EQ(map[0].tensor(), Tensor::of<std::int64_t>({5, 7}, {2}));
  EXPECT_EQ(map[1].tensor(), Tensor::of<float>({0.25f, 0.75f}, {2}));
}

TEST(OrtSessionTest, FailuresAreSentences) {
  HONE_NEEDS_ORT();
  const Environment environment(Library::load());
  EXPECT_THROW(Session(environment, ModelBytes{"no model"}), InputError);
  const Session session(environment, ModelBytes{bytes_of(kScaled)});
  EXPECT_THROW(session.run(std::vector<Datum>{Tensor::scalar(1.0f)}), InputError);
  EXPECT_THROW(session.run(std::vector<Datum>{Tensor::scalar<std::int64_t>(1), Tensor::scalar(1.0f)}), InputError);
}

TEST(OrtSessionTest, SavesTheOptimizedModelAndAProfile) {
  HONE_NEEDS_ORT();
  const TemporaryFolder folder;
  const Environment environment(Library::load(), 1);
  Session session(environment, ModelBytes{bytes_of(R"(<ir_version: 8, opset_import: ["" : 17]>
    agraph (float[2] x) => (float[2] y) { a = Identity(x)  b = Neg(a)  y = Neg(b) })")},
                  {.level = OptimizationLevel::basic,
                   .profile = folder.path() / "profile",
                   .optimized_model = folder.path() / "optimized.onnx"});
  const PreparedRun prepared(session, std::vector<Datum>{Tensor::of<float>({1, -1}, {2})});
  for (int i = 0; i < 3; ++i) prepared.run();
  const KernelProfile profile = read_profile(session.end_profiling());
  EXPECT_EQ(profile.run_seconds.size(), 3u);
  EXPECT_EQ(totals_by_operator(profile).at(0).count, 6u);
  EXPECT_EQ(onnx::read(folder.path() / "optimized.onnx").graph.node_count(), 2u);
}

}  // namespace
}  // namespace hone::ort
