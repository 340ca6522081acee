#pragma once

#include <map>
#include <string>

#include "learn/network/safetensors.h"
#include "learn/train/torch.h"

namespace hone::learn {

/// Adam: Kingma, Ba, "Adam: a method for stochastic optimization", 2015; gradients are clipped before.
class Adam {
 public:
  /// Throws InputError when the gradient is not finite any more.
  void step(std::map<std::string, torch::Tensor>& parameters, double rate);
  Safetensors save() const;
  void load(const Safetensors& contents);

 private:
  std::map<std::string, torch::Tensor> mean_, square_;
  std::int64_t steps_ = 0;
};

}  // namespace hone::learn
