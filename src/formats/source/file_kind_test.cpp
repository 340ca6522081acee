#include "formats/source/file_kind.h"

#include <gtest/gtest.h>

#include "base/wire.h"

namespace hone {
namespace {

using namespace std::string_literals;

std::string called(const std::string& contents) {
  const auto kind = kind_by_contents(contents, "dir/file.onnx.xz");
  return kind ? std::string(kind->called) : "";
}

TEST(FileKindTest, TellsFilesByTheirFirstBytes) {
  EXPECT_EQ(called("PK\3\4...archive/data.pkl..."s), "a PyTorch file");
  EXPECT_EQ(called("PK\3\4...weights.npy..."s), "an archive of NumPy arrays");
  EXPECT_EQ(called("PK\3\4...model.onnx..."s), "a ZIP archive");
  EXPECT_EQ(called("\x1c\0\0\0TFL3"s), "a TensorFlow Lite model");
  EXPECT_EQ(called("\x80\x02}q"s), "a Python pickle");
  EXPECT_EQ(called("\x02\0\0\0\0\0\0\0{}"s), "safetensors, which are weights without a graph");
  EXPECT_EQ(called("\x1f\x8b\x08"s), "packed with gzip");
  EXPECT_EQ(called("\x89HDF\r\n"s), "an HDF5 file, as Keras writes");
}

TEST(FileKindTest, TellsTextsApart) {
  EXPECT_EQ(called("HloModule m\nENTRY main {}\n"), "an XLA HLO module");
  EXPECT_EQ(called("{\"a\": 1}"), "JSON and no model");
  EXPECT_EQ(called("{\"schema\":\"hone.plan/1\"}"), "a plan");
  EXPECT_EQ(called("version https://git-lfs.github.com/spec/v1\noid sha256:0\n"), "a Git LFS pointer");
  EXPECT_EQ(called("<!DOCTYPE html><html></html>"), "a web page");
  EXPECT_EQ(called("module @jit_f { func.func public @main() }"), "MLIR");
  EXPECT_EQ(called("import torch\n"), "text and no model");
}

TEST(FileKindTest, NamesTheCommandAndWhatComesOfIt) {
  EXPECT_EQ(kind_by_contents("\xfd"s + "7zXZ\0"s, "dir/file.onnx.xz")->next,
            "`xz -dk dir/file.onnx.xz` and give dir/file.onnx");
}

TEST(FileKindTest, LeavesWhatMayBeAModelAlone) {
  WireWriter model;
  model.integer(1, 8);
  model.text(2, "pytorch");
  EXPECT_EQ(called(model.flatten()), "");
  EXPECT_EQ(called(""), "");
}

TEST(FileKindTest, TellsProtobufMessagesByTheirFields) {
  const auto fields = [](const WireWriter& message) {
    const auto kind = kind_by_fields(message.flatten(), "f");
    return kind ? std::string(kind->called) : "";
  };
  WireWriter hlo;
  hlo.text(1, "jit_f");
  hlo.text(2, "main");
  hlo.text(3, "\x0a\x04main");
  EXPECT_EQ(fields(hlo), "an HLO module in binary form");
  WireWriter wrapped;
  wrapped.message(1, std::move(hlo));
  EXPECT_EQ(fields(wrapped), "an HLO module in binary form");
  WireWriter node, graph;
  node.text(1, "x");
  node.text(2, "Placeholder");
  graph.message(1, std::move(node));
  EXPECT_EQ(fields(graph), "a TensorFlow graph");
  WireWriter saved;
  saved.integer(1, 1);
  saved.text(2, "\x0a\x01\x02");
  EXPECT_EQ(fields(saved), "part of a TensorFlow SavedModel");
  WireWriter core;
  core.integer(1, 4);
  core.text(2, "\x0a\x01\x02");
  core.text(500, "\x01");
  EXPECT_EQ(fields(core), "a Core ML model");
  WireWriter tensor;
  tensor.integer(1, 3);
  tensor.integer(2, 1);
  EXPECT_EQ(fields(tensor), "a tensor, as ONNX's test data are");
  WireWriter unknown;
  unknown.integer(1, 8);
  EXPECT_EQ(fields(unknown), "");
}

}  // namespace
}  // namespace hone
