#include "graph/ops/recurrent_cell.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>

namespace hone {
namespace {

/// An activation by name, with the defaults of the operator of that name; no default means it takes no such number.
struct NamedActivation {
  std::string_view name;
  double (*function)(double x, double alpha, double beta);
  std::optional<double> alpha, beta;
};

double gate_sigmoid(double x, double, double) { return 1 / (1 + std::exp(-x)); }

// clang-format off
constexpr NamedActivation kActivations[] = {
    {"affine", [](double x, double alpha, double beta) { return alpha * x + beta; }, 1, 0},
    {"relu", [](double x, double, double) { return std::max(x, 0.0); }, {}, {}},
    {"sigmoid", gate_sigmoid, {}, {}},
    {"tanh", [](double x, double, double) { return std::tanh(x); }, {}, {}},
    {"leakyrelu", [](double x, double alpha, double) { return x < 0 ? alpha * x : x; }, 0.01, {}},
    {"thresholdedrelu", [](double x, double alpha, double) { return x > alpha ? x : 0; }, 1, {}},
    {"scaledtanh", [](double x, double alpha, double beta) { return alpha * std::tanh(beta * x); }, 1, 1},
    {"hardsigmoid", [](double x, double alpha, double beta) { return std::clamp(alpha * x + beta, 0.0, 1.0); }, 0.2, 0.5},
    {"elu", [](double x, double alpha, double) { return x < 0 ? alpha * std::expm1(x) : x; }, 1, {}},
    {"softsign", [](double x, double, double) { return x / (1 + std::abs(x)); }, {}, {}},
    {"softplus", [](double x, double, double) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }, {}, {}},
};
// clang-format on

const NamedActivation& cell_activation(const NodeReader& node, std::string name) {
  std::string lower = name;
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const NamedActivation& activation : kActivations)
    if (activation.name == lower) return activation;
  node.fail("there is no activation '{}'", name);
}

/// Sum of products of a row of the recurrence with the state.
double product(const CellParameters& parameters, std::size_t row, std::span<const double> state) {
  const double* weights = parameters.recurrence.data() + row * parameters.hidden;
  double sum = 0;
  for (std::size_t k = 0; k < state.size(); ++k) sum += weights[k] * state[k];
  return sum;
}

/// What a gate's activation is given: input, state and both biases.
double gate_input(const CellParameters& parameters, std::span<const double> projected, std::size_t row,
                  std::span<const double> state) {
  return projected[row] + product(parameters, row, state) + parameters.input_bias[row] + parameters.state_bias[row];
}

double activated(const CellParameters& parameters, std::size_t activation, double x) {
  return parameters.activations[activation](std::clamp(x, -parameters.clip, parameters.clip));
}

}  // namespace

std::vector<GateActivation> read_activations(const NodeReader& node, std::span<const std::string_view> fallback,
                                             std::size_t directions) {
  std::vector<std::string> names = node.texts("activations");
  if (names.empty())
    for (std::size_t i = 0; i < directions; ++i) names.insert(names.end(), fallback.begin(), fallback.end());
  if (names.size() != fallback.size() * directions)
    node.fail("{} activations, expected {}", names.size(), fallback.size() * directions);
  const std::vector<float> alphas = node.numbers("activation_alpha"), betas = node.numbers("activation_beta");
  std::size_t next_alpha = 0, next_beta = 0;
  std::vector<GateActivation> activations;
  for (const std::string& name : names) {
    const NamedActivation& named = cell_activation(node, name);
    GateActivation activation = {named.function, named.alpha.value_or(0), named.beta.value_or(0)};
    // The lists hold numbers only for the activations that take them.
    if (named.alpha && next_alpha < alphas.size()) activation.alpha = alphas[next_alpha++];
    if (named.beta && next_beta < betas.size()) activation.beta = betas[next_beta++];
    activations.push_back(activation);
  }
  return activations;
}

void step_rnn(const CellParameters& parameters, std::span<const double> projected, CellState state) {
  std::vector<double> next(parameters.hidden);
  for (std::size_t i = 0; i < next.size(); ++i)
    next[i] = activated(parameters, 0, gate_input(parameters, projected, i, state.hidden));
  std::copy(next.begin(), next.end(), state.hidden.begin());
}

void step_gru(const CellParameters& parameters, std::span<const double> projected, CellState state) {
  const std::size_t hidden = parameters.hidden;
  std::vector<double> update(hidden), reset(hidden), kept(hidden);
  for (std::size_t i = 0; i < hidden; ++i) {
    update[i] = activated(parameters, 0, gate_input(parameters, projected, i, state.hidden));
    reset[i] = activated(parameters, 0, gate_input(parameters, projected, hidden + i, state.hidden));
    kept[i] = reset[i] * state.hidden[i];
  }
  std::vector<double> next(hidden);
  for (std::size_t i = 0; i < hidden; ++i) {
    const std::size_t row = 2 * hidden + i;
    const double candidate = parameters.reset_after_product
                                 ? projected[row] + parameters.input_bias[row] +
                                       reset[i] * (product(parameters, row, state.hidden) + parameters.state_bias[row])
                                 : gate_input(parameters, projected, row, kept);
    next[i] = (1 - update[i]) * activated(parameters, 1, candidate) + update[i] * state.hidden[i];
  }
  std::copy(next.begin(), next.end(), state.hidden.begin());
}

void step_lstm(const CellParameters& parameters, std::span<const double> projected, CellState state) {
  const std::size_t hidden = parameters.hidden;
  // Rows are those of the input, output, forget and cell gate.
  const auto gate = [&](std::size_t which, std::size_t i) {
    return gate_input(parameters, projected, which * hidden + i, state.hidden);
  };
  const auto peek = [&](std::size_t which, std::size_t i) {
    return parameters.peepholes.empty() ? 0 : parameters.peepholes[which * hidden + i] * state.cell[i];
  };
  std::vector<double> next(hidden);
  for (std::size_t i = 0; i < hidden; ++i) {
    const double input = activated(parameters, 0, gate(0, i) + peek(0, i));
    const double forget = parameters.coupled_forget ? 1 - input : activated(parameters, 0, gate(2, i) + peek(2, i));
    state.cell[i] = forget * state.cell[i] + input * activated(parameters, 1, gate(3, i));
    next[i] = activated(parameters, 0, gate(1, i) + peek(1, i)) * activated(parameters, 2, state.cell[i]);
  }
  std::copy(next.begin(), next.end(), state.hidden.begin());
}

}  // namespace hone
