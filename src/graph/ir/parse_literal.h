#pragma once

#include "graph/ir/lexer.h"
#include "graph/ir/tensor.h"
#include "graph/ir/type.h"

namespace hone {

/// Deepest nesting of types, and of graphs in graphs, that the text form may have.
inline constexpr int kMaxNesting = 100;

/// True when a type comes next.
bool at_type(const TokenStream& tokens);
/// `float[N,3]`, `seq(int64)`, `?`.
Type parse_type(TokenStream& tokens);
/// The elements of a tensor of a static type: `{1, 2, 3}`.
Tensor parse_elements(TokenStream& tokens, const Type& type);
/// A tensor with its type: `float[2] {1, 2}`, with a name between them or none.
Tensor parse_tensor(TokenStream& tokens);
/// A float: `1`, `1.5`, `-inf`, `0x7fc00001`.
float parse_float(TokenStream& tokens);

}  // namespace hone
