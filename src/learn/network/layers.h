#pragma once

#include "learn/network/layer.h"

namespace hone {

/// W x + b. Arrays: weight, bias.
extern const LayerKind dense_layer;

/// Ba, Kiros, Hinton, "Layer normalization", 2016: every row less its mean, by its deviation, times weight, plus bias.
extern const LayerKind norm_layer;

/// What is added to a variance, so that no row is divided by zero.
inline constexpr float kNormEpsilon = 1e-5F;

/// Message passing without features of edges: S x + P mean(x of nodes before) + N mean(x of nodes after) + b. Arrays:
/// self, before, after, bias.
extern const LayerKind messages_layer;

/// Hamilton, Ying, Leskovec, "Inductive representation learning on large graphs", 2017, with max pooling:
/// S x + b + P max(relu(N y + n)) over the neighbours y of one direction; zero where there are none. Arrays:
/// neighbour.weight, neighbour.bias, self.weight, self.bias, pooled.
extern const LayerKind max_pool_layer;

/// Battaglia et al., "Relational inductive biases, deep learning, and graph networks", 2018, as REGAL uses it: messages
/// of both ends and the features e of the edge, summed up in both directions:
/// U x + u + R (sum relu(F y + f + E e + g) over edges from y + sum relu(B y + k + E e + g) over edges to y). Arrays:
/// update, from, back, edge (each .weight and .bias), received.
extern const LayerKind edge_messages_layer;

/// Velickovic et al., "Graph attention networks", 2018, with features of edges: the mean of V y + v over the neighbours
/// y of one direction, weighted by a softmax over leaky_relu(t V x + f V y + E e + g). Arrays: value, edge (each
/// .weight and .bias), to, from.
extern const LayerKind graph_attention_layer;

/// How much of what is below zero a score keeps there.
inline constexpr float kAttentionSlope = 0.2F;

/// Dai et al., "Transformer-XL", 2019, as GO uses it, without positions: the sequence of all nodes is cut into
/// segments; every node attends to all of its own segment and, by what was kept of it, of the one before. Arrays:
/// query, key, value (each .weight and .bias).
extern const LayerKind segment_attention_layer;

/// Superposition, as GO conditions its layers on the graph: every row times 2 sigmoid(W c + b), element by element,
/// where c is the condition of the graph and as wide as rows are. Arrays: weight, bias.
extern const LayerKind superposition_layer;

/// The sum of two gated recurrent units (`Recurrence`) that read all nodes as a sequence, one from each end. Arrays:
/// input, state, input_bias, state_bias, of forward. and of backward.
extern const LayerKind reading_layer;

}  // namespace hone
