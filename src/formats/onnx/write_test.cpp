#include "formats/onnx/write.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "base/error.h"
#include "base/mapped_file.h"
#include "formats/onnx/read.h"
#include "graph/ir/compare.h"
#include "graph/ir/parse.h"

namespace hone::onnx {
namespace {

namespace fs = std::filesystem;

/// Two folders, and in the first a model whose weight lies in a file beside it.
class WriteTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
    root_ = fs::path(testing::TempDir()) / (std::string("hone_write_") + test->name());
    fs::remove_all(root_);
    fs::create_directories(root_ / "here");
    fs::create_directories(root_ / "there");
    write(weighty_model(), root_ / "here" / "plain.onnx", {.inside_limit = 1000});
  }
  void TearDown() override { fs::remove_all(root_); }

  /// A model with a weight of 4000 bytes and one of 8.
  static Model weighty_model() {
    Model model = parse_model(
        "<ir_version: 8, opset_import: [\"\" : 17]> g (float[1000] x) => (y) <float[2] small = {1, 2}> "
        "{ t = Add (x, large) y = Mul (t, small) large = Constant <value_float = 1.0> () }",
        "text");
    Graph& graph = model.graph;
    const ValueId large = *graph.find_value("large");
    const NodeId producer = graph.value(large).producer;
    graph.detach_output(producer, 0);
    graph.remove_node(producer);
    Tensor tensor = Tensor::zeros(ElementType::float32, {1000});
    for (float& element : tensor.write<float>()) element = 0.5f;
    graph.set_constant(large, std::move(tensor));
    return model;
  }

  static std::string contents(const fs::path& path) {
    const auto file = MappedFile::open(path);
    return {reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size()};
  }
  static Tensor weight(const Model& model) { return *model.graph.value(*model.graph.find_value("large")).constant; }

  fs::path root_;
};

TEST_F(WriteTest, WhatFitsIsOneFile) {
  write(weighty_model(), root_ / "there" / "model.onnx");
  EXPECT_FALSE(fs::exists(root_ / "there" / "model.onnx.data"));
  EXPECT_EQ(weight(read(root_ / "there" / "model.onnx")), weight(weighty_model()));
}

TEST_F(WriteTest, WhatDoesNotFitPutsItsLargeWeightsBesideTheModel) {
  EXPECT_LT(fs::file_size(root_ / "here" / "plain.onnx"), 1000u);
  EXPECT_EQ(fs::file_size(root_ / "here" / "plain.onnx.data"), 4000u);
  const Model model = read(root_ / "here" / "plain.onnx");
  EXPECT_EQ(weight(model), weight(weighty_model()));
  EXPECT_EQ(weight(model).origin()->encoding, TensorOrigin::Encoding::external);
}

TEST_F(WriteTest, AWeightFileInTheSameFolderIsUsedAsItIs) {
  const auto before = fs::last_write_time(root_ / "here" / "plain.onnx.data");
  write(read(root_ / "here" / "plain.onnx"), root_ / "here" / "copy.onnx");
  EXPECT_EQ(contents(root_ / "here" / "copy.onnx"), contents(root_ / "here" / "plain.onnx"));
  EXPECT_FALSE(fs::exists(root_ / "here" / "copy.onnx.data"));
  EXPECT_EQ(fs::last_write_time(root_ / "here" / "plain.onnx.data"), before);
}

TEST_F(WriteTest, AWeightFileMovesAlongToAnotherFolder) {
  write(read(root_ / "here" / "plain.onnx"), root_ / "there" / "moved.onnx");
  EXPECT_EQ(contents(root_ / "there" / "moved.onnx.data"), contents(root_ / "here" / "plain.onnx.data"));
  EXPECT_EQ(weight(read(root_ / "there" / "moved.onnx")), weight(weighty_model()));
}

TEST_F(WriteTest, AModelMayBeWrittenOverItself) {
  const std::string before = contents(root_ / "here" / "plain.onnx");
  write(read(root_ / "here" / "plain.onnx"), root_ / "here" / "plain.onnx");
  EXPECT_EQ(contents(root_ / "here" / "plain.onnx"), before);
  EXPECT_EQ(weight(read(root_ / "here" / "plain.onnx")), weight(weighty_model()));
}

TEST_F(WriteTest, AModelThatGrowsKeepsTheWeightsItHad) {
  Model model = read(root_ / "here" / "plain.onnx");
  Tensor more = Tensor::zeros(ElementType::float32, {500});
  model.graph.add_constant("more", more);
  write(model, root_ / "here" / "plain.onnx", {.inside_limit = 1000});
  const Model grown = read(root_ / "here" / "plain.onnx");
  EXPECT_EQ(weight(grown), weight(weighty_model()));
  EXPECT_EQ(*grown.graph.value(*grown.graph.find_value("more")).constant, more);
}

TEST_F(WriteTest, AModelInMemoryHoldsItsWeights) {
  const std::string bytes = encode(read(root_ / "here" / "plain.onnx"));
  EXPECT_GT(bytes.size(), 4000u);
}

TEST_F(WriteTest, ARenamedValueKeepsItsDeclaration) {
  write(
      parse_model("<ir_version: 8, opset_import: [\"\" : 17]> g (float[3] x) => (float[N] y) { y = Relu (x) }", "text"),
      root_ / "there" / "declared.onnx");
  Model model = read(root_ / "there" / "declared.onnx");
  const ValueId output = model.graph.outputs()[0];
  model.graph.set_type(output, Type::tensor(ElementType::float32, Shape{Dim(3)}));
  model.graph.rename(output, "z");
  write(model, root_ / "there" / "renamed.onnx");
  const Model renamed = read(root_ / "there" / "renamed.onnx");
  EXPECT_EQ(renamed.graph.value(renamed.graph.outputs()[0]).name, "z");
  EXPECT_EQ(text_of(renamed.graph.value(renamed.graph.outputs()[0]).type), "float[N]");
}

TEST_F(WriteTest, TheSameBytesAreStoredOnce) {
  Model model = weighty_model();
  model.graph.add_constant("twin", weight(model));
  write(model, root_ / "there" / "twins.onnx", {.inside_limit = 1000});
  EXPECT_EQ(fs::file_size(root_ / "there" / "twins.onnx.data"), 4000u);
}

TEST_F(WriteTest, TheFilesBesideAreKnownBefore) {
  const Model model = read(root_ / "here" / "plain.onnx");
  const FilesBeside here = files_beside(model, root_ / "here" / "copy.onnx");
  EXPECT_EQ(here.weights, std::vector<fs::path>{root_ / "here" / "plain.onnx.data"});
  EXPECT_FALSE(here.needs_data);
  EXPECT_TRUE(files_beside(model, root_ / "there" / "moved.onnx").needs_data);
  EXPECT_TRUE(files_beside(weighty_model(), root_ / "there" / "model.onnx").weights.empty());
  EXPECT_FALSE(fs::exists(root_ / "there" / "moved.onnx"));
}

TEST_F(WriteTest, APipeTakesAllOfTheModelOrNothing) {
  const fs::path pipe = root_ / "there" / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  const Model model = read(root_ / "here" / "plain.onnx");
  EXPECT_THROW(write(model, pipe, {.inside_limit = 1000}), InputError);
  write(model, pipe);
  std::string received(10000, ' ');
  received.resize(static_cast<std::size_t>(::read(reader, received.data(), received.size())));
  ::close(reader);
  EXPECT_EQ(received, encode(model));
  EXPECT_FALSE(fs::exists(root_ / "there" / "pipe.data"));
}

}  // namespace
}  // namespace hone::onnx
