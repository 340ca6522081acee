#include "run/native/random_groups_test.h"

#include <algorithm>
#include <limits>

#include "graph/ops/infer.h"

namespace hone::native {
namespace {

/// Adds one random operator after another to a model whose values are all floats.
class GroupMaker {
 public:
  GroupMaker(Rng& rng, std::int64_t most_elements) : rng_(rng), most_elements_(most_elements) {
    made_.model.opsets.imports = {{"", 18}};
  }

  RandomGroup make() {
    add_input(random_dims());
    const std::size_t count = 1 + below(9);
    for (std::size_t i = 0; i < count; ++i) add_operator();
    // The last value and, now and then, one of those before it.
    Graph& graph = made_.model.graph;
    graph.add_output(values_.back().id);
    for (const Known& value : values_)
      if (below(6) == 0 && !graph.is_output(value.id) && !graph.is_input(value.id)) graph.add_output(value.id);
    infer_types(made_.model);
    return std::move(made_);
  }

 private:
  struct Known {
    ValueId id;
    Dims dims;
  };

  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(rng_.next() % bound); }
  Graph& graph() { return made_.model.graph; }
  const Known& any() { return values_[below(values_.size())]; }

  Dims random_dims() {
    static constexpr std::int64_t kSizes[] = {1, 2, 3, 4, 5, 7, 16, 17, 33};
    Dims dims;
    const std::size_t rank = 1 + below(4);
    std::int64_t count = 1;
    for (std::size_t i = 0; i < rank; ++i) {
      std::int64_t size = kSizes[below(std::size(kSizes))];
      if (count * size > most_elements_) size = 1;
      if (below(60) == 0) size = 0;
      count *= size;
      dims.push_back(size);
    }
    return dims;
  }

  Tensor random_floats(const Dims& dims) {
    Tensor tensor = Tensor::zeros(ElementType::float32, dims);
    for (float& element : tensor.write<float>()) {
      element = static_cast<float>(static_cast<double>(rng_.next() >> 11) * 0x1.0p-53 * 4 - 2);
      if (!has_special_) continue;
      if (below(500) == 0) element = std::numeric_limits<float>::quiet_NaN();
      if (below(500) == 0) element = std::numeric_limits<float>::infinity();
    }
    return tensor;
  }

  Known add_input(const Dims& dims) {
    Tensor tensor = random_floats(dims);
    const std::string name = "input" + std::to_string(values_.size());
    const bool is_constant = !values_.empty() && below(3) == 0;
    const ValueId id = is_constant ? graph().add_constant(name, tensor)
                                   : graph().add_input(name, Type::tensor(ElementType::float32, tensor.shape()));
    if (!is_constant) made_.inputs.emplace_back(tensor);
    else graph().set_type(id, Type::tensor(ElementType::float32, tensor.shape()));
    if (!is_constant) values_.push_back({id, dims});
    return {id, dims};
  }

  ValueId integers(const std::vector<std::int64_t>& list) {
    return graph().add_constant("list" + std::to_string(next_++), Tensor::vector(list));
  }

  void add(std::string_view op, const std::vector<ValueId>& inputs, const Dims& dims, Attributes attributes = {}) {
    values_.push_back({graph().add(OpName::intern("", op), inputs, std::move(attributes)), dims});
  }

  void add_operator() {
    switch (below(16)) {
      case 0:
      case 1: return add_unary();
      case 2:
      case 3:
      case 4: return add_binary();
      case 5: return add_reduction();
      case 6: return add_normalization();
      case 7: return add_transpose();
      case 8: return add_reshape();
      case 9: return add_slice();
      case 10: return add_concat();
      case 11: return add_choice();
      case 12: return add_detour();
      case 13: return add_index();
      case 14: return add_repetition();
      default: return add_product();
    }
  }

  void add_unary() {
    static constexpr std::string_view kOps[] = {"Relu",     "Sigmoid", "Tanh",  "Abs",  "Neg",  "Erf",
                                                "Softplus", "Sqrt",    "Elu",   "Selu", "Atan", "Asinh",
                                                "Sinh",     "Floor",   "Round", "Sign"};
    const Known x = any();
    add(kOps[below(std::size(kOps))], {x.id}, x.dims);
  }

  void add_binary() {
    static constexpr std::string_view kOps[] = {"Add", "Sub", "Mul", "Max", "Min", "Div"};
    const Known x = any();
    Dims other = x.dims;
    for (std::int64_t& dim : other)
      if (below(3) == 0) dim = 1;
    if (below(3) == 0 && other.size() > 1) {
      Dims shorter;
      for (std::size_t i = 1; i < other.size(); ++i) shorter.push_back(other[i]);
      other = shorter;
    }
    Known y = below(3) == 0 ? x : add_input(other);
    for (const Known& value : values_)
      if (value.dims == other && below(2) == 0) y = value;
    add(kOps[below(std::size(kOps))], {x.id, y.id}, x.dims);
  }

  ValueId converted(ValueId x, ElementType to) {
    return graph().add(OpName::intern("", "Cast"), std::vector<ValueId>{x}, {{"to", static_cast<std::int64_t>(to)}});
  }

  /// One of two values by how they compare.
  void add_choice() {
    static constexpr std::string_view kOps[] = {"Less", "GreaterOrEqual", "Equal"};
    const Known x = any(), y = below(2) == 0 ? x : add_input(x.dims);
    const ValueId truth = graph().add(OpName::intern("", kOps[below(3)]), std::vector<ValueId>{x.id, y.id});
    add("Where", {truth, y.id, x.id}, x.dims);
  }

  /// Through another type and back.
  void add_detour() {
    static constexpr ElementType kTypes[] = {ElementType::float64, ElementType::float16, ElementType::bfloat16,
                                             ElementType::int32,   ElementType::int8,    ElementType::uint16,
                                             ElementType::int64,   ElementType::boolean};
    const Known x = any();
    const ElementType type = kTypes[below(std::size(kTypes))];
    ValueId there = converted(x.id, type);
    if (is_integer(type) && below(2) == 0)
      there = graph().add(OpName::intern("", "Mul"), std::vector<ValueId>{there, there});
    values_.push_back({converted(there, ElementType::float32), x.dims});
  }

  /// Where the largest or smallest of an axis is.
  void add_index() {
    const Known x = any();
    const std::size_t axis = below(x.dims.size());
    if (element_count(x.dims) == 0) return;
    Dims dims = x.dims;
    dims[axis] = 1;
    const ValueId index = graph().add(
        OpName::intern("", below(2) == 0 ? "ArgMax" : "ArgMin"), std::vector<ValueId>{x.id},
        {{"axis", static_cast<std::int64_t>(axis)}, {"select_last_index", static_cast<std::int64_t>(below(2))}});
    values_.push_back({converted(index, ElementType::float32), dims});
  }

  void add_repetition() {
    const Known x = any();
    if (element_count(x.dims) > 3000) return;
    std::vector<std::int64_t> times(x.dims.size(), 1);
    times[below(times.size())] = 2;
    Dims dims = x.dims;
    for (std::size_t i = 0; i < dims.size(); ++i) dims[i] *= times[i];
    if (below(2) == 0) return add("Tile", {x.id, integers(times)}, dims);
    const ValueId axis = graph().add_constant("list" + std::to_string(next_++), Tensor::scalar<std::int64_t>(0));
    add("CumSum", {x.id, axis}, x.dims);
  }

  void add_reduction() {
    static constexpr std::string_view kOps[] = {"ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceL2"};
    const Known x = any();
    Dims dims = x.dims;
    std::vector<std::int64_t> axes;
    for (std::size_t i = 0; i < dims.size(); ++i)
      if (below(2) == 0 && dims[i] > 0) axes.push_back(static_cast<std::int64_t>(i)), dims[i] = 1;
    if (axes.empty()) return;
    add(kOps[below(std::size(kOps))], {x.id, integers(axes)}, dims);
  }

  void add_normalization() {
    const Known x = any();
    const auto axis = static_cast<std::int64_t>(below(x.dims.size()));
    if (below(2) == 0) return add("Softmax", {x.id}, x.dims, {{"axis", axis}});
    Dims row;
    for (std::size_t i = static_cast<std::size_t>(axis); i < x.dims.size(); ++i) row.push_back(x.dims[i]);
    if (element_count(x.dims) == 0) return;
    const Known scale = add_input(row);
    add("LayerNormalization", {x.id, scale.id}, x.dims, {{"axis", axis}});
  }

  void add_transpose() {
    const Known x = any();
    std::vector<std::int64_t> perm(x.dims.size());
    for (std::size_t i = 0; i < perm.size(); ++i) perm[i] = static_cast<std::int64_t>(i);
    for (std::size_t i = perm.size(); i > 1; --i) std::swap(perm[i - 1], perm[below(i)]);
    Dims dims;
    for (const std::int64_t axis : perm) dims.push_back(x.dims[static_cast<std::size_t>(axis)]);
    add("Transpose", {x.id}, dims, {{"perm", perm}});
  }

  void add_reshape() {
    const Known x = any();
    Dims dims;
    if (below(2) == 0) {  // the last axes become one
      for (std::size_t i = 0; i + 2 < x.dims.size(); ++i) dims.push_back(x.dims[i]);
      dims.push_back(x.dims.size() > 1 ? x.dims[x.dims.size() - 2] * x.dims[x.dims.size() - 1] : x.dims[0]);
    } else {  // one axis becomes two
      for (const std::int64_t dim : x.dims) {
        const std::int64_t part = dim % 2 == 0 && dim > 2 ? 2 : 1;
        if (part > 1) dims.push_back(part);
        dims.push_back(dim / part);
      }
    }
    if (element_count(x.dims) == 0 || dims.size() > 6) return;
    add("Reshape", {x.id, integers({dims.begin(), dims.end()})}, dims);
  }

  void add_slice() {
    const Known x = any();
    const std::size_t axis = below(x.dims.size());
    const std::int64_t size = x.dims[axis];
    if (size < 2) return;
    Dims dims = x.dims;
    const std::int64_t start = static_cast<std::int64_t>(below(static_cast<std::size_t>(size)));
    const std::int64_t step = below(4) == 0 ? 2 : 1;
    dims[axis] = (size - start + step - 1) / step;
    add("Slice",
        {x.id, integers({start}), integers({size}), integers({static_cast<std::int64_t>(axis)}), integers({step})},
        dims);
  }

  void add_concat() {
    const Known x = any();
    const std::size_t axis = below(x.dims.size());
    Dims other = x.dims;
    other[axis] = 1 + static_cast<std::int64_t>(below(4));
    const Known y = below(2) == 0 ? x : add_input(other);
    Dims dims = x.dims;
    dims[axis] += y.dims[axis];
    add("Concat", {x.id, y.id}, dims, {{"axis", static_cast<std::int64_t>(axis)}});
  }

  void add_product() {
    const Known x = any();
    if (x.dims.size() < 2 || has_special_) return;
    const std::int64_t columns = 1 + static_cast<std::int64_t>(below(5));
    Dims other{x.dims[x.dims.size() - 1], columns};
    if (below(2) == 0 && x.dims.size() > 2) other = {x.dims[x.dims.size() - 3], other[0], columns};
    const Known y = add_input(other);
    Dims dims = x.dims;
    dims[dims.size() - 1] = columns;
    add("MatMul", {x.id, y.id}, dims);
  }

  Rng& rng_;
  std::int64_t most_elements_;
  bool has_special_ = below(2) == 0;  // infinities and what is no number, which an activation after a product may drop
  RandomGroup made_;
  std::vector<Known> values_;
  std::size_t next_ = 0;
};

}  // namespace

RandomGroup random_group(Rng& rng, std::int64_t most_elements) { return GroupMaker(rng, most_elements).make(); }

}  // namespace hone::native
