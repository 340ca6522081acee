#pragma once

#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/wire.h"

// For tests: models no exporter would write, byte by byte, and what becomes of them.

namespace hone {

/// How far a model is taken: through what every command does with it, or on to the reference interpreter.
enum class Until { cleaned, run };

/// What became of a model, and what that took.
struct Outcome {
  std::string complaint;  // message of the InputError; empty when the model was accepted
  int exit_code = 0;      // what the command line would return
  double seconds = 0;
  double megabytes = 0;  // how much the process grew at its largest
};

/// Takes a model the way the command line does: read, infer types, clean, and perhaps run on random inputs.
Outcome take(const std::string& bytes, Until until, const std::filesystem::path& folder = {});

/// A broken model, and words that its complaint must hold.
struct BrokenModel {
  std::string name;
  std::string bytes;
  std::string complaint;
  Until until = Until::cleaned;
};

/// Fails the test unless the model is refused as it should be: one line, exit code 3, under a second and 200 MB.
void expect_refused(const BrokenModel& model, const std::filesystem::path& folder = {});
/// Fails the test unless the model is accepted, as fast and small.
void expect_accepted(const std::string& bytes, Until until = Until::cleaned);

// Messages of onnx.proto by hand, where the text form would refuse to say such things.

using Names = std::initializer_list<std::string_view>;

/// ONNX's numbers of element types.
enum : std::int64_t { kFloat = 1, kInt32 = 6, kInt64 = 7, kString = 8 };

/// A NodeProto.
WireWriter node_proto(std::string_view op, Names inputs, Names outputs);
/// The beginning of a TensorProto: all but its data.
WireWriter tensor_proto(std::string_view name, std::int64_t type, std::initializer_list<std::int64_t> dims);
/// A ValueInfoProto of a tensor of floats.
WireWriter value_proto(std::string_view name, std::initializer_list<std::int64_t> dims);
/// An AttributeProto with one integer.
WireWriter integer_attribute(std::string_view name, std::int64_t value);

/// A GraphProto, and with it a model of opset 17.
class GraphBytes {
 public:
  GraphBytes&& input(std::string_view name, std::initializer_list<std::int64_t> dims = {2}) &&;
  GraphBytes&& output(std::string_view name, std::initializer_list<std::int64_t> dims = {2}) &&;
  GraphBytes&& node(WireWriter node) &&;
  GraphBytes&& node(std::string_view op, Names inputs, Names outputs) &&;
  GraphBytes&& initializer(WireWriter tensor) &&;

  /// The whole model, with these fields of ModelProto after the graph.
  std::string model(WireWriter more = {}) &&;
  WireWriter graph() && { return std::move(graph_); }

 private:
  WireWriter graph_;
};

/// A model of opset 17 written in the text form, as a file.
std::string from_text(std::string_view graph);

}  // namespace hone
