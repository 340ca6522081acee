#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graph/ir/model.h"
#include "run/runtime/runtime.h"

namespace hone {

/// A model inside another program: takes inputs of any sizes that the model allows, and runs.
class EmbeddedModel {
 public:
  /// Without a plan where `plan` is empty. Throws InputError for a file that is no model, and for a plan of another
  /// model where the model has fixed sizes.
  EmbeddedModel(const std::filesystem::path& model, std::filesystem::path plan, std::size_t threads);

  const std::vector<std::string>& input_names() const { return input_names_; }
  const std::vector<std::string>& output_names() const { return output_names_; }

  /// Copies an input; throws InputError for a name, type or number of bytes that does not fit.
  void set_input(const std::string& name, ElementType type, const Dims& dims, const void* elements);
  /// Throws InputError where an input is missing or the model cannot run on these.
  void run();
  bool ran_by_plan() const { return ran_by_plan_; }
  /// Of the last run; null for a name that is no output, and before the first run.
  const Tensor* output(const std::string& name) const;

 private:
  /// The model for inputs of one combination of sizes.
  struct Sized {
    Model model;
    std::unique_ptr<PreparedModel> prepared;
    bool by_plan = false;
  };
  Sized& sized();
  /// With which the plan is obeyed; nothing without one, or where it was made for other sizes.
  std::optional<RuntimeOptions> options_for(const Model& model) const;
  Sized made_ready(const std::vector<Dims>& sizes) const;

  Model model_;
  std::filesystem::path plan_;
  std::shared_ptr<const Runtime> runtime_;
  std::unique_ptr<RuntimeHost> host_;
  std::vector<std::string> input_names_, output_names_;
  std::vector<Datum> inputs_;                                      // by input; empty: not given
  std::map<std::vector<std::vector<std::int64_t>>, Sized> ready_;  // by sizes of all inputs
  std::vector<Datum> outputs_;
  bool ran_by_plan_ = false;
};

}  // namespace hone
