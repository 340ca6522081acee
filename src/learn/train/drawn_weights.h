#pragma once

#include <map>
#include <string>

#include "base/random.h"
#include "learn/train/torch.h"

namespace hone::learn {

/// Arrays of a small network by name, drawn by hone's own randomness, so that nothing depends on what else a process
/// draws.
class DrawnWeights {
 public:
  explicit DrawnWeights(Rng rng) : rng_(rng) {}

  /// A matrix [inputs, outputs] as `name`, and a bias of zeros as `name_bias`.
  void add(const std::string& name, std::int64_t inputs, std::int64_t outputs);
  /// The four arrays of one direction of a recurrent layer with memory cells, as `torch::lstm` takes them.
  void add_lstm(const std::string& name, std::int64_t inputs, std::int64_t width);

  const torch::Tensor& at(const std::string& name) const { return all_.at(name); }
  /// Rows times the matrix, and the bias.
  torch::Tensor map(const std::string& name, const torch::Tensor& rows) const;
  std::vector<torch::Tensor> lstm(const std::string& name) const;
  std::map<std::string, torch::Tensor>& all() { return all_; }

 private:
  void draw(const std::string& name, at::IntArrayRef sizes, double spread);

  Rng rng_;
  std::map<std::string, torch::Tensor> all_;
};

/// While it lives, libtorch works with this thread alone: several of what it is used for run side by side.
class OneThread {
 public:
  OneThread();
  ~OneThread();
  OneThread(const OneThread&) = delete;

 private:
  int before_;
};

/// Draws one column of each row of log-probabilities [rows, columns].
std::vector<std::int64_t> drawn_columns(const torch::Tensor& log_chances, Rng& rng);

}  // namespace hone::learn
