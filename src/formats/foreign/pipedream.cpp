#include "formats/foreign/pipedream.h"

#include <unordered_map>

#include "base/error.h"
#include "base/word_reader.h"

namespace hone {
namespace {

constexpr std::string_view kSeparator = " -- ";

struct Layer {
  std::string_view name, description;
  double forward_seconds = 0, backward_seconds = 0;
  double activation_bytes = 0, parameter_bytes = 0;
  std::vector<std::size_t> predecessors, successors;
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

/// Takes what stands before `separator` off the front of `rest`, or all of it.
std::string_view take_until(std::string_view& rest, std::string_view separator) {
  const std::size_t at = rest.find(separator);
  const std::string_view taken = rest.substr(0, at);
  rest = at == std::string_view::npos ? std::string_view() : rest.substr(at + separator.size());
  return taken;
}

class Profile {
 public:
  Profile(std::string_view text, const std::string& file) : file_(file) {
    for (std::size_t number = 1; !text.empty(); ++number) {
      const std::string_view line = take_until(text, "\n");
      where_ = fmt::format("{}:{}", file_, number);
      if (trimmed(line).empty()) continue;
      if (line.front() == '\t' || line.front() == ' ') edges_.push_back({trimmed(line), number});
      else read_layer(trimmed(line));
    }
    for (const auto& [line, number] : edges_) {
      where_ = fmt::format("{}:{}", file_, number);
      read_edge(line);
    }
    if (layers_.empty())
      fail("{}: no layers, expected lines such as 'node1 -- Input0 -- forward_compute_time=...'", file_);
  }

  std::vector<Layer> take() && { return std::move(layers_); }

 private:
  struct Edge {
    std::string_view line;
    std::size_t number;
  };

  void read_layer(std::string_view line) {
    const std::size_t first = line.find(kSeparator), last = line.rfind(kSeparator);
    if (first == std::string_view::npos || first == last)
      fail("{}: expected 'name -- layer -- forward_compute_time=..., ...'", where_);
    Layer layer;
    layer.name = line.substr(0, first);
    layer.description = line.substr(first + kSeparator.size(), last - first - kSeparator.size());
    std::string_view fields = line.substr(last + kSeparator.size());
    while (!fields.empty()) read_field(layer, trimmed(take_until(fields, ",")));
    if (!by_name_.emplace(layer.name, layers_.size()).second) fail("{}: a second layer '{:.40}'", where_, layer.name);
    layers_.push_back(std::move(layer));
  }

  void read_field(Layer& layer, std::string_view field) const {
    constexpr double kMilliseconds = 1e-3;
    std::string_view value = field;
    const std::string_view key = take_until(value, "=");
    if (key == "forward_compute_time")
      layer.forward_seconds = kMilliseconds * parse_amount(value, where_, "milliseconds");
    if (key == "backward_compute_time")
      layer.backward_seconds = kMilliseconds * parse_amount(value, where_, "milliseconds");
    if (key == "activation_size") layer.activation_bytes = sum(value);
    if (key == "parameter_size") layer.parameter_bytes = sum(value);
  }

  /// `12.0` or `[12.0; 8.0]`
  double sum(std::string_view value) const {
    if (!value.starts_with('[')) return parse_amount(value, where_, "bytes");
    if (!value.ends_with(']')) fail("{}: a list without an end, expected ']'", where_);
    value = value.substr(1, value.size() - 2);
    double total = 0;
    while (!value.empty()) total += parse_amount(trimmed(take_until(value, ";")), where_, "bytes");
    return total;
  }

  void read_edge(std::string_view line) {
    std::string_view to = line;
    const std::string_view from = take_until(to, kSeparator);
    const std::size_t source = layer_named(from), target = layer_named(to);
    layers_[source].successors.push_back(target);
    layers_[target].predecessors.push_back(source);
  }

  std::size_t layer_named(std::string_view name) const {
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) fail("{}: there is no layer '{:.40}', expected 'nodeA -- nodeB'", where_, name);
    return found->second;
  }

  const std::string& file_;
  std::string where_;
  std::vector<Layer> layers_;
  std::vector<Edge> edges_;
  std::unordered_map<std::string_view, std::size_t> by_name_;
};

/// Turns layers into operations, forward first.
class ProfileLowering {
 public:
  ProfileLowering(std::vector<Layer> layers, const std::string& file) : layers_(std::move(layers)), builder_(file) {
    builder_.set_device_kinds({"gpu"});
  }

  Workload run() && {
    bool is_training = false;
    for (const Layer& layer : layers_) {
      is_training |= layer.backward_seconds > 0;
      parameters_.push_back(add_buffer(layer, ".parameters", layer.parameter_bytes, Buffer::Kind::weight));
      activations_.push_back(add_buffer(layer, "", layer.activation_bytes, Buffer::Kind::activation));
    }
    for (std::size_t i = 0; i < layers_.size(); ++i) add_forward(i);
    if (is_training) {
      for (const Layer& layer : layers_)
        gradients_.push_back(add_buffer(layer, ".gradient", layer.activation_bytes, Buffer::Kind::activation));
      for (std::size_t i = 0; i < layers_.size(); ++i) add_backward(i);
    }
    return std::move(builder_).build();
  }

 private:
  BufferId add_buffer(const Layer& layer, std::string_view suffix, double bytes, Buffer::Kind kind) {
    Buffer buffer;
    buffer.name = fmt::format("{}{}", layer.name, suffix);
    buffer.bytes = bytes;
    buffer.kind = kind;
    return builder_.add_buffer(std::move(buffer));
  }

  Operation operation_of(std::size_t i, double seconds) const {
    Operation operation;
    operation.name = layers_[i].name;
    operation.op = layers_[i].description.substr(0, layers_[i].description.find('('));
    operation.seconds = {seconds};
    operation.colocate = static_cast<std::uint32_t>(i + 1);
    return operation;
  }

  void add_forward(std::size_t i) {
    std::vector<BufferId> inputs = {parameters_[i]};
    for (const std::size_t before : layers_[i].predecessors) inputs.push_back(activations_[before]);
    builder_.add_operation(operation_of(i, layers_[i].forward_seconds), inputs, std::span(&activations_[i], 1));
  }

  /// The gradient a layer makes is that of its inputs, which its predecessors read.
  void add_backward(std::size_t i) {
    Operation operation = operation_of(i, layers_[i].backward_seconds);
    operation.name += ".backward";
    operation.backward = true;
    std::vector<BufferId> inputs = {parameters_[i], activations_[i]};
    for (const std::size_t before : layers_[i].predecessors) inputs.push_back(activations_[before]);
    for (const std::size_t after : layers_[i].successors) inputs.push_back(gradients_[after]);
    builder_.add_operation(std::move(operation), inputs, std::span(&gradients_[i], 1));
  }

  std::vector<Layer> layers_;
  WorkloadBuilder builder_;
  std::vector<BufferId> parameters_, activations_, gradients_;
};

}  // namespace

Workload parse_pipedream(std::string_view text, const std::string& file) {
  return ProfileLowering(Profile(text, file).take(), file).run();
}

}  // namespace hone
