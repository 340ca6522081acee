#pragma once

#include <cstdint>
#include <filesystem>
#include <unordered_map>
#include <vector>

#include "graph/ir/model.h"

namespace hone {

/// Large weights of many models that are written into one folder, each stored once. Proposals of a search differ in few
/// weights: written whole, a model of a gigabyte would fill a disk with what was tried.
class SharedWeights {
 public:
  /// The folder must outlive whatever reads the models.
  explicit SharedWeights(std::filesystem::path folder);

  /// The model with references in place of large weights, to be written into the folder. Those that no model before had
  /// go to a file of their own there.
  Model refer(const Model& model);

 private:
  struct Place {
    std::filesystem::path file;
    std::uint64_t offset = 0;
  };

  std::filesystem::path folder_;
  std::unordered_map<const std::byte*, Place> places_;  // by where the bytes lie in memory
  std::vector<Tensor> kept_;                            // so that no others come to lie there
  std::size_t files_ = 0;
};

}  // namespace hone
