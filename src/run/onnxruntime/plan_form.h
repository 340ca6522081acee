#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

#include "graph/ir/model.h"
#include "plan/emit/placement.h"
#include "plan/machine/machine.h"
#include "run/runtime/plan_form.h"

namespace hone::ort {

/// A plan in the forms that ONNX Runtime takes at the start of a session.
struct OrtDelivery {
  Model model;                     // every node named, and with `layer_ann` = `hone.DEVICE.STAGE` in its metadata
  std::string layer_assignment;    // for session.layer_assignment_settings
  nlohmann::ordered_json streams;  // the file for session.node_partition_config_file
  std::size_t named = 0;           // nodes that got a name or another one, because streams go by unique names
  bool one_session = true;         // a session has one device of each type; false when the plan uses more
};

/// ONNX Runtime knows types of devices: a kind whose name begins with `cpu`, `npu` or `fpga` is one, any other is a
/// `gpu`. The IR version of the model is 10 or more, which has metadata of nodes.
OrtDelivery deliver_to_ort(Model model, const Machine& machine, const Placement& placement);

/// The same as files: `model.onnx`, `layer_assignment.txt` and `streams.json`.
class OrtPlanForm : public PlanForm {
 public:
  std::string_view name() const override { return "ort"; }
  std::string_view index_file() const override { return "streams.json"; }
  /// Devices by layer assignments; order by streams, each of which runs its nodes one after the other.
  std::span<const PlanDecision> obeys() const override { return kObeyed; }
  std::string write(const Model& model, const Machine& machine, const Placement& placement,
                    const std::filesystem::path& folder) const override;

 private:
  static constexpr PlanDecision kObeyed[] = {PlanDecision::devices, PlanDecision::order};
};

}  // namespace hone::ort
