#include "run/native/onednn.h"

#include <algorithm>

#include "base/recycled_allocations.h"
#include "run/native/threads.h"

namespace hone::native {
namespace {

using Tag = dnnl::memory::format_tag;
constexpr std::size_t kScratchAlignment = 64;

dnnl::memory::dims onednn_dims(const Dims& dims) { return {dims.begin(), dims.end()}; }

/// Plain, channels last, blocks, by rank from 3 on.
constexpr Tag kTags[3][3] = {
    {Tag::ncw, Tag::nwc, Tag::nCw16c}, {Tag::nchw, Tag::nhwc, Tag::nChw16c}, {Tag::ncdhw, Tag::ndhwc, Tag::nCdhw16c}};

bool lies_alike(const LoopView& a, const LoopView& b) {
  if (a.has_blocks != b.has_blocks) return false;
  for (std::size_t axis = 0; axis < a.dims.size(); ++axis)
    if ((a.dims[axis] > 1 || (a.has_blocks && axis == 1)) && a.strides[axis] != b.strides[axis]) return false;
  return true;
}

}  // namespace

dnnl::engine& onednn_engine() {
  static dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

dnnl::stream& onednn_stream() {
  static thread_local dnnl::stream stream(onednn_engine());  // lanes run side by side
  return stream;
}

std::optional<Layout> onednn_layout(const LoopView& view) {
  if (view.element != ElementType::float32) return std::nullopt;
  const std::size_t rank = view.dims.size();
  if (rank >= 3 && rank <= 5) {
    const auto& tags = kTags[rank - 3];
    if (lies_alike(view, blocked_view(view.element, view.dims))) return Layout(onednn_dims(view.dims), kReal, tags[2]);
    if (lies_alike(view, channels_last_view(view.element, view.dims)))
      return Layout(onednn_dims(view.dims), kReal, tags[1]);
    if (lies_alike(view, dense_view(view.element, view.dims))) return Layout(onednn_dims(view.dims), kReal, tags[0]);
  }
  if (view.has_blocks) return std::nullopt;
  return Layout(onednn_dims(view.dims), kReal, onednn_dims(view.strides));
}

std::optional<Layout> matrix_layout(const LoopView& view) {
  const std::size_t rank = view.dims.size();
  const std::int64_t rows = view.dims[rank - 2], columns = view.dims[rank - 1];
  std::int64_t row_stride = view.strides[rank - 2], column_stride = view.strides[rank - 1];
  // Along an axis of one element any stride will do.
  if (rows == 1) row_stride = column_stride == 1 || columns == 1 ? columns : 1;
  if (columns == 1) column_stride = row_stride == 1 ? rows : 1;
  const bool by_rows = column_stride == 1 && row_stride >= columns,
             by_columns = row_stride == 1 && column_stride >= rows;
  if (view.has_blocks || (!by_rows && !by_columns)) return std::nullopt;
  return Layout({rows, columns}, kReal, {row_stride, column_stride});
}

std::optional<LoopView> view_of_layout(const Layout& layout, const Dims& dims) {
  if (dims.size() < 3 || dims.size() > 5) return std::nullopt;
  for (const LoopView& view : {dense_view(ElementType::float32, dims), channels_last_view(ElementType::float32, dims),
                               blocked_view(ElementType::float32, dims)})
    if (onednn_layout(view) == layout) return view;
  return std::nullopt;
}

OneDnnStep::OneDnnStep(dnnl::primitive primitive, const Layout& scratch, const std::vector<Argument>& arguments,
                       std::vector<Held> held)
    : OneDnnStep(std::move(primitive), scratch, arguments, std::move(held), Repeat()) {}

/// What arguments look like is not kept: a description of them takes more than half a kilobyte.
OneDnnStep::OneDnnStep(dnnl::primitive primitive, const Layout& scratch, const std::vector<Argument>& arguments,
                       std::vector<Held> held, Repeat repeat)
    : primitive_(std::move(primitive)),
      scratch_bytes_((scratch.get_size() + kScratchAlignment - 1) / kScratchAlignment * kScratchAlignment),
      held_(std::move(held)),
      repeat_(std::move(repeat)) {
  for (const Argument& argument : arguments)
    places_.add(argument.place, argument.role == DNNL_ARG_DST ? StepPlaces::Use::written : StepPlaces::Use::read);
  const std::size_t times = repeat_.offset_bytes.size();
  const std::size_t shares = repeat_.is_shared ? shares_of(repeat_.nanoseconds, static_cast<std::int64_t>(times)) : 1;
  for (std::size_t i = 0; i < shares; ++i) shares_.push_back(make_share(arguments, scratch));
}

OneDnnStep::Share OneDnnStep::make_share(std::span<const Argument> arguments, const Layout& scratch) const {
  Share share;
  const auto add = [&](int role, const Layout& layout) {
    share.memories.push_back(dnnl::memory(layout, onednn_engine(), DNNL_MEMORY_NONE));
    share.handed.push_back({role, share.memories.back().get()});
  };
  for (const Argument& argument : arguments) add(argument.role, argument.layout);
  if (scratch_bytes_ > 0) add(DNNL_ARG_SCRATCHPAD, scratch);
  share.addresses.resize(share.memories.size());
  for (const Held& weights : held_) share.handed.push_back({weights.role, weights.memory.get()});
  return share;
}

/// Telling oneDNN an address makes it fill up the blocks there, which whoever writes them has done.
void OneDnnStep::Share::set_address(std::size_t index, void* address) {
  if (addresses[index] == address) return;
  memories[index].set_data_handle(address);
  addresses[index] = address;
}

void OneDnnStep::run(const RunMemory& memory) const {
  if (repeat_.offset_bytes.empty()) return execute(memory, shares_[0], nullptr);
  if (shares_.size() > 1) return on_threads(shares_.size(), [&](std::size_t share) { run_times(memory, share); });
  std::optional<OneThread> alone;
  if (repeat_.is_shared) alone.emplace();
  run_times(memory, 0);
}

void OneDnnStep::run_times(const RunMemory& memory, std::size_t share) const {
  const PartRange times = range_of(static_cast<std::int64_t>(repeat_.offset_bytes.size()), share, shares_.size());
  for (std::int64_t time = times.first; time < times.last; ++time)
    execute({.arrays = memory.arrays, .scratch = memory.scratch + share * scratch_bytes_}, shares_[share],
            &repeat_.offset_bytes[static_cast<std::size_t>(time)]);
}

void OneDnnStep::execute(const RunMemory& memory, Share& share, const std::vector<std::int64_t>* offsets) const {
  for (std::size_t i = 0; i < places_.size(); ++i) {
    auto* address = static_cast<std::byte*>(memory.at(places_[i]));
    share.set_address(i, address + (offsets != nullptr ? (*offsets)[i] : 0));
  }
  if (scratch_bytes_ > 0) share.set_address(places_.size(), memory.scratch);
  const RecycledAllocations recycled;  // oneDNN makes a map of its arguments in every call
  const dnnl_status_t status = dnnl_primitive_execute(primitive_.get(), onednn_stream().get(),
                                                      static_cast<int>(share.handed.size()), share.handed.data());
  HONE_CHECK(status == dnnl_success, "{}: oneDNN says {}", name, static_cast<int>(status));
}

std::size_t OneDnnStep::held_bytes() const {
  std::size_t bytes = 0;
  for (const Held& weights : held_) bytes += weights.memory.get_desc().get_size();
  return bytes;
}

dnnl::primitive_attr onednn_attributes(std::span<const Epilogue> epilogue) {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  dnnl::post_ops operations;
  for (const Epilogue& step : epilogue) {
    if (step.kind == Epilogue::Kind::function) operations.append_eltwise(1, step.function, step.alpha, step.beta);
    else operations.append_binary(dnnl::algorithm::binary_add, *onednn_layout(step.view));
  }
  attributes.set_post_ops(operations);
  return attributes;
}

void add_epilogue_arguments(std::span<const Epilogue> epilogue, std::vector<OneDnnStep::Argument>& arguments) {
  for (std::size_t i = 0; i < epilogue.size(); ++i)
    if (epilogue[i].kind == Epilogue::Kind::add)
      arguments.push_back({.role = DNNL_ARG_ATTR_MULTIPLE_POST_OP(static_cast<int>(i)) | DNNL_ARG_SRC_1,
                           .place = epilogue[i].operand,
                           .layout = *onednn_layout(epilogue[i].view)});
}

dnnl::memory packed(const void* elements, const Layout& from, const Layout& to) {
  const dnnl::memory target(to, onednn_engine());
  pack(elements, from, target);
  return target;
}

void pack(const void* elements, const Layout& from, dnnl::memory target) {
  dnnl::memory source(from, onednn_engine(), const_cast<void*>(elements));
  dnnl::reorder(source, target).execute(onednn_stream(), source, target);
  onednn_stream().wait();
}

}  // namespace hone::native
