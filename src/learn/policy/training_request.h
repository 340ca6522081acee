#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace hone {

/// What the user wants of `hone train`.
struct TrainingRequest {
  std::string method = "regal";
  std::string algorithm = "reinforce";  // `reinforce`, `ppo` or `supervised`
  std::string encoder = "messages";     // or `sequence`
  std::string head = "autoregressive";  // or `independent`
  std::vector<std::string> data;        // what the user calls the graphs to learn from
  std::string objective = "memory", machine = "regal-2";
  std::string device = "cpu";  // where the network is worked on: `cpu` or `cuda`
  std::filesystem::path out;
  std::string start;    // a policy to go on from; empty: an untrained one with a rule made by hand
  std::string licence;  // for the card; empty: that of the policy to go on from
  std::uint64_t seed = 0;
  std::uint64_t steps = 1000;
  double seconds = 1e9;      // ends after so many, too
  std::size_t graphs = 8;    // of a step
  std::size_t samples = 16;  // plans drawn for each of them
  std::size_t width = 32, rounds = 2;
  std::size_t threads = 1;
  double rate = 0.003;             // of learning
  double entropy = 0.01;           // what keeping choices open is worth
  std::uint64_t save_every = 100;  // steps
};

/// Throws InputError (usage) for numbers that nothing can be learned with.
void check(const TrainingRequest& request);

/// What decides what is learned, as option and value; how long, where and by how many threads is not part of it.
std::vector<std::pair<std::string, std::string>> options_of(const TrainingRequest& request);

/// The command that asks for the same.
std::string command_of(const TrainingRequest& request);

}  // namespace hone
