#pragma once

#include <functional>
#include <map>
#include <string>

#include "run/native/program_model.h"

namespace hone::native {

/// By input of the graph: whether sizes or axes depend on what it holds, so that code needs it beforehand.
std::vector<bool> settling_inputs(const Graph& graph);

/// A model that is made ready once its inputs are there: for their shapes, for what inputs hold that sizes and axes
/// depend on, and for inputs that keep their defaults. What has been made ready is kept.
class SettledModel final : public NativeModel {
 public:
  using Make = std::function<std::unique_ptr<NativeModel>(const Model&)>;

  SettledModel(std::shared_ptr<const Model> model, Make make);

  void set_inputs(std::span<const Datum> inputs) override;
  void run() override { current_->run(); }
  std::vector<Datum> outputs() override { return current_->outputs(); }
  std::vector<std::string> notes() const override;
  std::vector<std::string> by_definition() const override;
  std::size_t held_bytes() const override { return current_ != nullptr ? current_->held_bytes() : 0; }
  ProgramModel* running() override { return current_ != nullptr ? current_->running() : nullptr; }

 private:
  enum class Contents { settled, left_open };

  bool is_settled(std::size_t input, const Datum& given, Contents contents) const;
  std::string key_of(std::span<const Datum> inputs, Contents contents) const;
  Model settled_for(std::span<const Datum> inputs, Contents contents) const;

  std::shared_ptr<const Model> model_;
  Make make_;
  std::vector<bool> settling_;  // by input
  std::map<std::string, std::unique_ptr<NativeModel>> ready_;
  NativeModel* current_ = nullptr;
};

}  // namespace hone::native
