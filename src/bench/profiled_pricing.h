#pragma once

#include <memory>

#include "onnxruntime/session.h"
#include "profile/record.h"
#include "rewrite/pricing.h"

namespace hone {

/// Prices nodes by timings on ONNX Runtime, each configuration once, as `GraphProfiler` takes them. What cannot run
/// alone costs what another pricing says.
class ProfiledPricing final : public NodePricing {
 public:
  /// Times what `known` lacks. The environment and `otherwise` must outlive the pricing.
  ProfiledPricing(Opsets opsets, const NodePricing& otherwise, ProfileTable known, const ort::Environment& environment);
  /// Times nothing: what `known` lacks costs what `otherwise` says.
  ProfiledPricing(Opsets opsets, const NodePricing& otherwise, ProfileTable known, ProfileContext context);

  double seconds(const PricedNode& node) const override;

  /// All timings, those that were known included.
  const ProfileTable& table() const { return table_; }

 private:
  Opsets opsets_;
  const NodePricing& otherwise_;
  mutable ProfileTable table_;
  ProfileContext context_;
  const ort::Environment* environment_ = nullptr;
};

}  // namespace hone
