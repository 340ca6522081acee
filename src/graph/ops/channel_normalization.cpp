#include <cmath>

#include "graph/ops/cost_context.h"
#include "graph/ops/evaluate_context.h"
#include "graph/ops/family.h"
#include "graph/ops/infer_context.h"
#include "graph/ops/moments.h"
#include "graph/ops/numbers.h"

// Normalisations of channels: over the batch, over each sample, over groups of channels.

namespace hone {
namespace {

void check_has_channels(const NodeReader& node, std::size_t rank) {
  if (rank < 2) node.fail("an input of rank {} has no channels", rank);
}

/// One number a channel.
Numbers<double> channel_parameter(const EvaluateContext& context, std::size_t input, std::int64_t channels) {
  const Tensor& tensor = context.tensor(input);
  if (static_cast<std::int64_t>(tensor.count()) != channels)
    context.fail("input {} has {} elements for {} channels", input, tensor.count(), channels);
  return Numbers<double>(tensor);
}

/// Batch norm learns its statistics from the batch: said by an attribute, in the middle versions by asking for them.
bool is_training(const NodeReader& node) {
  if (node.version() >= 14) return node.integer("training_mode") != 0;
  return node.version() < 7 ? node.integer("is_test") == 0 : node.wants_output(1);
}

void infer_batch_normalization(InferContext& context) {
  context.output(0, context.type(0));
  // Statistics, all like the mean that comes in.
  for (std::size_t i = 1; i < context.output_count(); ++i) context.output(i, context.type(3));
}

/// [batch, channels, plane] of a batch norm's input.
struct ChannelView {
  std::int64_t batch = 1, channels = 1, plane = 1;
};

ChannelView batch_view(const NodeReader& node, const Dims& dims) {
  if (dims.empty()) node.fail("the input is a scalar");
  if (dims.size() == 1) return {.batch = dims[0]};
  // In old versions every place of a sample could have statistics of its own.
  const bool by_place = node.version() < 9 && node.integer("spatial") == 0;
  const std::int64_t rest = count_between(dims, 2, dims.size());
  return by_place ? ChannelView{dims[0], dims[1] * rest, 1} : ChannelView{dims[0], dims[1], rest};
}

/// Moments of each channel over the batch.
std::vector<Moments> batch_moments(const ChannelView& view, const Numbers<double>& numbers) {
  std::vector<Moments> moments;
  std::vector<double> channel(static_cast<std::size_t>(view.batch * view.plane));
  for (std::int64_t c = 0; c < view.channels; ++c) {
    for (std::int64_t n = 0; n < view.batch; ++n)
      for (std::int64_t i = 0; i < view.plane; ++i)
        channel[static_cast<std::size_t>(n * view.plane + i)] =
            numbers[static_cast<std::size_t>((n * view.channels + c) * view.plane + i)];
    moments.push_back(moments_of(channel));
  }
  return moments;
}

/// Leaves the updated and, in old versions, the momentary statistics.
void output_statistics(EvaluateContext& context, std::span<const Moments> before, std::span<const Moments> now) {
  const double momentum = context.number("momentum");
  std::vector<double> running_mean, running_variance, mean, variance;
  for (std::size_t c = 0; c < now.size(); ++c) {
    mean.push_back(now[c].mean);
    variance.push_back(now[c].variance);
    running_mean.push_back(before[c].mean * momentum + now[c].mean * (1 - momentum));
    running_variance.push_back(before[c].variance * momentum + now[c].variance * (1 - momentum));
  }
  const std::vector<double>* statistics[] = {&running_mean, &running_variance, &mean, &variance};
  for (std::size_t i = 1; i < 5; ++i)
    if (context.wants_output(i))
      context.output(i, tensor_of(context.tensor(3).type(), context.tensor(3).dims(), *statistics[i - 1]));
}

void evaluate_batch_normalization(EvaluateContext& context) {
  const Tensor& x = context.tensor(0);
  const ChannelView view = batch_view(context, x.dims());
  const Numbers<double> numbers(x);
  const auto scale = channel_parameter(context, 1, view.channels), bias = channel_parameter(context, 2, view.channels);
  const auto means = channel_parameter(context, 3, view.channels),
             variances = channel_parameter(context, 4, view.channels);
  std::vector<Moments> moments;
  for (std::size_t c = 0; c < means.size(); ++c) moments.push_back({means[c], variances[c]});
  if (is_training(context)) {
    const std::vector<Moments> now = batch_moments(view, numbers);
    output_statistics(context, moments, now);
    moments = now;
  }
  const double epsilon = context.number("epsilon");
  std::vector<double> result(numbers.size());
  for (std::int64_t line = 0; line < view.batch * view.channels; ++line) {
    const auto c = static_cast<std::size_t>(line % view.channels);
    const double factor = scale[c] / std::sqrt(moments[c].variance + epsilon);
    for (auto i = static_cast<std::size_t>(line * view.plane); i < static_cast<std::size_t>((line + 1) * view.plane);
         ++i)
      result[i] = (numbers[i] - moments[c].mean) * factor + bias[c];
  }
  context.output(0, tensor_of(x.type(), x.dims(), result));
}

void infer_channels(InferContext& context) {
  if (const Shape* x = context.shape(0)) check_has_channels(context, x->size());
  context.output(0, context.type(0));
}

/// Normalises each block of `length` numbers; then each channel of `plane` numbers has its scale and bias.
struct BlockNormalization {
  std::size_t length = 1;
  std::size_t plane = 1;
  double epsilon = 0;
};

std::vector<double> normalized_blocks(const Numbers<double>& numbers, const BlockNormalization& blocks,
                                      std::span<const double> scale, std::span<const double> bias) {
  std::vector<double> result(numbers.size());
  for (std::size_t start = 0; start < numbers.size(); start += blocks.length) {
    const Moments moments = moments_of(numbers.view().subspan(start, blocks.length));
    const double inverse = 1 / std::sqrt(moments.variance + blocks.epsilon);
    for (std::size_t i = start; i < start + blocks.length; ++i) {
      const std::size_t c = i / blocks.plane % scale.size();
      result[i] = (numbers[i] - moments.mean) * inverse * scale[c] + bias[c];
    }
  }
  return result;
}

void evaluate_instance_normalization(EvaluateContext& context) {
  const Tensor& x = context.tensor(0);
  check_has_channels(context, x.rank());
  const auto scale = channel_parameter(context, 1, x.dim(1)), bias = channel_parameter(context, 2, x.dim(1));
  const auto plane = static_cast<std::size_t>(count_between(x.dims(), 2, x.rank()));
  const BlockNormalization blocks = {plane, plane, context.number("epsilon")};
  const Numbers<double> numbers(x);
  context.output(0, tensor_of(x.type(), x.dims(), normalized_blocks(numbers, blocks, scale.view(), bias.view())));
}

void evaluate_group_normalization(EvaluateContext& context) {
  const Tensor& x = context.tensor(0);
  check_has_channels(context, x.rank());
  const std::int64_t groups = context.integer("num_groups"), channels = x.dim(1);
  if (groups < 1 || channels % groups != 0) context.fail("{} channels in {} groups", channels, groups);
  const bool by_group = context.version() < 21;
  const auto scale = channel_parameter(context, 1, by_group ? groups : channels);
  const auto bias = channel_parameter(context, 2, by_group ? groups : channels);
  const auto plane = static_cast<std::size_t>(count_between(x.dims(), 2, x.rank()));
  const std::size_t length = static_cast<std::size_t>(channels / groups) * plane;
  const BlockNormalization blocks = {length, by_group ? length : plane, context.number("epsilon")};
  const Numbers<double> numbers(x);
  context.output(0, tensor_of(x.type(), x.dims(), normalized_blocks(numbers, blocks, scale.view(), bias.view())));
}

// Running statistics fold into one multiply and one add; momentary ones have to be found first.
double batch_flops(const CostContext& context) { return (is_training(context) ? 8 : 2) * context.input_elements(0); }
double sample_flops(const CostContext& context) { return 8 * context.input_elements(0); }

// clang-format off
const OpFamily channel_normalization_family({
    {.name = "BatchNormalization", .versions = {1, 6, 7, 9, 14, 15}, .inputs = {5, 5}, .outputs = {1, 5},
     .attributes = {number("epsilon", 1e-5f), number("momentum", 0.9f), integer("spatial", 1).until(9),
                    integer("is_test", 0).until(7),
                    integers("consumed_inputs").until(6), integer("training_mode", 0).since(14)},
     .kind = OpKind::reduction, .infer = infer_batch_normalization, .evaluate = evaluate_batch_normalization,
     .flops = batch_flops},
    {.name = "InstanceNormalization", .versions = {1, 6, 22}, .inputs = {3, 3},
     .attributes = {number("epsilon", 1e-5f), integers("consumed_inputs").until(6)},
     .kind = OpKind::reduction, .infer = infer_channels, .evaluate = evaluate_instance_normalization,
     .flops = sample_flops},
    {.name = "GroupNormalization", .versions = {18, 21}, .inputs = {3, 3},
     .attributes = {number("epsilon", 1e-5f), integer("num_groups"), integer("stash_type", 1).since(21)},
     .kind = OpKind::reduction, .infer = infer_channels, .evaluate = evaluate_group_normalization,
     .flops = sample_flops},
});
// clang-format on

}  // namespace
}  // namespace hone
