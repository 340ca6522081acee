#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/registered.h"
#include "graph/ir/model.h"
#include "graph/loops/loop_view.h"
#include "graph/ops/datum.h"
#include "run/native/groups.h"
#include "run/native/packed_product.h"
#include "run/native/program.h"

namespace hone::native {

/// How tensors of convolutions lie.
enum class ConvolutionLayout { blocks, channels_last };

/// What follows a contraction in its group.
enum class Epilogues { in_passing, apart };

/// Movement before whatever reads it: read where it is, or copied so that it lies row by row.
enum class Prologues { in_passing, apart };

/// Whether inputs of concatenations are written where they belong.
enum class Joining { in_place, copied };

/// What lowering may do, so that each can be done without to see what it is worth.
struct LoweringOptions {
  ConvolutionLayout layout = ConvolutionLayout::blocks;
  Epilogues epilogues = Epilogues::in_passing;
  Prologues prologues = Prologues::in_passing;
  Joining joining = Joining::in_place;
};

/// Where a value lies.
struct Stored {
  ArrayId array;
  LoopView view;

  ArrayPlace place() const { return {.array = array, .offset_bytes = view.offset * element_bytes()}; }
  std::int64_t element_bytes() const { return bit_width(view.element) / 8; }
};

/// Turns a model into a program, group by group: what a group's operators compute becomes as few steps as there is
/// code for.
class Lowering {
 public:
  Lowering(const Model& model, const LoweringOptions& options);

  Program lower(const NodeGroups& groups);

  // What those who lower single operators need.
  const Model& model() const { return model_; }
  const Graph& graph() const { return model_.graph; }
  const LoweringOptions& options() const { return options_; }
  Dims dims(ValueId id) const;
  bool is_stored(ValueId id) const { return stored_[id.index()].has_value() || graph().value(id).constant.has_value(); }
  /// Where a value lies that has been computed, or is constant.
  Stored stored(ValueId id);
  /// A constant; null for anything else.
  const Tensor* constant(ValueId id) const;
  /// The elements of a constant, to be packed: in the model's file, or a copy where they are not aligned there.
  Tensor elements(ValueId constant) const;
  /// Has a constant packed by `pack` once everything is lowered and what that took has been given back. Those of the
  /// most bytes come first: what packing takes besides is least when most is held.
  void pack_later(ValueId constant, std::function<void()> pack);
  /// Room for a value, in the array of a concatenation where it goes into one and lies there as in the view.
  Stored allocate(ValueId id, LoopView view);
  /// Room for a value in an array of its own.
  Stored allocate_alone(ValueId id, LoopView view);
  /// The same for whoever can write places further apart, as they lie in a concatenation with channels last.
  Stored allocate_evenly(ValueId id, LoopView view);
  /// Says where a value lies.
  void put(ValueId id, Stored stored) { stored_[id.index()] = std::move(stored); }
  /// A copy of a value that lies as the view says; the value itself where it does.
  Stored laid_out(ValueId id, const LoopView& view);
  /// The same for something that is no value by itself.
  Stored copied(const Stored& from, const LoopView& view, const std::string& name);

  /// A product with constant weights that have been packed.
  struct SharedProduct {
    ValueId bias;
    LoopView weights;
    std::shared_ptr<const PackedProduct> product;
  };
  /// Those with one constant.
  std::vector<SharedProduct>& shared_products(ValueId constant) { return shared_products_[constant]; }

  void add_step(std::unique_ptr<Step> step, NodeId node, std::string kind);
  ArrayId add_array(Array array);

  /// Whether an operator is of the group at hand, and of no other, and has not been lowered yet.
  bool is_pending(NodeId id) const;
  /// The only operator that reads a value, where it is pending.
  std::optional<NodeId> only_reader(ValueId id) const;
  void mark_done(NodeId id) { done_here_.insert(id); }

 private:
  void put_constant(NodeId id, const std::vector<Datum>& inputs);
  bool lower_as_constant(NodeId id);
  void append(std::unique_ptr<Step> step);
  void lower_group(const NodeGroup& group);
  void release_constants(const NodeGroup& group);
  void pack_constants();
  bool lower_as_view(NodeId id);
  void lower_loops(std::vector<NodeId> pending);
  bool lower_as_nest(const std::vector<NodeId>& nodes);
  void lower_alone(NodeId id);
  bool lay_out_rows(NodeId id);
  bool lower_by_operator(NodeId id);
  void lower_by_reference(NodeId id, const std::string& why);
  std::vector<ValueId> outputs_of(const std::vector<NodeId>& nodes) const;
  bool is_wanted(ValueId id, const std::vector<NodeId>& nodes) const;
  LoopView planned_view(ValueId id, const std::vector<NodeId>& nodes);
  void find_concatenations();
  std::optional<Stored> place_in_concatenation(ValueId id, const LoopView& view);
  std::optional<Stored> part_of_concatenation(ValueId id, const LoopView& view);
  LoopView concatenated_view(NodeId id);
  void finish_outputs();
  std::string kind_of(const std::vector<NodeId>& nodes) const;

  friend bool lower_concat(Lowering& lowering, NodeId id);

  const Model& model_;
  LoweringOptions options_;
  Program program_;
  std::vector<std::optional<Stored>> stored_;     // by value
  std::unordered_map<ValueId, Tensor> computed_;  // beforehand, from constants, which they are from then on
  std::map<ValueId, std::vector<SharedProduct>> shared_products_;
  std::vector<std::pair<ValueId, std::function<void()>>> to_pack_;
  std::vector<bool> is_used_;                          // by array: a step reads it, or another value lies in it
  std::vector<std::vector<std::uint32_t>> groups_of_;  // by node: groups that compute it
  std::vector<std::uint32_t> lane_of_;                 // by group
  std::uint32_t group_ = 0;                            // the one at hand
  std::vector<NodeId> group_nodes_;
  std::set<NodeId> copies_here_, done_here_;

  /// A concatenation that its inputs may be written into, each at an index along its axis.
  struct Joint {
    ValueId output;
    std::size_t axis = 0;
    bool cuts_blocks = false;  // an input does not fill its blocks
    std::optional<Stored> stored;
  };
  struct JointPlace {
    std::size_t joint = 0;
    std::int64_t first = 0;
  };
  std::vector<Joint> joints_;
  std::map<ValueId, JointPlace> joint_of_;
};

/// How one operator is lowered other than as a loop; false where it cannot be with these attributes or types.
struct OperatorLowering {
  std::string_view name;
  bool (*lower)(Lowering& lowering, NodeId id) = nullptr;
};

/// A table of them; defined at namespace scope.
class LoweringTable : public RegisteredTable<LoweringTable, OperatorLowering> {
 public:
  using RegisteredTable::RegisteredTable;
};

/// Joins values, most of which lie there already.
bool lower_concat(Lowering& lowering, NodeId id);

}  // namespace hone::native
