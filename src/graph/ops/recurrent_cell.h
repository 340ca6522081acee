#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "graph/ops/op.h"

// One step of the recurrent cells.

namespace hone {

/// A function a gate applies, with its two numbers.
struct GateActivation {
  double (*function)(double x, double alpha, double beta) = nullptr;
  double alpha = 0;
  double beta = 0;

  double operator()(double x) const { return function(x, alpha, beta); }
};

/// The activations of all directions in order, from the node's attributes or from `fallback` for each direction.
std::vector<GateActivation> read_activations(const NodeReader& node, std::span<const std::string_view> fallback,
                                             std::size_t directions);

/// What one direction of a recurrent layer computes with.
struct CellParameters {
  std::size_t hidden = 0;
  std::span<const double> recurrence;  // gates * hidden rows of `hidden`
  std::span<const double> input_bias;  // gates * hidden
  std::span<const double> state_bias;  // gates * hidden
  std::span<const double> peepholes;   // input, output and forget gate of an LSTM; empty for none
  std::span<const GateActivation> activations;
  double clip = 0;                   // bound of what activations are given
  bool reset_after_product = false;  // GRU: linear_before_reset
  bool coupled_forget = false;       // LSTM: input_forget
};

/// What a cell remembers of one sample.
struct CellState {
  std::span<double> hidden;
  std::span<double> cell;  // of an LSTM
};

/// Advances a state by one step; `projected` is the input times the input weights, gates * hidden numbers.
using CellStep = void (*)(const CellParameters&, std::span<const double> projected, CellState state);

void step_rnn(const CellParameters& parameters, std::span<const double> projected, CellState state);
void step_gru(const CellParameters& parameters, std::span<const double> projected, CellState state);
void step_lstm(const CellParameters& parameters, std::span<const double> projected, CellState state);

}  // namespace hone
