#include "formats/onnx/write.h"

#include <set>
#include <unordered_map>

#include "base/error.h"
#include "base/output_file.h"
#include "formats/onnx/attribute_codec.h"
#include "formats/onnx/fields.h"
#include "formats/onnx/metadata.h"
#include "formats/onnx/residue.h"
#include "formats/onnx/tensor_codec.h"
#include "formats/onnx/types.h"
#include "graph/ir/order.h"

namespace hone::onnx {
namespace {

// Offsets a loader can map directly, on any system.
constexpr std::uint64_t kPageBytes = 64 * 1024;
constexpr std::size_t kSmallTensor = 1024;

using Encoding = TensorOrigin::Encoding;

/// Decides, tensor by tensor, whether its bytes go into the model, stay in a file beside it, or move to a new one.
class TensorPlaces {
 public:
  /// Where large tensors go.
  enum class Large { inside, outside };
  /// What becomes of tensors that already lie in the file that would be written beside the target.
  enum class Resident { kept, rewritten };

  TensorPlaces(std::filesystem::path target, Large large, Resident resident)
      : target_(std::move(target)), large_(large), resident_(resident) {}

  /// Everything inside: for models held in memory.
  static TensorPlaces all_inside() { return {{}, Large::inside, Resident::kept}; }

  WireWriter write(const Tensor& tensor, std::string_view name) {
    const bool external = tensor.origin() && tensor.origin()->encoding == Encoding::external;
    if (external) weights_.insert(tensor.origin()->external_file);
    if (target_.empty()) return write_tensor(external ? as_raw(tensor) : tensor, name, std::nullopt);
    if (external && stays(tensor.origin()->external_file))
      return write_tensor(tensor, name, place_of(*tensor.origin()));
    const bool movable = tensor.type() != ElementType::string && tensor.bytes().size() >= kSmallTensor;
    if (!external && !(movable && large_ == Large::outside)) return write_tensor(tensor, name, std::nullopt);
    return write_tensor(tensor, name, place(tensor.bytes()));
  }

  /// True when the new data file would take the place of one that the model still reads from.
  bool overwrites_residents() const { return kept_residents_ && !outside_.empty(); }

  bool needs_data() const { return !outside_.empty(); }
  /// Files that tensors are read from.
  const std::set<std::filesystem::path>& weights() const { return weights_; }

  /// Writes the new data file, if one is needed.
  void finish() {
    if (outside_.empty()) return;
    OutputFile file(data_file(target_));
    for (const auto& [offset, bytes] : outside_) {
      file.write(std::string(offset - file.position(), '\0'));
      file.write(bytes);
    }
    file.commit();
  }

 private:
  std::filesystem::path folder() const { return std::filesystem::absolute(target_).lexically_normal().parent_path(); }

  bool stays(const std::filesystem::path& file) {
    if (file.parent_path() != folder()) return false;
    if (file.filename() != data_file(target_).filename()) return true;
    kept_residents_ = resident_ == Resident::kept;
    return kept_residents_;
  }

  /// Where a tensor lies that no file has named yet; one that was read says so in its own words.
  static std::optional<ExternalPlace> place_of(const TensorOrigin& origin) {
    if (origin.notes) return std::nullopt;
    return ExternalPlace{origin.external_file.filename().string(), origin.external_offset};
  }

  static Tensor as_raw(const Tensor& tensor) {
    auto origin = std::make_shared<TensorOrigin>();
    origin->name = tensor.origin()->name;
    return tensor.with_origin(std::move(origin));
  }

  ExternalPlace place(Bytes bytes) {
    // The same bytes are stored once.
    const auto [it, added] = offsets_.try_emplace(bytes.data(), end_);
    if (added) {
      const std::uint64_t alignment = bytes.size() >= kPageBytes ? kPageBytes : 64;
      it->second = (end_ + alignment - 1) / alignment * alignment;
      end_ = it->second + bytes.size();
      outside_.emplace_back(it->second, bytes);
    }
    return {data_file(target_).filename().string(), it->second};
  }

  std::filesystem::path target_;
  Large large_;
  Resident resident_;
  bool kept_residents_ = false;
  std::set<std::filesystem::path> weights_;
  std::vector<std::pair<std::uint64_t, Bytes>> outside_;
  std::unordered_map<const std::byte*, std::uint64_t> offsets_;
  std::uint64_t end_ = 0;
};

/// The names under which a graph's values are written: captures go by the name of the value they stand for.
class GraphWriter {
 public:
  GraphWriter(const Graph& graph, TensorPlaces& places, std::vector<std::string> capture_names = {})
      : graph_(graph), places_(places) {
    for (std::size_t i = 0; i < capture_names.size(); ++i)
      captures_.emplace(graph.captures()[i], std::move(capture_names[i]));
  }

  WireWriter write() {
    const Notes& notes = notes_of(graph_.notes);
    Residue residue(notes.residue);
    WireWriter encoded;
    write_nodes(graph_field::node, encoded);
    if (!graph_.name.empty()) encoded.text(graph_field::name, graph_.name);
    residue.flush_below(graph_field::initializer, encoded);
    for (const ValueId id : graph_.initializers())
      encoded.message(graph_field::initializer, places_.write(*graph_.value(id).constant, graph_.value(id).name));
    residue.flush_below(graph_field::doc_string, encoded);
    if (!notes.doc.empty()) encoded.text(graph_field::doc_string, notes.doc);
    residue.flush_below(graph_field::input, encoded);
    for (const ValueId id : graph_.inputs()) encoded.message(graph_field::input, write_declaration(id));
    for (const ValueId id : graph_.outputs()) encoded.message(graph_field::output, write_declaration(id));
    write_descriptions(graph_field::value_info, encoded);
    residue.flush_below(graph_field::metadata_props, encoded);
    write_entries(notes.metadata, graph_field::metadata_props, encoded);
    residue.flush(encoded);
    return encoded;
  }

  void write_nodes(std::uint32_t field, WireWriter& into) {
    for (const NodeId id : topological_order(graph_)) into.message(field, write_node(id));
  }

  /// Types the file spelled out, for values that still exist.
  void write_descriptions(std::uint32_t field, WireWriter& into) {
    for (const ValueId id : graph_.described()) {
      const Value& value = graph_.value(id);
      const bool present = value.producer.valid() || value.constant || graph_.is_input(id);
      if (present) into.message(field, write_declaration(id));
    }
  }

  const std::string& name_of(ValueId id) const {
    static const std::string none;
    if (!id.valid()) return none;
    const auto it = captures_.find(id);
    return it == captures_.end() ? graph_.value(id).name : it->second;
  }

 private:
  /// What the file declared, under the name that the value has now: readers may insist on the shape it gives, even
  /// where inference knows another that fits as well.
  WireWriter write_declaration(ValueId id) {
    const Value& value = graph_.value(id);
    const std::string& name = name_of(id);
    if (!value.notes || value.notes->residue.empty()) return write_value_info(name, value.type);
    WireWriter encoded;
    if (read_value_info(as_bytes(value.notes->residue)).name == name) {
      encoded.raw(as_bytes(value.notes->residue));
      return encoded;
    }
    Residue declared(value.notes->residue);
    declared.drop(value_info_field::name);
    encoded.text(value_info_field::name, name);
    declared.flush(encoded);
    return encoded;
  }

  WireWriter write_node(NodeId id) {
    const Node& node = graph_.node(id);
    const Notes& notes = notes_of(node.notes);
    Residue residue(notes.residue);
    if (!node.name.empty()) residue.drop(node_field::name);
    if (!node.op->domain.empty()) residue.drop(node_field::domain);
    WireWriter encoded;
    for (const ValueId input : node.written_inputs()) encoded.text(node_field::input, name_of(input));
    for (const ValueId output : node.outputs) encoded.text(node_field::output, name_of(output));
    if (!node.name.empty()) encoded.text(node_field::name, node.name);
    residue.flush_below(node_field::op_type, encoded);
    encoded.text(node_field::op_type, node.op->name);
    write_attributes(node, encoded);
    if (!notes.doc.empty()) encoded.text(node_field::doc_string, notes.doc);
    residue.flush_below(node_field::domain, encoded);
    if (!node.op->domain.empty()) encoded.text(node_field::domain, node.op->domain);
    residue.flush_below(node_field::overload, encoded);
    if (!node.op->overload.empty()) encoded.text(node_field::overload, node.op->overload);
    residue.flush_below(node_field::metadata_props, encoded);
    write_entries(notes.metadata, node_field::metadata_props, encoded);
    residue.flush(encoded);
    return encoded;
  }

  void write_attributes(const Node& node, WireWriter& into) {
    std::span<const ValueId> captured = node.captured_inputs();
    const AttributeWriters writers{
        [&](const Tensor& tensor) { return places_.write(tensor, tensor.origin() ? tensor.origin()->name : ""); },
        [&](const Graph& body) {
          std::vector<std::string> names;
          for (const ValueId outer : captured.first(body.captures().size())) names.push_back(name_of(outer));
          captured = captured.subspan(body.captures().size());
          return GraphWriter(body, places_, std::move(names)).write();
        }};
    for (const Attribute& attribute : *node.attributes)
      into.message(node_field::attribute, write_attribute(attribute, writers));
  }

  const Graph& graph_;
  TensorPlaces& places_;
  std::unordered_map<ValueId, std::string> captures_;
};

void write_opsets(const Opsets& opsets, std::uint32_t field, WireWriter& into) {
  for (std::size_t i = 0; i < opsets.imports.size(); ++i) {
    const auto& [domain, version] = opsets.imports[i];
    WireWriter import;
    if (!domain.empty()) import.text(opset_field::domain, domain);
    import.integer(opset_field::version, version);
    // The file may have written an empty domain, or the fields in another order.
    const bool as_read = i < opsets.encoded.size();
    into.bytes(field, as_bytes(as_read ? opsets.encoded[i] : import.flatten()));
  }
}

WireWriter write_function(const Function& function, TensorPlaces& places) {
  namespace at = function_field;
  const Notes& notes = notes_of(function.notes);
  Residue residue(notes.residue);
  GraphWriter body(function.body, places);
  const AttributeWriters writers{
      [&](const Tensor& tensor) { return places.write(tensor, tensor.origin() ? tensor.origin()->name : ""); },
      [](const Graph&) -> WireWriter { return {}; }};
  WireWriter encoded;
  encoded.text(at::name, function.op->name);
  residue.flush_below(at::input, encoded);
  for (const ValueId id : function.body.inputs()) encoded.text(at::input, body.name_of(id));
  for (const ValueId id : function.body.outputs()) encoded.text(at::output, body.name_of(id));
  for (const std::string& attribute : function.attributes) encoded.text(at::attribute, attribute);
  body.write_nodes(at::node, encoded);
  if (!notes.doc.empty()) encoded.text(at::doc_string, notes.doc);
  residue.flush_below(at::opset_import, encoded);
  write_opsets(function.opsets, at::opset_import, encoded);
  encoded.text(at::domain, function.op->domain);
  for (const Attribute& attribute : function.defaults)
    encoded.message(at::attribute_proto, write_attribute(attribute, writers));
  body.write_descriptions(at::value_info, encoded);
  residue.flush_below(at::overload, encoded);
  if (!function.op->overload.empty()) encoded.text(at::overload, function.op->overload);
  residue.flush_below(at::metadata_props, encoded);
  write_entries(notes.metadata, at::metadata_props, encoded);
  residue.flush(encoded);
  return encoded;
}

WireWriter write_model(const Model& model, TensorPlaces& places) {
  namespace at = model_field;
  const Notes& notes = notes_of(model.notes);
  Residue residue(notes.residue);
  WireWriter encoded;
  if (model.ir_version) encoded.integer(at::ir_version, *model.ir_version);
  if (model.producer_name) encoded.text(at::producer_name, *model.producer_name);
  if (model.producer_version) encoded.text(at::producer_version, *model.producer_version);
  if (model.domain) encoded.text(at::domain, *model.domain);
  if (model.model_version) encoded.integer(at::model_version, *model.model_version);
  residue.flush_below(at::doc_string, encoded);
  if (!notes.doc.empty()) encoded.text(at::doc_string, notes.doc);
  residue.flush_below(at::graph, encoded);
  encoded.message(at::graph, GraphWriter(model.graph, places).write());
  write_opsets(model.opsets, at::opset_import, encoded);
  residue.flush_below(at::metadata_props, encoded);
  write_entries(notes.metadata, at::metadata_props, encoded);
  residue.flush_below(at::functions, encoded);
  for (const Function& function : model.functions) encoded.message(at::functions, write_function(function, places));
  residue.flush(encoded);
  return encoded;
}

/// A model in its encoding, which refers to the weights where they are, and where these go.
struct PlacedModel {
  TensorPlaces places;
  WireWriter encoded;
};

PlacedModel place(const Model& model, TensorPlaces places) {
  WireWriter encoded = write_model(model, places);
  return {std::move(places), std::move(encoded)};
}

PlacedModel place_beside(const Model& model, const std::filesystem::path& target, const WriteOptions& options) {
  using Large = TensorPlaces::Large;
  using Resident = TensorPlaces::Resident;
  if (is_written_through(target)) {
    PlacedModel placed = place(model, TensorPlaces::all_inside());
    if (placed.encoded.size() > options.inside_limit)
      fail_usage("{}: the model is larger than one file can be, which takes a second file beside it: name a file",
                 target.string());
    return placed;
  }
  Large large = Large::inside;
  PlacedModel placed = place(model, {target, large, Resident::kept});
  if (placed.encoded.size() > options.inside_limit) {
    large = Large::outside;
    placed = place(model, {target, large, Resident::kept});
  }
  if (placed.places.overwrites_residents()) placed = place(model, {target, large, Resident::rewritten});
  return placed;
}

}  // namespace

std::filesystem::path data_file(const std::filesystem::path& target) { return target.string() + ".data"; }

FilesBeside files_beside(const Model& model, const std::filesystem::path& target, const WriteOptions& options) {
  const PlacedModel placed = place_beside(model, target, options);
  const std::set<std::filesystem::path>& weights = placed.places.weights();
  return {.weights = {weights.begin(), weights.end()}, .needs_data = placed.places.needs_data()};
}

void write(const Model& model, const std::filesystem::path& target, const WriteOptions& options) {
  PlacedModel placed = place_beside(model, target, options);
  OutputFile file(target);
  placed.encoded.write(file);
  placed.places.finish();
  file.commit();
}

std::string encode(const Model& model) {
  TensorPlaces places = TensorPlaces::all_inside();
  return write_model(model, places).flatten();
}

}  // namespace hone::onnx
