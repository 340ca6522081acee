#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "graph/ir/notes.h"
#include "graph/ir/tensor.h"

namespace hone {

class Graph;

/// A body of control flow; shared and never changed in place.
using SharedGraph = std::shared_ptr<const Graph>;

/// An attribute of a kind hone passes through without looking inside (types, sparse tensors); `encoded` is the file's.
struct OpaqueAttribute {
  std::string encoded;
  friend bool operator==(const OpaqueAttribute&, const OpaqueAttribute&) = default;
};

using AttributeValue =
    std::variant<std::int64_t, float, std::string, Tensor, SharedGraph, std::vector<std::int64_t>, std::vector<float>,
                 std::vector<std::string>, std::vector<Tensor>, std::vector<SharedGraph>, OpaqueAttribute>;

/// A named constant argument of a node.
struct Attribute {
  std::string name;
  AttributeValue value;
  std::string reference;  // inside a function body: the function's attribute this one stands for, else empty
  SharedNotes notes;
};

/// The attributes of one node, in file order; shared between nodes and graph copies.
using Attributes = std::vector<Attribute>;
using SharedAttributes = std::shared_ptr<const Attributes>;

/// Null when absent.
const Attribute* find(const Attributes& attributes, std::string_view name);

/// Same name and value; graphs are compared by structure, tensors by content.
bool same_meaning(const Attribute& a, const Attribute& b);

}  // namespace hone
