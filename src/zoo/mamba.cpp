#include "zoo/builder.h"
#include "zoo/registry.h"

// Mamba (Gu and Dao, 2023): selective state spaces, the scan unrolled in time.

namespace hone::zoo {
namespace {

/// The inputs of a scan over [batch, length, inner] with `states` numbers an inner channel.
struct Scan {
  ValueId x;      // [batch, length, inner]
  ValueId steps;  // [batch, length, inner]: how far each token moves the state
  ValueId into;   // [batch, length, states]
  ValueId from;   // [batch, length, states]
};

/// h' = exp(step A) h + (step x) into; y = h' from.
ValueId selective_scan(Builder& b, const Scan& scan, std::int64_t states) {
  const auto place = b.scope("scan");
  const Dims dims = b.dims(scan.x);
  const ValueId rates = b.neg(b.exp(b.weight("log_rates", {dims[2], states}, {.spread = 1, .offset = 0})));
  const ValueId decay = b.exp(b.mul(b.unsqueeze(scan.steps, {3}), rates));
  const ValueId drive = b.mul(b.unsqueeze(b.mul(scan.steps, scan.x), {3}), b.unsqueeze(scan.into, {2}));
  const std::vector<ValueId> decays = b.split_evenly(decay, 1, dims[1]), drives = b.split_evenly(drive, 1, dims[1]);
  const std::vector<ValueId> reads = b.split_evenly(b.unsqueeze(scan.from, {3}), 1, dims[1]);
  ValueId state = b.zeros({dims[0], 1, dims[2], states});
  std::vector<ValueId> outputs;
  for (std::size_t t = 0; t < decays.size(); ++t) {
    const auto step = b.scope(fmt::format("step{}", t));
    state = b.add(b.mul(decays[t], state), drives[t]);
    outputs.push_back(b.squeeze(b.matmul(state, reads[t]), {3}));
  }
  const ValueId joined = b.concat(outputs, 1);
  return b.add(joined, b.mul(scan.x, b.weight("skip", {dims[2]}, Init::constant(1))));
}

ValueId mixer(Builder& b, const Settings& s, ValueId x) {
  const auto place = b.scope("mixer");
  const std::int64_t inner = s["expansion"] * s["hidden"], taps = s["taps"], rank = (s["hidden"] + 15) / 16;
  const std::vector<ValueId> halves = b.split_evenly(b.linear("input", x, 2 * inner, Bias::none), -1, 2);
  const Window causal{.kernel = {taps}, .strides = {1}, .pads = {taps - 1, 0}};
  const ValueId mixed = b.conv("conv", b.transpose(halves[0], {0, 2, 1}), inner, causal, Bias::present, inner);
  const ValueId filtered = b.silu(b.transpose(mixed, {0, 2, 1}));
  const ValueId selected = b.linear("select", filtered, rank + 2 * s["states"], Bias::none);
  const std::vector<ValueId> parts = b.split(selected, -1, {rank, s["states"], s["states"]});
  const ValueId steps = b.unary("Softplus", b.linear("steps", parts[0], inner));
  const ValueId scanned = selective_scan(b, {filtered, steps, parts[1], parts[2]}, s["states"]);
  return b.linear("output", b.mul(scanned, b.silu(halves[1])), s["hidden"], Bias::none);
}

void mamba(Builder& b, const Settings& s) {
  const ValueId ids = b.input("input_ids", {s["batch"], s["length"]}, ElementType::int64);
  const ValueId words = b.weight("embedding", {s["vocabulary"], s["hidden"]}, {.spread = 0.035});
  ValueId x = b.gather(words, ids);
  for (std::int64_t i = 0; i < s["layers"]; ++i) {
    const auto layer = b.scope(fmt::format("layer{}", i));
    x = b.add(x, mixer(b, s, b.rms_norm("norm", x)));
  }
  b.predict_classes(b.matmul(b.rms_norm("final_norm", x), b.transpose(words, {1, 0})));
}

const ZooFamily mamba_family({{"mamba",
                               "Mamba-130M: selective state spaces, the scan unrolled",
                               {batch_parameter(),
                                length_parameter("length", 32, "tokens"),
                                depth_parameter("layers", 24, "blocks"),
                                {"hidden", 768, "width"},
                                {"states", 16, "numbers of state an inner channel"},
                                {"expansion", 2, "inner channels a channel"},
                                {"taps", 4, "of the causal convolution"},
                                {"vocabulary", 50280, "word pieces"}},
                               mamba}});

}  // namespace
}  // namespace hone::zoo
