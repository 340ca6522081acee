#pragma once

#include <string>

#include "graph/ir/model.h"

namespace hone {

/// How much is printed: everything, so that the text can be read back as the same model; or what people want to see,
/// without the contents of large tensors and without what is only kept for the file format.
enum class PrintDetail { whole, readable };

/// A model in ONNX's text form (https://github.com/onnx/onnx/blob/main/docs/Syntax.md), which `parse_model` reads back
/// as the same model. Notes follow what they belong to as `#: <doc_string: "...">`, a comment to other readers.
///
/// Values whose type the model did not spell out are printed without one.
std::string print(const Model& model, PrintDetail detail = PrintDetail::whole);

/// A graph in the same form.
std::string print(const Graph& graph);

/// Words of the text form for the kinds of attributes, by index of AttributeValue; a list stands five after its
/// element.
inline constexpr const char* kAttributeKinds[] = {"int",    "float",   "string",  "tensor", "graph",  "ints",
                                                  "floats", "strings", "tensors", "graphs", "encoded"};
inline constexpr std::size_t kFirstListKind = 5;

/// True for a word that begins a type: `float`, `seq`. As a name it must be quoted.
bool is_type_word(std::string_view word);

}  // namespace hone
