#include "zoo/builder.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "zoo/weights.h"

namespace hone::zoo {
namespace {

// Beyond this, seeded weights are refused: planning does not need their contents.
constexpr double kMaxSeededBytes = 16.0 * (1 << 30);

}  // namespace

Init Init::fan_in(std::int64_t fan_in) { return {.spread = std::sqrt(3.0 / static_cast<double>(fan_in))}; }
Init Init::before_relu(std::int64_t fan_in) { return {.spread = std::sqrt(6.0 / static_cast<double>(fan_in))}; }

ValueId Builder::input(std::string_view name, const Dims& dims, ElementType type) {
  Shape shape;
  for (const std::int64_t d : dims) shape.push_back(d);
  return graph().add_input(std::string(name), Type::tensor(type, shape));
}

ValueId Builder::weight(std::string_view name, const Dims& dims, Init init) {
  const ValueId id = make_weight(name, dims, init);
  parameters_.push_back(id);
  return id;
}

ValueId Builder::buffer(std::string_view name, const Dims& dims, Init init) { return make_weight(name, dims, init); }

ValueId Builder::make_weight(std::string_view name, const Dims& dims, Init init) {
  if (options_.weights == WeightStorage::splat) {
    // About 1 / fan_in, so that a sum of products with equal weights stays near its inputs.
    const Tensor value = filled(element(), {1}, init.offset + init.spread * init.spread / 6);
    const auto place = scope(name);
    return emit("ConstantOfShape", {integers(Integers(dims.begin(), dims.end()))}, dims, {{"value", value}}, element());
  }
  const std::string full = unique_name(name);
  if (options_.weights == WeightStorage::zero) return graph().add_constant(full, lazy_zeros(element(), dims));
  seeded_bytes_ += static_cast<double>(element_count(dims)) * bit_width(element()) / 8;
  if (seeded_bytes_ > kMaxSeededBytes)
    fail_usage("the weights of {} take over {:.0f} GiB; build it with weights=zero or weights=splat", graph().name,
               kMaxSeededBytes / (1 << 30));
  if (init.spread == 0) return graph().add_constant(full, filled(element(), dims, init.offset));
  const Rng rng = Rng(options_.seed).split(hash_text(full));
  return graph().add_constant(full, random_uniform(element(), dims, init.spread, rng));
}

void Builder::output(std::string_view name, ValueId value) {
  graph().rename(value, std::string(name));
  graph().add_output(value);
}

void Builder::predict_classes(ValueId logits) {
  if (purpose() == Purpose::inference) return output("logits", logits);
  const auto place = scope("loss");
  Dims label_dims = dims(logits);
  label_dims.back() = 1;
  Dims given = label_dims;
  given.pop_back();
  const ValueId labels = unsqueeze(input("labels", given, ElementType::int64), {-1});
  const ValueId chosen =
      emit("GatherElements", {log_softmax(logits), labels}, label_dims, {{"axis", std::int64_t{-1}}});
  Integers all;
  for (std::int64_t axis = 0; axis < rank(chosen); ++axis) all.push_back(axis);
  add_loss(neg(reduce("ReduceMean", chosen, all, Reduced::dropped)));
}

void Builder::predict_values(ValueId values) {
  if (purpose() == Purpose::inference) return output("values", values);
  const auto place = scope("loss");
  const ValueId difference = sub(values, input("targets", dims(values)));
  Integers all;
  for (std::int64_t axis = 0; axis < rank(values); ++axis) all.push_back(axis);
  add_loss(reduce("ReduceMean", mul(difference, difference), all, Reduced::dropped));
}

void Builder::add_loss(ValueId term) { loss_ = loss_.valid() ? add(loss_, term) : term; }

ValueId Builder::conv(std::string_view name, ValueId x, std::int64_t channels, const Window& window, Bias bias,
                      std::int64_t groups) {
  const auto place = scope(name);
  Dims filter{channels, dim(x, 1) / groups};
  std::int64_t fan_in = filter[1];
  for (const std::int64_t k : window.kernel) {
    filter.push_back(k);
    fan_in *= k;
  }
  std::vector<ValueId> inputs{x, weight("weight", filter, Init::before_relu(fan_in))};
  if (bias == Bias::present) inputs.push_back(weight("bias", {channels}, Init::constant(0)));
  return Emitter::conv(inputs, window, groups);
}

ValueId Builder::conv_norm(std::string_view name, ValueId x, std::int64_t channels, const Window& window,
                           std::int64_t groups) {
  const auto place = scope(name);
  return batch_norm(conv("conv", x, channels, window, Bias::none, groups));
}

ValueId Builder::conv_norm_relu(std::string_view name, ValueId x, std::int64_t channels, const Window& window,
                                std::int64_t groups) {
  const auto place = scope(name);
  return relu(batch_norm(conv("conv", x, channels, window, Bias::none, groups)));
}

ValueId Builder::depthwise(std::string_view name, ValueId x, const Window& window) {
  return conv(name, x, dim(x, 1), window, Bias::none, dim(x, 1));
}

ValueId Builder::conv_transpose(std::string_view name, ValueId x, std::int64_t channels, const Window& window) {
  const auto place = scope(name);
  const Window full = window.complete();
  Dims filter{dim(x, 1), channels}, result{dim(x, 0), channels};
  const std::size_t spatial = full.kernel.size();
  for (std::size_t i = 0; i < spatial; ++i) {
    filter.push_back(full.kernel[i]);
    result.push_back((dim(x, static_cast<std::int64_t>(i) + 2) - 1) * full.strides[i] + full.kernel[i] - full.pads[i] -
                     full.pads[i + spatial]);
  }
  const ValueId filters = weight("weight", filter, Init::fan_in(dim(x, 1)));
  return emit("ConvTranspose", {x, filters, weight("bias", {channels}, Init::constant(0))}, result,
              window.attributes());
}

ValueId Builder::batch_norm(ValueId x, double epsilon) {
  const auto place = scope("norm");
  const Dims channels{dim(x, 1)};
  const ValueId inputs[] = {
      x, weight("scale", channels, Init::constant(1)), weight("bias", channels, Init::constant(0)),
      buffer("running_mean", channels, Init::constant(0)), buffer("running_var", channels, Init::constant(1))};
  Attributes attributes{{"epsilon", static_cast<float>(epsilon)}};
  if (purpose() == Purpose::inference) return emit("BatchNormalization", inputs, dims(x), std::move(attributes));
  attributes.push_back({"training_mode", std::int64_t{1}});
  const Dims results[] = {dims(x), channels, channels};
  const std::vector<ValueId> outputs = emit_all("BatchNormalization", inputs, results, std::move(attributes));
  for (const std::size_t slot : {1, 2}) buffer_updates_.push_back({inputs[slot + 2], outputs[slot]});
  return outputs[0];
}

ValueId Builder::linear(std::string_view name, ValueId x, std::int64_t features, Bias bias) {
  const auto place = scope(name);
  const std::int64_t inputs = dim(x, -1);
  const ValueId product = matmul(x, weight("weight", {inputs, features}, Init::fan_in(inputs)));
  return bias == Bias::none ? product : add(product, weight("bias", {features}, Init::constant(0)));
}

ValueId Builder::classifier(std::string_view name, ValueId x, std::int64_t classes) {
  const auto place = scope(name);
  const std::int64_t inputs = dim(x, 1);
  const ValueId weights = weight("weight", {classes, inputs}, Init::fan_in(inputs));
  return gemm(x, weights, weight("bias", {classes}, Init::constant(0)), 1);
}

ValueId Builder::layer_norm(std::string_view name, ValueId x, double epsilon) {
  const auto place = scope(name);
  const Dims width{dim(x, -1)};
  const ValueId scale = weight("scale", width, Init::constant(1));
  return emit("LayerNormalization", {x, scale, weight("bias", width, Init::constant(0))}, dims(x),
              {{"axis", std::int64_t{-1}}, {"epsilon", static_cast<float>(epsilon)}});
}

ValueId Builder::rms_norm(std::string_view name, ValueId x, double epsilon) {
  const auto place = scope(name);
  const ValueId mean_square = reduce("ReduceMean", mul(x, x), {-1});
  const ValueId root = sqrt(add(mean_square, epsilon));
  return mul(div(x, root), weight("scale", {dim(x, -1)}, Init::constant(1)));
}

ValueId Builder::embedding(std::string_view name, ValueId ids, std::int64_t count, std::int64_t width) {
  const auto place = scope(name);
  return gather(weight("weight", {count, width}, {.spread = 0.02 * std::sqrt(3.0)}), ids);
}

ValueId Builder::gelu(ValueId x) {
  const auto place = scope("gelu");
  const ValueId cumulative = add(unary("Erf", div(x, scalar(std::sqrt(2.0)))), 1.0);
  return mul(mul(x, cumulative), 0.5);
}

ValueId Builder::gelu_tanh(ValueId x) {
  const auto place = scope("gelu");
  const ValueId cubed = mul(binary("Pow", x, scalar(3)), 0.044715);
  const ValueId inner = mul(add(x, cubed), std::sqrt(2 / 3.14159265358979323846));
  return mul(mul(x, 0.5), add(tanh(inner), 1.0));
}

}  // namespace hone::zoo
