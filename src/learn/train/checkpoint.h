#pragma once

#include <string>

#include "learn/train/policy_network.h"

namespace hone::learn {

/// A policy to go on from, built in or a file. Throws InputError when it is none that could be used.
Safetensors usable_policy(const std::string& name);

/// A number that a checkpoint holds as text. Throws InputError when it has none under this key.
double number_in(const Safetensors& checkpoint, const std::string& key);

/// What arrays of a network are called in a checkpoint.
void put_network(const Safetensors& network, Safetensors& checkpoint);
/// The network of a checkpoint, of the form that learning started with. Throws InputError when arrays are missing or do
/// not fit.
PolicyNetwork network_in(const Safetensors& checkpoint, const Safetensors& first, PolicyNetwork::Purpose purpose);

}  // namespace hone::learn
