#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "zoo/emitter.h"
#include "zoo/settings.h"

namespace hone::zoo {

/// Where the weights of a built model are.
enum class WeightStorage {
  seeded,  // initialisers with random contents
  zero,    // initialisers whose zeros take no memory until read
  splat,   // a ConstantOfShape node a weight: a small file that still runs
};

/// What the built graph is for; decides whether normalisation uses batch statistics and whether there is a loss.
enum class Purpose { inference, training };

/// How to build, whatever the model.
struct BuildOptions {
  WeightStorage weights = WeightStorage::seeded;
  ElementType element = ElementType::float32;
  std::uint64_t seed = 1;
  Purpose purpose = Purpose::inference;
};

/// What a weight holds before training: `offset` plus something even in [-spread, spread].
struct Init {
  double spread = 0;
  double offset = 0;

  static Init constant(double value) { return {.spread = 0, .offset = value}; }
  /// Keeps the variance of activations through a layer that sums `fan_in` products.
  static Init fan_in(std::int64_t fan_in);
  /// The same through a layer followed by a rectifier.
  static Init before_relu(std::int64_t fan_in);
};

enum class Bias { none, present };

/// How attention is divided and which positions it may see.
struct Heads {
  std::int64_t count = 1;
  ValueId mask = {};          // added to the scores; none: everything is seen
  Bias bias = Bias::present;  // of the projections
};

/// The state of one recurrent cell.
struct LstmState {
  ValueId hidden;
  ValueId cell;
};

/// The weights of one recurrent cell, shared by all its steps. Gates are in the order i, f, g, o.
struct LstmCell {
  ValueId input_weight;   // [inputs, 4 * width]
  ValueId hidden_weight;  // [width, 4 * width]
  ValueId bias;           // [4 * width]
};

/// A buffer that a training run itself replaces, such as a running mean.
struct BufferUpdate {
  ValueId before;
  ValueId after;
};

/// Builds neural networks layer by layer: an Emitter with weights.
class Builder : public Emitter {
 public:
  Builder(Graph& graph, const BuildOptions& options) : Emitter(graph, options.element), options_(options) {}

  Purpose purpose() const { return options_.purpose; }
  /// The weights a training step changes, in order of creation.
  const std::vector<ValueId>& parameters() const { return parameters_; }
  const std::vector<BufferUpdate>& buffer_updates() const { return buffer_updates_; }
  /// A scalar that training makes small; none in an inference graph.
  ValueId loss() const { return loss_; }

  // Inputs, weights and results.
  ValueId input(std::string_view name, const Dims& dims) { return input(name, dims, element()); }
  ValueId input(std::string_view name, const Dims& dims, ElementType type);
  ValueId weight(std::string_view name, const Dims& dims, Init init);
  /// A weight that training leaves alone.
  ValueId buffer(std::string_view name, const Dims& dims, Init init);
  void output(std::string_view name, ValueId value);
  /// The model's answer is a class a row: the logits are an output; training adds labels and the mean cross-entropy.
  void predict_classes(ValueId logits);
  /// The model's answer is a number an element: an output; training adds targets and the mean squared error.
  void predict_values(ValueId values);

  // Layers. `name` becomes part of the names of nodes and weights.
  ValueId conv(std::string_view name, ValueId x, std::int64_t channels, const Window& window, Bias bias = Bias::none,
               std::int64_t groups = 1);
  /// Convolution, batch normalisation, rectifier.
  ValueId conv_norm_relu(std::string_view name, ValueId x, std::int64_t channels, const Window& window,
                         std::int64_t groups = 1);
  ValueId conv_norm(std::string_view name, ValueId x, std::int64_t channels, const Window& window,
                    std::int64_t groups = 1);
  /// One filter a channel.
  ValueId depthwise(std::string_view name, ValueId x, const Window& window);
  ValueId conv_transpose(std::string_view name, ValueId x, std::int64_t channels, const Window& window);
  ValueId batch_norm(ValueId x, double epsilon = 1e-5);
  ValueId linear(std::string_view name, ValueId x, std::int64_t features, Bias bias = Bias::present);
  /// Linear layer of the rows of [rows, features] with the weight stored transposed, as classifiers have it.
  ValueId classifier(std::string_view name, ValueId x, std::int64_t classes);
  ValueId layer_norm(std::string_view name, ValueId x, double epsilon = 1e-5);
  /// Root-mean-square normalisation with a scale.
  ValueId rms_norm(std::string_view name, ValueId x, double epsilon = 1e-5);
  ValueId embedding(std::string_view name, ValueId ids, std::int64_t count, std::int64_t width);

  // Activations that opset 17 spells out.
  ValueId gelu(ValueId x);
  ValueId gelu_tanh(ValueId x);
  ValueId silu(ValueId x) { return mul(x, sigmoid(x)); }
  ValueId relu6(ValueId x) { return clip(x, 0, 6); }

  // Attention over [batch, length, width].
  /// [batch, length, heads * size] to [batch, heads, length, size].
  ValueId split_heads(ValueId x, std::int64_t heads);
  ValueId merge_heads(ValueId x);
  /// softmax(q k' / sqrt(size) + mask) v; the mask may be none.
  ValueId attend(ValueId q, ValueId k, ValueId v, ValueId mask);
  /// Multi-head attention of `x` to `memory` with its four projections.
  ValueId attention(std::string_view name, ValueId x, ValueId memory, const Heads& heads);
  /// Zeros where row i may see column j, a large negative number elsewhere; [rows, columns], the last rows aligned.
  ValueId causal_mask(std::int64_t rows, std::int64_t columns);
  /// [batch, length] of ones and zeros to something to add to scores [batch, heads, rows, length].
  ValueId padding_mask(ValueId present);

  // Recurrence.
  LstmCell lstm_cell(std::string_view name, std::int64_t inputs, std::int64_t width);
  LstmState lstm_step(const LstmCell& cell, ValueId x, LstmState before);
  /// Zeros of [batch, width].
  ValueId zeros(const Dims& dims);

 private:
  ValueId make_weight(std::string_view name, const Dims& dims, Init init);
  /// Terms of the loss are added up.
  void add_loss(ValueId term);
  double masked_score() const;

  BuildOptions options_;
  std::vector<ValueId> parameters_;
  std::vector<BufferUpdate> buffer_updates_;
  ValueId loss_;
  double seeded_bytes_ = 0;
};

}  // namespace hone::zoo
