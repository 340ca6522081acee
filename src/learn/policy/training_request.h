#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace hone {

/// What the user wants of `hone train`.
struct TrainingRequest {
  static constexpr std::uint64_t kUsualSteps = 1000;  // unless the user sets a limit
  static constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

  std::string method = "guided";        // names a trainer
  std::string algorithm = "reinforce";  // of trainers that know several
  std::string encoder, head;            // name an encoder and a kind of policy; empty: what the trainer uses
  std::vector<std::string> data;        // what the user calls the examples to learn from
  std::string objective = "memory", machine = "regal-2";
  std::string tasks;           // what is decided, of trainers that let one choose; empty: what the trainer uses
  std::string without;         // a part of the network, or `refinement`, that is left out, to see what it is worth; go only
  std::string device = "cpu";  // where the network is worked on: `cpu` or `cuda`
  std::filesystem::path out;
  std::string start;    // a policy to go on from; empty: an untrained one with a rule made by hand
  std::string licence;  // for the card; empty: that of the policy to go on from
  std::uint64_t seed = 0;
  std::uint64_t steps = kUsualSteps;  // kNoLimit where time alone ends it
  double seconds = std::numeric_limits<double>::infinity();
  std::size_t graphs = 8;            // of a step
  std::size_t samples = 16;          // plans or searches drawn for each of them
  std::uint64_t evaluations = 1000;  // of a search by which a policy is measured
  std::size_t width = 32, rounds = 2;
  std::size_t threads = 1;
  double rate = 0.003;             // of learning
  double entropy = 0.01;           // what keeping choices open is worth
  std::uint64_t save_every = 100;  // steps
};

/// Whether the network that is trained is that of the policy to go on from, if there is one, or drawn anew.
enum class FirstNetwork : std::uint8_t { of_start, drawn };

/// Throws InputError (usage) for numbers that nothing can be learned with, and for unknown encoders and kinds.
void check(const TrainingRequest& request);

/// What decides what is learned, as option and value; how long, where and by how many threads is not part of it.
std::vector<std::pair<std::string, std::string>> options_of(const TrainingRequest& request, FirstNetwork first);

/// The command that asks for the same.
std::string command_of(const TrainingRequest& request, FirstNetwork first);

}  // namespace hone
