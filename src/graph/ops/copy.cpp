#include "graph/ops/copy.h"

#include <cstring>

#include "graph/ops/axes.h"

namespace hone {
namespace {

/// Copies elements of `width` whole bytes.
template <std::size_t width>
struct ByteCopier {
  std::byte* to;
  const std::byte* from;

  void copy(std::int64_t target, std::int64_t source) const {
    std::memcpy(to + target * static_cast<std::int64_t>(width), from + source * static_cast<std::int64_t>(width),
                width);
  }
  void copy_run(std::int64_t target, std::int64_t source, std::int64_t count) const {
    constexpr auto signed_width = static_cast<std::int64_t>(width);
    std::memcpy(to + target * signed_width, from + source * signed_width, static_cast<std::size_t>(count) * width);
  }
};

/// Copies elements that share a byte with others.
struct PackedCopier {
  std::byte* to;
  const std::byte* from;
  std::int64_t bits;

  void copy(std::int64_t target, std::int64_t source) const {
    const std::int64_t per_byte = 8 / bits;
    const auto mask = static_cast<std::byte>((1 << bits) - 1);
    const std::byte code = (from[source / per_byte] >> (bits * (source % per_byte))) & mask;
    const std::int64_t shift = bits * (target % per_byte);
    std::byte& byte = to[target / per_byte];
    byte = (byte & ~(mask << shift)) | (code << shift);
  }
  void copy_run(std::int64_t target, std::int64_t source, std::int64_t count) const {
    for (std::int64_t i = 0; i < count; ++i) copy(target + i, source + i);
  }
};

struct TextCopier {
  std::string* to;
  const std::string* from;

  void copy(std::int64_t target, std::int64_t source) const { to[target] = from[source]; }
  void copy_run(std::int64_t target, std::int64_t source, std::int64_t count) const {
    std::copy_n(from + source, count, to + target);
  }
};

/// Calls `use` with the copier for the tensors' element type, so that its loops are compiled once for each width.
template <class Use>
void with_copier(Tensor& to, const Tensor& from, const Use& use) {
  if (to.type() != from.type())
    fail("elements of type {} cannot go into a tensor of {}", name_of(from.type()), name_of(to.type()));
  if (to.type() == ElementType::string) return use(TextCopier{to.write<std::string>().data(), from.strings().data()});
  std::byte* const target = to.write_bytes().data();
  const std::byte* const source = from.bytes().data();
  switch (const int bits = bit_width(to.type())) {
    case 8: return use(ByteCopier<1>{target, source});
    case 16: return use(ByteCopier<2>{target, source});
    case 32: return use(ByteCopier<4>{target, source});
    case 64: return use(ByteCopier<8>{target, source});
    case 128: return use(ByteCopier<16>{target, source});
    case 0: fail("a tensor without element type cannot be copied");
    default: return use(PackedCopier{target, source, bits});
  }
}

/// All axes but the last.
Dims leading(const Dims& dims) { return dims.empty() ? dims : Dims(std::span(dims.begin(), dims.size() - 1)); }

std::int64_t run_length(const Tensor& of_runs, std::size_t run_count) {
  HONE_CHECK(of_runs.count() % run_count == 0, "{} elements in {} runs", of_runs.count(), run_count);
  return static_cast<std::int64_t>(of_runs.count() / run_count);
}

}  // namespace

void copy_block(const Dims& dims, Tensor& to, const BlockPlace& target, const Tensor& from, const BlockPlace& source) {
  if (element_count(dims) == 0) return;
  const std::int64_t length = dims.empty() ? 1 : dims.back();
  const std::int64_t target_step = dims.empty() ? 1 : target.strides.back();
  const std::int64_t source_step = dims.empty() ? 1 : source.strides.back();
  const Dims target_strides = leading(target.strides), source_strides = leading(source.strides);
  with_copier(to, from, [&](const auto& copier) {
    for (StridedWalk walk(leading(dims), {&target_strides, &source_strides}); !walk.done(); walk.next()) {
      const std::int64_t into = target.offset + static_cast<std::int64_t>(walk.offset(0));
      const std::int64_t out_of = source.offset + static_cast<std::int64_t>(walk.offset(1));
      if (target_step == 1 && source_step == 1) copier.copy_run(into, out_of, length);
      else
        for (std::int64_t i = 0; i < length; ++i) copier.copy(into + i * target_step, out_of + i * source_step);
    }
  });
}

Tensor strided_copy(const Tensor& from, const Dims& dims, const BlockPlace& source) {
  Tensor copy = Tensor::zeros(from.type(), dims);
  copy_block(dims, copy, {0, strides_of(dims)}, from, source);
  return copy;
}

Tensor filled(const Tensor& value, const Dims& dims) { return strided_copy(value, dims, {0, Dims(dims.size(), 0)}); }

Tensor unshared_copy(const Tensor& tensor) {
  return strided_copy(tensor, tensor.dims(), {0, strides_of(tensor.dims())});
}

Tensor permuted(const Tensor& tensor, std::span<const std::size_t> permutation) {
  const Dims strides = strides_of(tensor.dims());
  Dims dims;
  BlockPlace source;
  for (const std::size_t axis : permutation) {
    dims.push_back(tensor.dim(axis));
    source.strides.push_back(strides[axis]);
  }
  return strided_copy(tensor, dims, source);
}

Tensor pick_runs(const Tensor& from, const Dims& dims, std::span<const std::int64_t> sources) {
  Tensor picked = Tensor::zeros(from.type(), dims);
  if (picked.count() == 0) return picked;
  const std::int64_t run = run_length(picked, sources.size());
  with_copier(picked, from, [&](const auto& copier) {
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (sources[i] < 0) continue;
      const std::int64_t target = static_cast<std::int64_t>(i) * run;
      if (run == 1) copier.copy(target, sources[i]);
      else copier.copy_run(target, sources[i] * run, run);
    }
  });
  return picked;
}

Tensor pick_coordinates(const Tensor& from, std::span<const std::vector<std::int64_t>> coordinates) {
  Dims dims;
  for (const auto& along : coordinates) dims.push_back(static_cast<std::int64_t>(along.size()));
  // Trailing axes taken whole stay together as one run.
  const auto whole = [&](std::size_t axis) {
    for (std::size_t i = 0; i < coordinates[axis].size(); ++i)
      if (coordinates[axis][i] != static_cast<std::int64_t>(i)) return false;
    return dims[axis] == from.dim(axis);
  };
  std::size_t axes = coordinates.size();
  while (axes > 0 && whole(axes - 1)) --axes;
  if (element_count(dims) == 0) return Tensor::zeros(from.type(), dims);
  std::vector<std::int64_t> sources = {0};
  for (std::size_t axis = 0; axis < axes; ++axis) {
    std::vector<std::int64_t> refined;
    refined.reserve(sources.size() * coordinates[axis].size());
    for (const std::int64_t source : sources)
      for (const std::int64_t at : coordinates[axis])
        refined.push_back(source < 0 || at < 0 ? -1 : source * from.dim(axis) + at);
    sources = std::move(refined);
  }
  return pick_runs(from, dims, sources);
}

void place_runs(Tensor& to, const Tensor& from, std::span<const std::int64_t> targets) {
  if (from.count() == 0) return;
  const std::int64_t run = run_length(from, targets.size());
  with_copier(to, from, [&](const auto& copier) {
    for (std::size_t i = 0; i < targets.size(); ++i)
      copier.copy_run(targets[i] * run, static_cast<std::int64_t>(i) * run, run);
  });
}

Dims static_dims(const Shape& shape) {
  Dims dims;
  for (const Dim d : shape) {
    if (!d.known()) fail("the shape {} is too large", text_of(shape));
    dims.push_back(d.value());
  }
  return dims;
}

}  // namespace hone
