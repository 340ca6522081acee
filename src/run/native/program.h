#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/id.h"
#include "graph/ir/tensor.h"

namespace hone::native {

using ArrayId = Id<struct ArrayTag>;

/// A piece of memory that steps read and write.
struct Array {
  enum class Kind : std::uint8_t { arena, constant, input };

  Kind kind = Kind::arena;
  std::size_t bytes = 0;
  Tensor constant;          // holds the bytes of a constant
  std::size_t input = 0;    // which input of the graph it is
  std::int64_t offset = 0;  // in the arena
  bool is_result = false;   // lives until the end
};

/// An element of an array that a step begins at.
struct ArrayPlace {
  ArrayId array;
  std::int64_t offset_bytes = 0;
};

/// Places that a step begins at, each to read from or to write to.
class StepPlaces {
 public:
  enum class Use : std::uint8_t { read, written };

  void add(ArrayPlace place, Use use) { all_.push_back({place, use}); }
  std::size_t size() const { return all_.size(); }
  const ArrayPlace& operator[](std::size_t index) const { return all_[index].place; }
  /// The arrays of those that are used so.
  std::vector<ArrayId> arrays(Use use) const;

 private:
  struct Used {
    ArrayPlace place;
    Use use = Use::read;
  };
  std::vector<Used> all_;
};

/// Memory of one run.
struct RunMemory {
  std::span<std::byte* const> arrays;  // by ArrayId
  std::byte* scratch = nullptr;        // for the step at hand

  void* at(const ArrayPlace& place) const { return arrays[place.array.index()] + place.offset_bytes; }
};

/// One prepared call.
class Step {
 public:
  virtual ~Step() = default;
  virtual void run(const RunMemory& memory) const = 0;
  virtual std::size_t scratch_bytes() const { return 0; }
  /// Memory of its own that it keeps from run to run, such as packed weights.
  virtual std::size_t held_bytes() const { return 0; }
  virtual std::vector<ArrayId> reads() const = 0;
  virtual std::vector<ArrayId> writes() const = 0;

  std::string name;         // of the node that it ends with
  std::string kind;         // what runs: `loop Gelu+Add`, `brgconv:avx512_core Conv+Relu`
  std::uint32_t group = 0;  // that it is part of, by the order in which groups run
  std::uint32_t lane = 0;   // that it runs on
};

/// A dense result of a model.
struct Result {
  ArrayPlace place;
  ElementType element = ElementType::float32;
  Dims dims;
};

/// A model made ready: calls in the order of the plan, and what they work on.
struct Program {
  std::vector<Array> arrays;
  std::vector<std::unique_ptr<Step>> steps;
  std::vector<Result> results;             // by output of the graph
  std::vector<std::string> notes;          // what is not run as planned, and why
  std::vector<std::string> by_definition;  // operators that have no code, one entry a node
  std::size_t arena_bytes = 0;
  std::size_t scratch_bytes = 0;
};

/// Gives every array of the arena its place: two share bytes only if they are never alive together, on whatever lanes
/// their steps run.
void lay_out(Program& program);

}  // namespace hone::native
