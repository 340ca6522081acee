#pragma once

#include <dnnl.hpp>
#include <optional>

#include "graph/loops/loop_view.h"
#include "run/native/program.h"

namespace hone::native {

using Layout = dnnl::memory::desc;
inline constexpr auto kReal = dnnl::memory::data_type::f32;

/// The processor, as oneDNN sees it.
dnnl::engine& onednn_engine();
dnnl::stream& onednn_stream();

/// A view as oneDNN describes it; nothing where it has no description.
std::optional<Layout> onednn_layout(const LoopView& view);

/// One matrix of a view's last two axes; nothing where neither rows nor columns follow one another.
std::optional<Layout> matrix_layout(const LoopView& view);

/// One of the layouts that hone has a view for, as oneDNN chose it; nothing for any other.
std::optional<LoopView> view_of_layout(const Layout& layout, const Dims& dims);

/// What is done to each result before it is stored: a function of oneDNN, or an operand that is added.
struct Epilogue {
  enum class Kind : std::uint8_t { function, add };
  Kind kind = Kind::function;
  dnnl::algorithm function = dnnl::algorithm::undef;
  float alpha = 0, beta = 0;
  ArrayPlace operand;  // of an addition
  LoopView view;       // of it
};

/// A call of a primitive of oneDNN. Arguments are places in arrays, or memory of its own for packed weights.
class OneDnnStep final : public Step {
 public:
  struct Argument {
    int role = 0;  // DNNL_ARG_*
    ArrayPlace place;
    Layout layout;
  };
  struct Held {
    int role = 0;
    dnnl::memory memory;
  };
  /// For products of stacks of matrices: how often it runs, and how far each argument moves from time to time.
  struct Repeat {
    std::vector<std::vector<std::int64_t>> offset_bytes;  // by time, by argument
    double nanoseconds = 0;                               // about how long all of them take
    bool is_shared = false;  // threads share the times: the primitive was made for one thread
  };

  OneDnnStep(dnnl::primitive primitive, const Layout& scratch, const std::vector<Argument>& arguments,
             std::vector<Held> held);
  OneDnnStep(dnnl::primitive primitive, const Layout& scratch, const std::vector<Argument>& arguments,
             std::vector<Held> held, Repeat repeat);

  void run(const RunMemory& memory) const override;
  std::size_t held_bytes() const override;
  std::size_t scratch_bytes() const override { return shares_.size() * scratch_bytes_; }
  std::vector<ArrayId> reads() const override { return places_.arrays(StepPlaces::Use::read); }
  std::vector<ArrayId> writes() const override { return places_.arrays(StepPlaces::Use::written); }

 private:
  /// What one thread hands over.
  struct Share {
    std::vector<dnnl::memory> memories;  // by argument, then scratch where there is any
    std::vector<void*> addresses;        // of these; oneDNN is told only where one has changed
    std::vector<dnnl_exec_arg_t> handed;

    void set_address(std::size_t index, void* address);
  };
  Share make_share(std::span<const Argument> arguments, const Layout& scratch) const;
  void execute(const RunMemory& memory, Share& share, const std::vector<std::int64_t>* offsets) const;
  void run_times(const RunMemory& memory, std::size_t share) const;

  dnnl::primitive primitive_;
  std::size_t scratch_bytes_ = 0;  // of one share
  StepPlaces places_;              // by argument
  std::vector<Held> held_;
  Repeat repeat_;
  mutable std::vector<Share> shares_;
};

/// The attributes of a primitive with an epilogue and scratch memory from outside.
dnnl::primitive_attr onednn_attributes(std::span<const Epilogue> epilogue);
/// What an epilogue reads, as arguments.
void add_epilogue_arguments(std::span<const Epilogue> epilogue, std::vector<OneDnnStep::Argument>& arguments);

/// A constant in the layout that a primitive wants.
dnnl::memory packed(const void* elements, const Layout& from, const Layout& to);
/// The same into memory that there is.
void pack(const void* elements, const Layout& from, dnnl::memory target);

}  // namespace hone::native
