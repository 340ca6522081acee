#pragma once

#include <string_view>

#include "base/random.h"
#include "zoo/builder.h"

namespace hone::zoo {

/// Draws blocks of networks over what flows along a trunk, and keeps to what it drew once for the whole network: its
/// normalisation and whether that comes before or after a block, its activation, whether projections have a bias.
class DrawnBlocks {
 public:
  DrawnBlocks(Builder& builder, Rng rng);

  Rng& rng() { return rng_; }

  /// One more block over tokens [batch, tokens, width]; those of an image are `columns` to a row, 0 for none.
  ValueId tokens(ValueId x, std::int64_t columns);
  /// The same, attention and layers in turn, as transformers have them.
  ValueId transformer(ValueId x, bool attends);
  /// The same, half of them convolutions over the image that the tokens are.
  ValueId pixels(ValueId x, std::int64_t columns);
  /// The same, half of them recurrences, unrolled.
  ValueId steps(ValueId x);
  /// One more block over an image [batch, channels, rows, columns].
  ValueId image(ValueId x);
  /// One more block over a signal [batch, channels, length].
  ValueId signal(ValueId x);
  /// A signal made shorter by a convolution that skips, as sounds are before anything else.
  ValueId shorter(ValueId x, std::int64_t channels, std::int64_t taps, std::int64_t stride);

 private:
  template <typename Value>
  Value one_of(std::initializer_list<Value> values) {
    return values.begin()[rng_.below(values.size())];
  }
  ValueId activated(ValueId x);
  ValueId normalized(std::string_view name, ValueId x);
  /// Tokens to [batch, width, tokens] and back.
  ValueId turned(ValueId x) { return b_.transpose(x, {0, 2, 1}); }

  /// What a block makes of x is added to it, normalised before or after.
  template <typename Block>
  ValueId beside(ValueId x, Block block) {
    if (normalized_first_) return b_.add(x, block(normalized("norm", x)));
    return normalized("norm", b_.add(x, block(x)));
  }
  ValueId token_block(ValueId x, std::int64_t columns);
  ValueId token_attention(ValueId x, std::int64_t columns);
  ValueId token_rotation(ValueId x);
  ValueId token_layers(ValueId x);
  ValueId token_pixels(ValueId x, std::int64_t columns);
  ValueId token_neighbours(ValueId x);
  ValueId token_recurrence(ValueId x);
  ValueId image_residual(ValueId x);
  ValueId image_bottleneck(ValueId x);
  ValueId image_branches(ValueId x);
  ValueId image_gate(ValueId x);
  ValueId image_shuffle(ValueId x);

  Builder& b_;
  Rng rng_;
  std::uint64_t activation_;
  bool centred_;  // LayerNorm, else by the root of the mean square
  bool normalized_first_;
  Bias bias_;
};

}  // namespace hone::zoo
