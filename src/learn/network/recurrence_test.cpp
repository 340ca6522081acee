#include "learn/network/recurrence.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "learn/network/layers.h"

namespace hone {
namespace {

constexpr std::size_t kWidth = 3, kRows = 5;

Safetensors drawn_arrays(Rng& rng) {
  Safetensors contents;
  const auto draw = [&](const std::string& name, std::vector<std::size_t> shape, std::size_t count) {
    NamedArray array{.shape = std::move(shape)};
    for (std::size_t i = 0; i < count; ++i) array.values.push_back(static_cast<float>(rng.normal()));
    contents.arrays[name] = array;
  };
  draw("input", {3 * kWidth, kWidth}, 3 * kWidth * kWidth);
  draw("state", {3 * kWidth, kWidth}, 3 * kWidth * kWidth);
  draw("input_bias", {3 * kWidth}, 3 * kWidth);
  draw("state_bias", {3 * kWidth}, 3 * kWidth);
  return contents;
}

/// Both directions of a layer with the same arrays.
LayerArrays forward_arrays(const Safetensors& contents) {
  static Safetensors both;
  for (const auto& [name, array] : contents.arrays)
    both.arrays["read.forward." + name] = both.arrays["read.backward." + name] = array;
  return {both, "", {.name = "read", .kind = &reading_layer, .inputs = kWidth, .outputs = kWidth}, "test"};
}

/// One number of a product of a matrix with a row, and its bias.
double gate(const Safetensors& contents, const std::string& name, std::size_t result, const std::vector<double>& row) {
  double sum = static_cast<double>(contents.arrays.at(name + "_bias").values[result]);
  for (std::size_t i = 0; i < kWidth; ++i)
    sum += static_cast<double>(contents.arrays.at(name).values[result * kWidth + i]) * row[i];
  return sum;
}

TEST(Recurrence, DoesWhatItsFormulasSayInTheOrderOfTheSequence) {
  Rng rng(7);
  const Safetensors contents = drawn_arrays(rng);
  std::vector<float> rows;
  for (std::size_t i = 0; i < kRows * kWidth; ++i) rows.push_back(static_cast<float>(rng.normal()));
  const std::vector<std::uint32_t> sequence = {3, 0, 4, 1, 2};
  const std::vector<float> states = Recurrence(forward_arrays(contents), "forward.", kWidth).states(rows, sequence);
  ASSERT_EQ(states.size(), rows.size());
  const auto sigmoid = [](double value) { return 1 / (1 + std::exp(-value)); };
  std::vector<double> state(kWidth);
  for (const std::uint32_t row : sequence) {
    const std::vector<double> read(rows.begin() + row * kWidth, rows.begin() + (row + 1) * kWidth);
    std::vector<double> next(kWidth);
    for (std::size_t i = 0; i < kWidth; ++i) {
      const std::size_t u = kWidth + i, n = 2 * kWidth + i;
      const double reset = sigmoid(gate(contents, "input", i, read) + gate(contents, "state", i, state));
      const double update = sigmoid(gate(contents, "input", u, read) + gate(contents, "state", u, state));
      const double made = std::tanh(gate(contents, "input", n, read) + reset * gate(contents, "state", n, state));
      next[i] = (1 - update) * made + update * state[i];
      EXPECT_NEAR(states[row * kWidth + i], next[i], 1e-5);
    }
    state = next;
  }
}

}  // namespace
}  // namespace hone
