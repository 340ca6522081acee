#include "broken_models.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <fstream>
#include <memory>

#include "base/error.h"
#include "formats/onnx/fields.h"
#include "formats/onnx/read.h"
#include "formats/onnx/write.h"
#include "graph/clean/clean.h"
#include "graph/ir/parse.h"
#include "graph/ops/infer.h"
#include "run/reference/reference.h"
#include "run/verify/inputs.h"

namespace hone {
namespace {

/// The most memory the process has held, in megabytes; since `forget_peak`, where the system allows forgetting.
double peak_megabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) / 1024;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void forget_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

void process(const std::string& bytes, Until until, const std::filesystem::path& folder) {
  // Memory of exactly this size, so that sanitizers see a read past its end.
  const std::shared_ptr<std::byte[]> copy(new std::byte[bytes.size()]);
  std::ranges::copy(std::as_bytes(std::span(bytes)), copy.get());
  Model model = onnx::read({copy.get(), bytes.size()}, copy, "broken.onnx", folder);
  infer_types(model);
  clean(model);
  onnx::encode(model);
  if (until == Until::run) ReferenceInterpreter(model).run(random_inputs(model, 1));
}

}  // namespace

Outcome take(const std::string& bytes, Until until, const std::filesystem::path& folder) {
  forget_peak();
  const double before = peak_megabytes();
  const auto start = std::chrono::steady_clock::now();
  Outcome outcome;
  try {
    process(bytes, until, folder);
  } catch (const InputError& error) {
    outcome.complaint = error.what();
    outcome.exit_code = static_cast<int>(error.code());
  }
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  outcome.megabytes = peak_megabytes() - before;
  return outcome;
}

namespace {

void expect_small(const Outcome& outcome) {
  EXPECT_LT(outcome.seconds, 1);
  EXPECT_LT(outcome.megabytes, 200);
}

}  // namespace

void expect_refused(const BrokenModel& model, const std::filesystem::path& folder) {
  SCOPED_TRACE(model.name);
  const Outcome outcome = take(model.bytes, model.until, folder);
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_TRUE(outcome.complaint.starts_with("broken.onnx: ")) << outcome.complaint;
  EXPECT_NE(outcome.complaint.find(model.complaint), std::string::npos) << outcome.complaint;
  EXPECT_EQ(outcome.complaint.find('\n'), std::string::npos) << outcome.complaint;
  expect_small(outcome);
}

void expect_accepted(const std::string& bytes, Until until) {
  const Outcome outcome = take(bytes, until);
  EXPECT_EQ(outcome.complaint, "");
  expect_small(outcome);
}

WireWriter node_proto(std::string_view op, Names inputs, Names outputs) {
  WireWriter node;
  for (const std::string_view input : inputs) node.text(onnx::node_field::input, input);
  for (const std::string_view output : outputs) node.text(onnx::node_field::output, output);
  node.text(onnx::node_field::name, "the_node");
  if (!op.empty()) node.text(onnx::node_field::op_type, op);
  return node;
}

WireWriter tensor_proto(std::string_view name, std::int64_t type, std::initializer_list<std::int64_t> dims) {
  WireWriter tensor;
  for (const std::int64_t dim : dims) tensor.integer(onnx::tensor_field::dims, dim);
  tensor.integer(onnx::tensor_field::data_type, type);
  tensor.text(onnx::tensor_field::name, name);
  return tensor;
}

WireWriter value_proto(std::string_view name, std::initializer_list<std::int64_t> dims) {
  WireWriter shape;
  for (const std::int64_t size : dims) {
    WireWriter dim;
    dim.integer(onnx::dim_field::value, size);
    shape.message(1, std::move(dim));
  }
  WireWriter tensor, type, value;
  tensor.integer(1, kFloat);
  tensor.message(2, std::move(shape));
  type.message(onnx::type_field::tensor, std::move(tensor));
  value.text(onnx::value_info_field::name, name);
  value.message(onnx::value_info_field::type, std::move(type));
  return value;
}

WireWriter integer_attribute(std::string_view name, std::int64_t value) {
  WireWriter attribute;
  attribute.text(onnx::attribute_field::name, name);
  attribute.integer(onnx::attribute_field::i, value);
  attribute.integer(onnx::attribute_field::type, static_cast<std::int64_t>(onnx::AttributeType::integer));
  return attribute;
}

GraphBytes&& GraphBytes::input(std::string_view name, std::initializer_list<std::int64_t> dims) && {
  graph_.message(onnx::graph_field::input, value_proto(name, dims));
  return std::move(*this);
}

GraphBytes&& GraphBytes::output(std::string_view name, std::initializer_list<std::int64_t> dims) && {
  graph_.message(onnx::graph_field::output, value_proto(name, dims));
  return std::move(*this);
}

GraphBytes&& GraphBytes::node(WireWriter node) && {
  graph_.message(onnx::graph_field::node, std::move(node));
  return std::move(*this);
}

GraphBytes&& GraphBytes::node(std::string_view op, Names inputs, Names outputs) && {
  return std::move(*this).node(node_proto(op, inputs, outputs));
}

GraphBytes&& GraphBytes::initializer(WireWriter tensor) && {
  graph_.message(onnx::graph_field::initializer, std::move(tensor));
  return std::move(*this);
}

std::string GraphBytes::model(WireWriter more) && {
  WireWriter model, opset;
  opset.integer(onnx::opset_field::version, 17);
  model.integer(onnx::model_field::ir_version, 8);
  graph_.text(onnx::graph_field::name, "g");
  model.message(onnx::model_field::graph, std::move(graph_));
  model.message(onnx::model_field::opset_import, std::move(opset));
  model.raw(as_bytes(more.flatten()));
  return model.flatten();
}

std::string from_text(std::string_view graph) {
  return onnx::encode(parse_model(fmt::format("<ir_version: 8, opset_import: [\"\" : 17]>\n{}", graph), "text"));
}

}  // namespace hone
