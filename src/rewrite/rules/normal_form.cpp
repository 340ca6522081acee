#include "rewrite/rules/normal_form.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "graph/ops/evaluate.h"
#include "rewrite/rules/parameters.h"

namespace hone {
namespace {

constexpr std::int64_t kOldestOpset = 7;  // before it broadcasting was an attribute

bool is_convolution(std::string_view op) { return op == "Conv" || op == "ConvTranspose"; }
bool is_pool(std::string_view op) { return op == "MaxPool" || op == "AveragePool" || op == "LpPool"; }

/// Attributes that change no result, or that the form expresses otherwise.
bool is_left_out(std::string_view op, std::string_view attribute) {
  if (attribute == "auto_pad" || attribute == "noop_with_empty_axes" || attribute == "num_outputs") return true;
  if (attribute == "kernel_shape") return is_convolution(op);
  if (attribute == "momentum") return op == "BatchNormalization";
  if (attribute == "storage_order") return op == "MaxPool";
  return attribute == "allowzero";
}

/// Brings the attributes of one node into normal form.
class NormalForm {
 public:
  NormalForm(const Graph& graph, NodeId id, const RuleSetting& setting)
      : graph_(graph), node_(graph.node(id)), name_(node_.op->name), setting_(setting) {}

  std::optional<NamedTerms> run() {
    if (setting_.opsets.version("") < kOldestOpset && node_.op->domain.empty()) return std::nullopt;
    const Definition definition = definition_of(node_, setting_.opsets);
    if (definition.entry == nullptr || node_.captured > 0) return std::nullopt;
    if (!read_attributes(*definition.entry, definition.version) || !read_parameters(definition.version))
      return std::nullopt;
    if (node_.op->domain.empty() && !complete(*definition.entry, definition.version)) return std::nullopt;
    std::ranges::sort(terms_, {}, &std::pair<std::string, Term>::first);
    return std::move(terms_);
  }

 private:
  const Type& input_type(std::size_t slot) const {
    static const Type kNone;
    return slot < node_.inputs.size() && node_.inputs[slot].valid() ? graph_.value(node_.inputs[slot]).type : kNone;
  }
  std::optional<std::int64_t> input_rank() const {
    const Type& type = input_type(0);
    return type.is_tensor() && type.ranked ? std::optional(static_cast<std::int64_t>(type.shape.size())) : std::nullopt;
  }
  const Type& output_type() const { return graph_.value(node_.outputs[0]).type; }

  Term* find_term(std::string_view name) {
    const auto found = std::ranges::find_if(terms_, [&](const auto& term) { return term.first == name; });
    return found != terms_.end() ? &found->second : nullptr;
  }
  void set_term(std::string_view name, Term value) {
    if (Term* existing = find_term(name)) *existing = std::move(value);
    else terms_.emplace_back(name, std::move(value));
  }
  void drop_term(std::string_view name) {
    std::erase_if(terms_, [&](const auto& term) { return term.first == name; });
  }

  bool read_attributes(const OpEntry& entry, int version) {
    for (const Attribute& attribute : *node_.attributes) {
      if (!attribute.reference.empty()) return false;
      if (attribute.name == "auto_pad")
        if (const auto* mode = std::get_if<std::string>(&attribute.value)) auto_pad_ = *mode;
      if (attribute.name == "noop_with_empty_axes")
        if (const auto* noop = std::get_if<std::int64_t>(&attribute.value)) noop_ = *noop != 0;
      if (!is_left_out(name_, attribute.name) && find_spec(entry, version, attribute.name) == nullptr) return false;
    }
    for (const AttributeSpec& spec : entry.attributes) {
      if (version < spec.first || version > spec.last || is_left_out(name_, spec.name)) continue;
      const Attribute* given = node_.attribute(spec.name);
      if (given == nullptr && !spec.fallback) continue;
      Term term = term_of(given != nullptr ? given->value : *spec.fallback);
      if (term.index() == 0) return false;
      terms_.emplace_back(spec.name, std::move(term));
    }
    return true;
  }

  bool read_parameters(int version) {
    for (const OperatorParameter& parameter : parameters_of(node_.op)) {
      if (version < parameter.since) continue;
      if (parameter.slot >= node_.inputs.size() || !node_.inputs[parameter.slot].valid()) continue;
      const Tensor* tensor = fixed_contents(graph_, node_.inputs[parameter.slot], setting_.defaults);
      if (tensor == nullptr) return false;
      if (parameter.kind == OperatorParameter::Kind::integers) {
        if (!is_integer(tensor->type()) || tensor->count() > 64) return false;
        const std::vector<std::int64_t> integers = tensor->integers();
        set_term(parameter.attribute, DimList(integers.begin(), integers.end()));
      } else {
        if (tensor->count() != 1 || (!is_floating(tensor->type()) && !is_integer(tensor->type()))) return false;
        set_term(parameter.attribute, tensor->number_at(0));
      }
    }
    return true;
  }

  bool complete(const OpEntry& entry, int version) {
    if (node_.outputs.empty() || !node_.outputs[0].valid()) return false;
    if (is_convolution(name_) || is_pool(name_)) return complete_window();
    if (name_ == "BatchNormalization") return version >= 7;
    if (name_ == "Transpose") return complete_permutation();
    if (name_ == "Reshape" || name_ == "Expand") return complete_shape();
    if (name_ == "Split") return count_axis("axis") && complete_split();
    if (name_ == "Slice") return complete_slice();
    if (name_ == "Pad") return complete_pads();
    if (name_ == "Clip") return complete_bounds();
    if (name_ == "Squeeze" || name_ == "Unsqueeze") return complete_squeeze();
    if (name_.starts_with("Reduce")) return complete_reduction();
    if (name_ == "Einsum") return rename_letters();
    if (find_term("axis") == nullptr) return true;
    return count_axis("axis") && (!changes_meaning(entry, version, "axis") || is_last_axis());
  }

  /// Letters of an equation are named by first appearance.
  bool rename_letters() {
    const Term* term = find_term("equation");
    const auto* equation = term != nullptr ? std::get_if<std::string>(term) : nullptr;
    if (equation == nullptr || equation->find('.') != std::string::npos) return false;
    std::string renamed, met;
    for (const char c : *equation) {
      if (c == ' ') continue;
      if (c == ',' || c == '-' || c == '>') {
        renamed += c;
        continue;
      }
      std::size_t place = met.find(c);
      if (place == std::string::npos) {
        place = met.size();
        met += c;
      }
      if (place >= 26) return false;
      renamed += static_cast<char>('a' + place);
    }
    set_term("equation", renamed);
    return true;
  }

  /// Makes a negative axis count from the front.
  bool count_axis(std::string_view name) {
    const std::optional<std::int64_t> rank = input_rank();
    Term* term = find_term(name);
    const auto axis = term != nullptr ? known_integer(*term) : std::nullopt;
    if (!axis || !rank) return false;
    if (*axis < 0) *term = Dim(*axis + *rank);
    return *axis >= -*rank && *axis <= *rank;
  }

  bool is_last_axis() {
    const std::optional<std::int64_t> rank = input_rank();
    return rank && known_integer(*find_term("axis")) == *rank - 1;
  }

  bool complete_window() {
    const Type& kernel = input_type(1);
    std::size_t spatial = 0;
    if (is_convolution(name_)) {
      if (!kernel.is_tensor() || !kernel.ranked || kernel.shape.size() < 3) return false;
      spatial = kernel.shape.size() - 2;
    } else {
      const Term* shape = find_term("kernel_shape");
      if (shape == nullptr) return false;
      spatial = std::get<DimList>(*shape).size();
    }
    if (find_term("output_shape") != nullptr) return false;
    for (const auto& [attribute, count] : {std::pair("strides", spatial), std::pair("dilations", spatial)})
      if (find_term(attribute) == nullptr) set_term(attribute, DimList(count, Dim(1)));
    if (name_ == "ConvTranspose" && find_term("output_padding") == nullptr)
      set_term("output_padding", DimList(spatial, Dim(0)));
    if (auto_pad_ == "NOTSET" || auto_pad_.empty()) {
      if (find_term("pads") == nullptr) set_term("pads", DimList(2 * spatial, Dim(0)));
    } else if (auto_pad_ == "VALID") {
      set_term("pads", DimList(2 * spatial, Dim(0)));
    } else if (!complete_same_padding(spatial)) {
      return false;
    }
    return true;
  }

  bool complete_same_padding(std::size_t spatial) {
    const Type& input = input_type(0);
    if (name_ == "ConvTranspose" || !input.is_static_tensor() || input.shape.size() != spatial + 2) return false;
    if (name_ == "Conv" && !input_type(1).is_static_tensor()) return false;
    const auto strides = known_integers(*find_term("strides")), dilations = known_integers(*find_term("dilations"));
    if (strides->size() != spatial || dilations->size() != spatial) return false;
    DimList pads(2 * spatial, Dim(0));
    for (std::size_t i = 0; i < spatial; ++i) {
      const std::int64_t size = input.shape[i + 2].value();
      const std::int64_t kernel = name_ == "Conv" ? input_type(1).shape[i + 2].value()
                                                  : std::get<DimList>(*find_term("kernel_shape"))[i].value();
      if ((*strides)[i] <= 0) return false;
      const std::int64_t positions = (size + (*strides)[i] - 1) / (*strides)[i];
      const std::int64_t total =
          std::max<std::int64_t>(0, (positions - 1) * (*strides)[i] + (kernel - 1) * (*dilations)[i] + 1 - size);
      const std::int64_t before = auto_pad_ == "SAME_UPPER" ? total / 2 : total - total / 2;
      pads[i] = before;
      pads[i + spatial] = total - before;
    }
    set_term("pads", pads);
    return true;
  }

  bool complete_permutation() {
    if (find_term("perm") != nullptr) return true;
    const std::optional<std::int64_t> rank = input_rank();
    if (!rank) return false;
    DimList reversed;
    for (std::int64_t i = *rank; i > 0; --i) reversed.push_back(i - 1);
    set_term("perm", reversed);
    return true;
  }

  /// The shape that comes out, which says the same as zeros and minus ones in the one that is given.
  bool complete_shape() {
    const Type& type = output_type();
    if (find_term("shape") == nullptr || !type.is_static_tensor()) return false;
    if (std::ranges::any_of(type.shape, [](Dim d) { return d == Dim(0); })) return false;
    set_term("shape", DimList(type.shape.begin(), type.shape.end()));
    return true;
  }

  bool complete_split() {
    DimList sizes;
    const std::int64_t axis = *known_integer(*find_term("axis"));
    for (const ValueId output : node_.outputs) {
      if (!output.valid()) return false;
      const Type& type = graph_.value(output).type;
      if (!type.is_tensor() || !type.ranked || axis >= static_cast<std::int64_t>(type.shape.size())) return false;
      sizes.push_back(type.shape[static_cast<std::size_t>(axis)]);
    }
    if (!std::ranges::all_of(sizes, &Dim::known)) return false;
    set_term("split", sizes);
    return true;
  }

  /// Axes from the front in ascending order, without repetition.
  std::optional<DimList> counted_axes(const Term& term, std::int64_t rank) const {
    auto axes = known_integers(term);
    if (!axes) return std::nullopt;
    for (std::int64_t& axis : *axes) {
      if (axis < -rank || axis >= rank) return std::nullopt;
      if (axis < 0) axis += rank;
    }
    std::ranges::sort(*axes);
    if (std::ranges::adjacent_find(*axes) != axes->end()) return std::nullopt;
    return DimList(axes->begin(), axes->end());
  }

  bool complete_squeeze() {
    const Type& longer = name_ == "Squeeze" ? input_type(0) : output_type();
    if (!longer.is_tensor() || !longer.ranked) return false;
    if (find_term("axes") == nullptr) {
      if (name_ == "Unsqueeze" || !is_static(longer.shape)) return false;
      DimList ones;
      for (std::size_t i = 0; i < longer.shape.size(); ++i)
        if (longer.shape[i] == Dim(1)) ones.push_back(static_cast<std::int64_t>(i));
      set_term("axes", ones);
      return true;
    }
    const auto axes = counted_axes(*find_term("axes"), static_cast<std::int64_t>(longer.shape.size()));
    if (axes) set_term("axes", *axes);
    return axes.has_value();
  }

  bool complete_reduction() {
    const std::optional<std::int64_t> rank = input_rank();
    if (!rank || noop_) return false;
    const Term* given = find_term("axes");
    DimList axes;
    if (given == nullptr || std::get<DimList>(*given).empty()) {
      for (std::int64_t i = 0; i < *rank; ++i) axes.push_back(i);
    } else if (const auto counted = counted_axes(*given, *rank)) {
      axes = *counted;
    } else {
      return false;
    }
    set_term("axes", axes);
    return true;
  }

  /// Every axis of the input has a start, an end within the dimension and a step; only forward steps have this form.
  bool complete_slice() {
    const Type& input = input_type(0);
    if (!input.is_static_tensor() || find_term("starts") == nullptr || find_term("ends") == nullptr) return false;
    const auto starts = known_integers(*find_term("starts")), ends = known_integers(*find_term("ends"));
    const std::size_t count = starts->size();
    DimList all_first, ones(count, Dim(1));
    for (std::size_t i = 0; i < count; ++i) all_first.push_back(static_cast<std::int64_t>(i));
    const auto axes = known_integers(find_term("axes") != nullptr ? *find_term("axes") : Term(all_first));
    const auto steps = known_integers(find_term("steps") != nullptr ? *find_term("steps") : Term(ones));
    const std::int64_t rank = static_cast<std::int64_t>(input.shape.size());
    if (ends->size() != count || axes->size() != count || steps->size() != count) return false;
    DimList full_starts(input.shape.size(), Dim(0)), full_ends(input.shape.begin(), input.shape.end());
    DimList full_steps(input.shape.size(), Dim(1)), full_axes;
    for (std::int64_t i = 0; i < rank; ++i) full_axes.push_back(i);
    for (std::size_t i = 0; i < count; ++i) {
      if ((*axes)[i] < -rank || (*axes)[i] >= rank || (*steps)[i] <= 0) return false;
      const auto axis = static_cast<std::size_t>((*axes)[i] < 0 ? (*axes)[i] + rank : (*axes)[i]);
      const std::int64_t size = input.shape[axis].value();
      const auto clamp = [&](std::int64_t at) {
        return std::clamp<std::int64_t>(at < 0 ? std::max(at, -size) + size : at, 0, size);
      };
      full_starts[axis] = clamp((*starts)[i]);
      full_ends[axis] = clamp((*ends)[i]);
      full_steps[axis] = (*steps)[i];
    }
    set_term("starts", full_starts);
    set_term("ends", full_ends);
    set_term("axes", full_axes);
    set_term("steps", full_steps);
    return true;
  }

  bool complete_pads() {
    const std::optional<std::int64_t> rank = input_rank();
    const auto pads = find_term("pads") != nullptr ? known_integers(*find_term("pads")) : std::nullopt;
    if (!rank || !pads || pads->size() % 2 != 0) return false;
    if (find_term("value") == nullptr) set_term("value", 0.0);
    if (const Term* given = find_term("axes")) {
      const auto axes = known_integers(*given);
      if (!axes || 2 * axes->size() != pads->size()) return false;
      DimList full(2 * static_cast<std::size_t>(*rank), Dim(0));
      for (std::size_t i = 0; i < axes->size(); ++i) {
        const std::int64_t axis = (*axes)[i] < 0 ? (*axes)[i] + *rank : (*axes)[i];
        if (axis < 0 || axis >= *rank) return false;
        full[static_cast<std::size_t>(axis)] = (*pads)[i];
        full[static_cast<std::size_t>(axis + *rank)] = (*pads)[i + axes->size()];
      }
      set_term("pads", full);
      drop_term("axes");
    }
    return std::get<DimList>(*find_term("pads")).size() == 2 * static_cast<std::size_t>(*rank);
  }

  bool complete_bounds() {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (find_term("min") == nullptr) set_term("min", -kInfinity);
    if (find_term("max") == nullptr) set_term("max", kInfinity);
    return true;
  }

  const Graph& graph_;
  const Node& node_;
  std::string_view name_;
  const RuleSetting& setting_;
  std::string auto_pad_;
  bool noop_ = false;
  NamedTerms terms_;
};

}  // namespace

std::optional<NamedTerms> normal_attributes(const Graph& graph, NodeId id, const RuleSetting& setting) {
  return NormalForm(graph, id, setting).run();
}

std::size_t data_inputs(const OpName* op) {
  const std::span<const OperatorParameter> parameters = parameters_of(op);
  return parameters.empty() ? SIZE_MAX : parameters.front().slot;
}

}  // namespace hone
