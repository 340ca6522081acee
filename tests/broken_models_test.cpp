#include "broken_models.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "formats/onnx/fields.h"

// Files that break the format itself: bytes, names, tensors, functions, nesting.

namespace hone {
namespace {

/// x -> Relu -> y.
GraphBytes relu() { return GraphBytes().node("Relu", {"x"}, {"y"}).input("x").output("y"); }

/// y = x + w, with the given w of shape [2].
std::string with_weight(WireWriter weight) {
  return GraphBytes().node("Add", {"x", "w"}, {"y"}).initializer(std::move(weight)).input("x").output("y").model();
}

WireWriter with_raw(WireWriter tensor, std::size_t bytes) {
  tensor.text(onnx::tensor_field::raw_data, std::string(bytes, '\0'));
  return tensor;
}

/// A node holding the attribute.
std::string with_attribute(std::string_view op, WireWriter attribute) {
  WireWriter node = node_proto(op, {"x"}, {"y"});
  node.message(onnx::node_field::attribute, std::move(attribute));
  return GraphBytes().node(std::move(node)).input("x").output("y").model();
}

/// If in If in If ...
std::string nested_graphs(int depth) {
  WireWriter body = GraphBytes().node("Relu", {"x"}, {"y"}).output("y").graph();
  for (int i = 0; i < depth; ++i) {
    WireWriter attribute, node = node_proto("Wrap", {}, {"y"});
    attribute.text(onnx::attribute_field::name, "body");
    attribute.message(onnx::attribute_field::g, std::move(body));
    node.message(onnx::node_field::attribute, std::move(attribute));
    body = GraphBytes().node(std::move(node)).output("y").graph();
  }
  WireWriter model;
  model.message(onnx::model_field::graph, std::move(body));
  return model.flatten();
}

/// An input that is a sequence of sequences of ...
std::string nested_types(int depth) {
  WireWriter type;
  for (int i = 0; i < depth; ++i) {
    WireWriter element, outer;
    element.message(1, std::move(type));
    outer.message(onnx::type_field::sequence, std::move(element));
    type = std::move(outer);
  }
  WireWriter value, graph, model;
  value.text(onnx::value_info_field::name, "x");
  value.message(onnx::value_info_field::type, std::move(type));
  graph.message(onnx::graph_field::input, std::move(value));
  model.message(onnx::model_field::graph, std::move(graph));
  return model.flatten();
}

/// A function `name` of domain `local` that applies the operators of that domain one after the other.
WireWriter function_proto(std::string_view name, Names calls) {
  WireWriter function;
  function.text(onnx::function_field::name, name);
  function.text(onnx::function_field::input, "t0");
  function.text(onnx::function_field::output, fmt::format("t{}", calls.size()));
  std::size_t step = 0;
  for (const std::string_view call : calls) {
    WireWriter node = node_proto(call, {fmt::format("t{}", step)}, {fmt::format("t{}", step + 1)});
    node.text(onnx::node_field::domain, "local");
    function.message(onnx::function_field::node, std::move(node));
    ++step;
  }
  function.text(onnx::function_field::domain, "local");
  return function;
}

std::string with_functions(std::vector<WireWriter> functions) {
  WireWriter fields, call = node_proto("f0", {"x"}, {"y"});
  call.text(onnx::node_field::domain, "local");
  for (WireWriter& function : functions) fields.message(onnx::model_field::functions, std::move(function));
  return GraphBytes().node(std::move(call)).input("x").output("y").model(std::move(fields));
}

/// f0 calls f1 twice, which calls f2 twice, ...: 2^40 calls in all.
std::string function_bomb() {
  std::vector<WireWriter> functions;
  for (int i = 0; i < 40; ++i) {
    const std::string next = fmt::format("f{}", i + 1);
    functions.push_back(function_proto(fmt::format("f{}", i), {next, next}));
  }
  return with_functions(std::move(functions));
}

std::string long_call_chain() {
  std::vector<WireWriter> functions;
  for (int i = 0; i < 100; ++i) functions.push_back(function_proto(fmt::format("f{}", i), {fmt::format("f{}", i + 1)}));
  return with_functions(std::move(functions));
}

WireWriter field_of(std::uint32_t number, std::int64_t value) {
  WireWriter encoded;
  encoded.integer(number, value);
  return encoded;
}

std::string without_opset() {
  WireWriter model;
  model.integer(onnx::model_field::ir_version, 8);
  model.message(onnx::model_field::graph, relu().graph());
  return model.flatten();
}

std::vector<BrokenModel> broken_bytes() {
  return {
      {"EmptyFile", "", "is empty"},
      {"TextInsteadOfAModel", "this is not a model, it is a sentence", "not a protobuf message"},
      {"NumberWithoutEnd", std::string(20, '\xFF'), "longer than ten bytes"},
      {"NumberCutShort", "\x08\xFF", "middle of a number"},
      {"LengthBeyondTheFile", "\x3A\xFF\xFF\xFF\xFF\x7F", "truncated"},
      {"LengthOf2To63", "\x3A\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01", "truncated"},
      {"FieldNumberZero", std::string("\0\0", 2), "field number 0"},
      {"GroupOfOldProtobuf", "\x3B\x3C", "wire type 3"},
      {"WireTypeSeven", "\x3F", "wire type 7"},
      {"GraphIsANumber", field_of(onnx::model_field::graph, 5).flatten(), "field 7 has another wire type"},
      {"GraphMissing", field_of(onnx::model_field::ir_version, 8).flatten(), "it has no graph"},
      {"OpsetMissing", without_opset(), "uses Relu without saying which opset"},
      {"NodeIsANumber", GraphBytes(relu()).model(field_of(onnx::model_field::functions, 1)), "wire type"},
  };
}

std::vector<BrokenModel> broken_names() {
  return {
      {"Cycle", GraphBytes().node("Relu", {"b"}, {"a"}).node("Abs", {"a"}, {"b"}).output("b").model(),
       "depends on its own output"},
      {"SelfLoop", GraphBytes().node("Relu", {"y"}, {"y"}).output("y").model(),
       "'the_node' (Relu) depends on its own output"},
      {"DanglingInput", GraphBytes().node("Relu", {"nowhere"}, {"y"}).output("y").model(),
       "reads 'nowhere', which nothing produces"},
      {"DanglingOutput", relu().output("nowhere").model(), "output 'nowhere' is not produced"},
      {"OutputWithoutName", relu().output("").model(), "output '' is not produced"},
      {"InputWithoutName", relu().input("").model(), "an input has no name"},
      {"DuplicateValue", relu().node("Abs", {"x"}, {"y"}).model(), "value 'y' is defined twice"},
      {"DuplicateInput", relu().input("x").model(), "input 'x' is defined twice"},
      {"NodeWritesAnInput", relu().node("Abs", {"y"}, {"x"}).model(), "value 'x' is defined twice"},
      {"DuplicateInitializer",
       relu()
           .initializer(with_raw(tensor_proto("w", kFloat, {2}), 8))
           .initializer(with_raw(tensor_proto("w", kFloat, {2}), 8))
           .model(),
       "initializer 'w' is defined twice"},
      {"InitializerWithoutName", relu().initializer(with_raw(tensor_proto("", kFloat, {2}), 8)).model(),
       "an initializer has no name"},
      {"OperatorMissing", GraphBytes().node("", {"x"}, {"y"}).input("x").output("y").model(),
       "node 'the_node' has no operator"},
      {"NameWithLineBreaks", GraphBytes().node("Relu", {"a\nb\r\x1B[31m"}, {"y"}).output("y").model(), "reads 'a b"},
      {"NameOfAMegabyte", GraphBytes().node("Relu", {std::string(1 << 20, 'n')}, {"y"}).output("y").model(), "nnn..."},
      {"AttributeWithoutName", with_attribute("Relu", integer_attribute("", 1)), "an attribute has no name"},
  };
}

std::vector<BrokenModel> broken_tensors() {
  constexpr std::int64_t kHuge = std::int64_t{1} << 40;
  WireWriter few_floats = tensor_proto("w", kFloat, {2}), few_integers = tensor_proto("w", kInt64, {2});
  few_floats.real(onnx::tensor_field::float_data, 1.0f);
  few_integers.integer(onnx::tensor_field::int64_data, 1);
  WireWriter whole_floats = tensor_proto("w", kFloat, {1}), whole_complex = tensor_proto("w", 15, {1});
  whole_floats.integer(onnx::tensor_field::int64_data, 1);
  whole_complex.integer(onnx::tensor_field::int64_data, 1);
  WireWriter odd_floats = tensor_proto("w", kFloat, {2});
  odd_floats.text(onnx::tensor_field::float_data, "1234567");
  WireWriter cut_integers = tensor_proto("w", kInt64, {2});
  cut_integers.text(onnx::tensor_field::int64_data, "\x01\xFF");
  return {
      {"RawDataTooShort", with_weight(with_raw(tensor_proto("w", kFloat, {2}), 7)),
       "tensor 'w' has 7 bytes of data, needs 8"},
      {"RawDataTooLong", with_weight(with_raw(tensor_proto("w", kFloat, {2}), 9)),
       "tensor 'w' has 9 bytes of data, needs 8"},
      {"NoDataAtAll", with_weight(tensor_proto("w", kFloat, {2})), "has 0 bytes of data, needs 8"},
      {"TooFewFloats", with_weight(std::move(few_floats)), "tensor 'w' has 4 bytes of data, needs 8"},
      {"TooFewIntegers", with_weight(std::move(few_integers)), "tensor 'w' has 1 numbers of data, needs 2"},
      {"IntegersForFloats", with_weight(std::move(whole_floats)), "tensor 'w' has integers where float numbers belong"},
      {"IntegersForComplexNumbers", with_weight(std::move(whole_complex)), "tensor 'w' has integers where complex"},
      {"FloatsOfSevenBytes", with_weight(std::move(odd_floats)), "tensor 'w' has 7 bytes of data"},
      {"PackedIntegersCutShort", with_weight(std::move(cut_integers)), "packed list of integers is malformed"},
      {"NegativeDim", with_weight(with_raw(tensor_proto("w", kFloat, {-2}), 8)),
       "tensor 'w' tensor has a negative dimension -2"},
      {"TwoNegativeDims", with_weight(with_raw(tensor_proto("w", kFloat, {-1, -2}), 8)), "negative dimension"},
      {"OverflowingDims", with_weight(with_raw(tensor_proto("w", kFloat, {kHuge, kHuge}), 8)), "over 2^60 elements"},
      {"OverflowingBytes", with_weight(tensor_proto("w", 15, {std::int64_t{1} << 60})), "tensor 'w'"},
      {"DimsOverflowToFit",
       with_weight(with_raw(tensor_proto("w", kFloat, {std::int64_t{1} << 32, std::int64_t{1} << 32, 2}), 8)),
       "over 2^60 elements"},
      {"HugeDimWithoutData", with_weight(with_raw(tensor_proto("w", kFloat, {kHuge}), 8)),
       "has 8 bytes of data, needs 4398046511104"},
      {"HugeStringTensor", with_weight(tensor_proto("w", kString, {kHuge})), "has 0 strings, needs 1099511627776"},
      {"StringsInRawData", with_weight(with_raw(tensor_proto("w", kString, {2}), 8)), "has 0 strings, needs 2"},
      {"UnknownElementType", with_weight(with_raw(tensor_proto("w", 99, {2}), 8)),
       "tensor 'w' has unknown element type 99"},
      {"UndefinedElementType", with_weight(with_raw(tensor_proto("w", 0, {2}), 8)), "unknown element type 0"},
      {"NegativeElementType", with_weight(with_raw(tensor_proto("w", -1, {2}), 8)), "unknown element type -1"},
  };
}

std::vector<BrokenModel> broken_nesting() {
  std::vector<WireWriter> twice;
  twice.push_back(function_proto("f0", {"Relu"}));
  twice.push_back(function_proto("f0", {"Abs"}));
  std::vector<WireWriter> itself;
  itself.push_back(function_proto("f0", {"f0"}));
  std::vector<WireWriter> mutual;
  for (const auto& [name, callee] : {std::pair("f0", "f1"), std::pair("f1", "f2"), std::pair("f2", "f0")})
    mutual.push_back(function_proto(name, {callee}));
  std::vector<WireWriter> nameless;
  nameless.push_back(function_proto("", {"Relu"}));
  return {
      {"GraphsNestedDeep", nested_graphs(1000), "nested more than 100 deep"},
      {"TypesNestedDeep", nested_types(1000), "type is nested more than 32 deep"},
      {"FunctionCallsItself", with_functions(std::move(itself)), "function 'local.f0' calls itself"},
      {"FunctionsCallOneAnother", with_functions(std::move(mutual)), "calls itself"},
      {"FunctionDefinedTwice", with_functions(std::move(twice)), "function 'local.f0' is defined twice"},
      {"FunctionWithoutName", with_functions(std::move(nameless)), "a function has no name"},
      {"FunctionsMultiply", function_bomb(), "multiply to too many nodes"},
      {"FunctionsCallDeep", long_call_chain(), "more than 64 deep"},
  };
}

class BrokenFileTest : public testing::TestWithParam<BrokenModel> {};

TEST_P(BrokenFileTest, IsRefusedInOneSentence) { expect_refused(GetParam()); }

const auto name_of_case = [](const testing::TestParamInfo<BrokenModel>& tested) { return tested.param.name; };

INSTANTIATE_TEST_SUITE_P(Bytes, BrokenFileTest, testing::ValuesIn(broken_bytes()), name_of_case);
INSTANTIATE_TEST_SUITE_P(Names, BrokenFileTest, testing::ValuesIn(broken_names()), name_of_case);
INSTANTIATE_TEST_SUITE_P(Tensors, BrokenFileTest, testing::ValuesIn(broken_tensors()), name_of_case);
INSTANTIATE_TEST_SUITE_P(Nesting, BrokenFileTest, testing::ValuesIn(broken_nesting()), name_of_case);

/// A sound model with a bit of everything: a weight, an attribute, two nodes.
std::string sound_model() {
  WireWriter node = node_proto("LeakyRelu", {"sum"}, {"y"}), slope;
  slope.text(onnx::attribute_field::name, "alpha");
  slope.real(onnx::attribute_field::f, 0.5f);
  node.message(onnx::node_field::attribute, std::move(slope));
  return GraphBytes()
      .node("Add", {"x", "w"}, {"sum"})
      .node(std::move(node))
      .initializer(with_raw(tensor_proto("w", kFloat, {2}), 8))
      .input("x")
      .output("y")
      .model();
}

TEST(DamagedFileTest, IsSoundBeforeTheDamage) { expect_accepted(sound_model(), Until::run); }

TEST(DamagedFileTest, IsRefusedWhereverItIsCut) {
  const std::string whole = sound_model();
  for (std::size_t size = 0; size < whole.size(); ++size)
    expect_refused({fmt::format("first {} bytes", size), whole.substr(0, size), ""});
}

TEST(DamagedFileTest, IsRefusedOrSoundWhateverByteChanges) {
  const std::string whole = sound_model();
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int flip : {0x01, 0x02, 0x08, 0x80, 0xFF}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      const Outcome outcome = take(damaged, Until::cleaned);
      EXPECT_TRUE(outcome.exit_code == 0 || outcome.exit_code == 3) << outcome.complaint;
      EXPECT_LT(outcome.megabytes, 200);
    }
  }
}

TEST(DamagedFileTest, IsRefusedWhenItIsNoise) {
  Rng rng(7);
  for (int round = 0; round < 200; ++round) {
    std::string noise(rng.below(300) + 1, '\0');
    for (char& c : noise) c = static_cast<char>(rng.next());
    expect_refused({"noise", noise, ""});
  }
}

}  // namespace
}  // namespace hone
