#include "run/native/onednn.h"

#include <algorithm>

namespace hone::native {
namespace {

using Tag = dnnl::memory::format_tag;

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

std::optional<LoopView> view_of_layout(const Layout& layout, const Dims& dims) {
  if (dims.size() < 3 || dims.size() > 5) return std::nullopt;
  for (const LoopView& view : {dense_view(ElementType::float32, dims), channels_last_view(ElementType::float32, dims),
                               blocked_view(ElementType::float32, dims)})
    if (onednn_layout(view) == layout) return view;
  return std::nullopt;
}

OneDnnStep::OneDnnStep(dnnl::primitive primitive, const Layout& scratch, std::vector<Argument> arguments,
                       std::vector<Held> held, Repeat repeat)
    : primitive_(std::move(primitive)),
      scratch_bytes_(scratch.get_size()),
      arguments_(std::move(arguments)),
      repeat_(std::move(repeat)) {
  for (const Argument& argument : arguments_)
    memories_.emplace(argument.role, dnnl::memory(argument.layout, onednn_engine(), DNNL_MEMORY_NONE));
  for (Held& weights : held) memories_.emplace(weights.role, std::move(weights.memory));
  if (scratch_bytes_ > 0)
    memories_.emplace(DNNL_ARG_SCRATCHPAD, dnnl::memory(scratch, onednn_engine(), DNNL_MEMORY_NONE));
}

void OneDnnStep::run(const RunMemory& memory) const {
  if (scratch_bytes_ > 0) memories_.at(DNNL_ARG_SCRATCHPAD).set_data_handle(memory.scratch);
  if (repeat_.offset_bytes.empty()) return execute(memory, nullptr);
  for (const auto& offsets : repeat_.offset_bytes) execute(memory, &offsets);
}

void OneDnnStep::execute(const RunMemory& memory, const std::vector<std::int64_t>* offsets) const {
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    auto* address = static_cast<std::byte*>(memory.at(arguments_[i].place));
    memories_.at(arguments_[i].role).set_data_handle(address + (offsets != nullptr ? (*offsets)[i] : 0));
  }
  primitive_.execute(onednn_stream(), memories_);
}

std::vector<ArrayId> OneDnnStep::reads() const {
  std::vector<ArrayId> read;
  for (const Argument& argument : arguments_)
    if (argument.role != DNNL_ARG_DST) read.push_back(argument.place.array);
  return read;
}

std::vector<ArrayId> OneDnnStep::writes() const {
  std::vector<ArrayId> written;
  for (const Argument& argument : arguments_)
    if (argument.role == DNNL_ARG_DST) written.push_back(argument.place.array);
  return written;
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
  dnnl::memory source(from, onednn_engine(), const_cast<void*>(elements));
  dnnl::memory target(to, onednn_engine());
  dnnl::reorder(source, target).execute(onednn_stream(), source, target);
  onednn_stream().wait();
  return target;
}

}  // namespace hone::native
