#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "rewrite/search/pricing.h"
#include "run/profile/isolate.h"
#include "run/profile/operator_timing.h"

namespace hone {

/// What is known of how long operators take under one set of conditions.
struct OperatorTimings {
  ProfileContext context;
  ProfileTable table;
  double calibration = 1;  // how much longer timed operators took than a roofline says
};

/// Sizes of symbolic dims when the model is run; they serve to price nodes and change no model.
using DimSizes = std::map<std::string, std::int64_t>;

/// The sizes that a model's symbolic dims have in its static copy.
DimSizes dim_sizes(const Model& model, const Model& made_static);

/// Prices nodes by how long they were timed to take. Where no timing is known the roofline of an ordinary processor
/// stands in, scaled by how the timed nodes compare with it; such nodes are collected, so that they can be timed before
/// the next search.
class ProfilePricing final : public NodePricing {
 public:
  /// The timings must outlive the pricing.
  ProfilePricing(const OperatorTimings& timings, const Model& model, DimSizes sizes);

  double seconds(const PricedNode& node) const override;

  /// The nodes met so far of which nothing is known, side by side in a graph; those that cannot run alone are left out.
  const ObservedGraph& unknown() const { return unknown_; }
  /// How much longer the timed nodes met so far took than the roofline says; what it was before where there are none.
  double calibration() const;

 private:
  PricedNode sized(const PricedNode& node) const;
  void remember(const PricedNode& node, const std::string& config) const;

  const OperatorTimings& timings_;
  DimSizes sizes_;
  RooflinePricing roofline_;
  mutable ObservedGraph unknown_;
  mutable std::set<std::string> remembered_;
  mutable std::vector<double> ratios_;
  mutable double unknown_bytes_ = 0;
};

}  // namespace hone
