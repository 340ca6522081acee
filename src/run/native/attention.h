#pragma once

#include "run/native/lowering.h"

namespace hone::native {

/// Two products with nothing but loops over the rows of the first between them, as of attention.
struct Attention {
  NodeId scores, mixture;       // the products
  std::vector<NodeId> between;  // in order, at least one
};

/// The attention that begins with a product.
std::optional<Attention> find_attention(const Model& model, NodeId scores);

/// The same groups with every attention in one, that of its second product; others may be left without nodes.
NodeGroups with_attention_together(const Model& model, NodeGroups groups);

/// Lowers attention block by block of rows, without ever storing all scores; false where its products, or what lies
/// between them, do not allow it.
bool lower_attention(Lowering& lowering, NodeId scores);

}  // namespace hone::native
