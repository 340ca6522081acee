#pragma once

#include <string>

#include "learn/train/torch_network.h"

namespace hone::learn {

/// A policy to go on from, built in or a file. Throws InputError when it is none that could be used.
Safetensors usable_policy(const std::string& name);

/// A number that a checkpoint holds as text. Throws InputError when it has none under this key.
double number_in(const Safetensors& checkpoint, const std::string& key);

/// Puts the arrays of a network into a checkpoint.
void put_network(const TorchNetwork& network, Safetensors& checkpoint);
/// The network of a checkpoint. Throws InputError when arrays are missing or do not fit.
TorchNetwork network_in(const Safetensors& checkpoint, const NetworkSpec& spec);

}  // namespace hone::learn
