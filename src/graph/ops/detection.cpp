#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "graph/ops/cost_context.h"
#include "graph/ops/evaluate_context.h"
#include "graph/ops/family.h"
#include "graph/ops/infer_context.h"
#include "graph/ops/numbers.h"

// Regions of interest and the choice among overlapping boxes.

namespace hone {
namespace {

/// Height and width of what a region is pooled to.
struct PooledSize {
  std::int64_t height, width;
};

constexpr std::int64_t kMaxPooled = 1 << 16;

PooledSize pooled_size(const NodeReader& node) {
  std::vector<std::int64_t> size;
  if (node.entry().name == "MaxRoiPool") size = node.integers("pooled_shape");
  else size = {node.integer("output_height"), node.integer("output_width")};
  if (size.size() != 2 || std::min(size[0], size[1]) < 1 || std::max(size[0], size[1]) > kMaxPooled)
    node.fail("regions cannot be pooled to the given size");
  return {size[0], size[1]};
}

void infer_regions(InferContext& context) {
  const PooledSize size = pooled_size(context);
  const Shape *x = context.shape(0), *rois = context.shape(1);
  Shape shape = {Dim(), Dim(), size.height, size.width};
  if (x != nullptr && x->size() != 4) context.fail("the input {} is no batch of images", text_of(*x));
  if (x != nullptr) shape[1] = (*x)[1];
  if (rois != nullptr && rois->size() == 2) shape[0] = (*rois)[0];
  context.output(0, context.element(0), shape);
}

/// Images and the regions to cut from them, checked.
struct Regions {
  const Tensor& images;
  std::int64_t count, channels, height, width;
  PooledSize size;
  Numbers<double> numbers;  // of the images
  Numbers<double> corners;

  std::span<const double> plane(std::int64_t image, std::int64_t channel) const {
    return numbers.view().subspan(static_cast<std::size_t>((image * channels + channel) * height * width),
                                  static_cast<std::size_t>(height * width));
  }
  Dims dims() const { return {count, channels, size.height, size.width}; }
};

Regions read_regions(const EvaluateContext& context, std::int64_t columns) {
  const Tensor &x = context.tensor(0), &rois = context.tensor(1);
  if (x.rank() != 4 || rois.rank() != 2 || rois.dim(1) != columns)
    context.fail("images {} and regions {} do not fit", text_of(x.shape()), text_of(rois.shape()));
  return {x,        rois.dim(0),          x.dim(1),           x.dim(2),
          x.dim(3), pooled_size(context), Numbers<double>(x), Numbers<double>(rois)};
}

std::int64_t checked_image(const EvaluateContext& context, const Regions& regions, double image) {
  if (!(image >= 0 && image < static_cast<double>(regions.images.dim(0)))) context.fail("there is no image {}", image);
  return static_cast<std::int64_t>(image);
}

/// One sample between four pixels: where they are and what they weigh. Weights are zero outside the image.
struct Sample {
  std::size_t place[4] = {};
  double weight[4] = {};
};

Sample sample_at(double y, double x, std::int64_t height, std::int64_t width) {
  if (!(y >= -1 && y <= static_cast<double>(height) && x >= -1 && x <= static_cast<double>(width)) ||
      height * width == 0)
    return {};
  const auto split = [](double at, std::int64_t size) {
    at = std::clamp(at, 0.0, static_cast<double>(size - 1));
    const auto low = static_cast<std::int64_t>(at);
    return std::tuple(low, std::min(low + 1, size - 1), at - static_cast<double>(low));
  };
  const auto [top, bottom, down] = split(y, height);
  const auto [left, right, across] = split(x, width);
  const auto place = [&, w = width](std::int64_t row, std::int64_t column) {
    return static_cast<std::size_t>(row * w + column);
  };
  return {{place(top, left), place(top, right), place(bottom, left), place(bottom, right)},
          {(1 - down) * (1 - across), (1 - down) * across, down * (1 - across), down * across}};
}

/// A region in pixels, and how many samples each of its bins takes.
struct Region {
  double top, left, bin_height, bin_width;
  std::int64_t rows, columns;
};

Region region_of(const EvaluateContext& context, const Regions& regions, std::int64_t index) {
  const double scale = context.number("spatial_scale");
  const bool half_pixel = context.version() >= 16 && context.text("coordinate_transformation_mode") == "half_pixel";
  const auto corner = [&](std::size_t i) {
    return regions.corners[static_cast<std::size_t>(index) * 4 + i] * scale - (half_pixel ? 0.5 : 0);
  };
  double width = corner(2) - corner(0), height = corner(3) - corner(1);
  if (!half_pixel) {
    width = std::max(width, 1.0);
    height = std::max(height, 1.0);
  }
  const double bin_height = height / static_cast<double>(regions.size.height),
               bin_width = width / static_cast<double>(regions.size.width);
  const std::int64_t ratio = context.integer("sampling_ratio");
  const auto samples = [&](double bin) { return ratio > 0 ? static_cast<double>(ratio) : std::ceil(bin); };
  if (!(samples(bin_height) <= kMaxPooled && samples(bin_width) <= kMaxPooled))
    context.fail("region {} is too large", index);
  return {corner(1),
          corner(0),
          bin_height,
          bin_width,
          static_cast<std::int64_t>(samples(bin_height)),
          static_cast<std::int64_t>(samples(bin_width))};
}

/// The samples of one bin.
std::vector<Sample> bin_samples(const Regions& regions, const Region& region, std::int64_t row, std::int64_t column) {
  std::vector<Sample> samples;
  for (std::int64_t i = 0; i < region.rows; ++i)
    for (std::int64_t j = 0; j < region.columns; ++j) {
      const double down = (static_cast<double>(i) + 0.5) / static_cast<double>(region.rows);
      const double across = (static_cast<double>(j) + 0.5) / static_cast<double>(region.columns);
      samples.push_back(sample_at(region.top + (static_cast<double>(row) + down) * region.bin_height,
                                  region.left + (static_cast<double>(column) + across) * region.bin_width,
                                  regions.height, regions.width));
    }
  return samples;
}

double mean_of(const std::vector<Sample>& samples, std::span<const double> plane) {
  double sum = 0;
  for (const Sample& sample : samples)
    for (int i = 0; i < 4; ++i) sum += sample.weight[i] * (plane.empty() ? 0 : plane[sample.place[i]]);
  return sum / static_cast<double>(std::max<std::size_t>(1, samples.size()));
}

/// The operator's definition takes the greatest weighed pixel, not the greatest sample.
double greatest_of(const std::vector<Sample>& samples, std::span<const double> plane) {
  if (samples.empty() || plane.empty()) return 0;
  double best = -std::numeric_limits<double>::infinity();
  for (const Sample& sample : samples)
    for (int i = 0; i < 4; ++i) best = std::max(best, sample.weight[i] * plane[sample.place[i]]);
  return best;
}

void evaluate_roi_align(EvaluateContext& context) {
  const Regions regions = read_regions(context, 4);
  if (static_cast<std::int64_t>(context.tensor(2).count()) != regions.count)
    context.fail("not one image index a region");
  const std::string& mode = context.text("mode");
  if (mode != "avg" && mode != "max") context.fail("mode cannot be '{}'", mode);
  const auto fold = mode == "avg" ? mean_of : greatest_of;
  std::vector<double> result(buffer_size(regions.dims()));
  const std::int64_t bins = regions.size.height * regions.size.width;
  for (std::int64_t r = 0; r < regions.count; ++r) {
    const std::int64_t image =
        checked_image(context, regions, context.tensor(2).number_at(static_cast<std::size_t>(r)));
    const Region region = region_of(context, regions, r);
    for (std::int64_t bin = 0; bin < bins; ++bin) {
      const auto samples = bin_samples(regions, region, bin / regions.size.width, bin % regions.size.width);
      for (std::int64_t c = 0; c < regions.channels; ++c)
        result[static_cast<std::size_t>((r * regions.channels + c) * bins + bin)] =
            fold(samples, regions.plane(image, c));
    }
  }
  context.output(0, tensor_of(context.tensor(0).type(), regions.dims(), result));
}

/// First and last-but-one pixel of a bin along one axis of a region.
struct BinRange {
  std::int64_t begin, end;
};

BinRange bin_range(double low, double high, std::int64_t bin, std::int64_t bins, std::int64_t size) {
  const double extent = std::max(high - low + 1, 1.0) / static_cast<double>(bins);
  const auto clipped = [&](double at) {
    return static_cast<std::int64_t>(std::clamp(at + low, 0.0, static_cast<double>(size)));
  };
  return {clipped(std::floor(static_cast<double>(bin) * extent)),
          clipped(std::ceil(static_cast<double>(bin + 1) * extent))};
}

void evaluate_max_roi_pool(EvaluateContext& context) {
  const Regions regions = read_regions(context, 5);
  const double scale = context.number("spatial_scale");
  std::vector<double> result;
  for (std::int64_t r = 0; r < regions.count; ++r) {
    const auto corner = [&](std::size_t i) {
      return std::round(regions.corners[static_cast<std::size_t>(r) * 5 + i] * scale);
    };
    const std::int64_t image = checked_image(context, regions, regions.corners[static_cast<std::size_t>(r) * 5]);
    for (std::int64_t c = 0; c < regions.channels; ++c) {
      const auto plane = regions.plane(image, c);
      for (std::int64_t bin = 0; bin < regions.size.height * regions.size.width; ++bin) {
        const BinRange rows =
            bin_range(corner(2), corner(4), bin / regions.size.width, regions.size.height, regions.height);
        const BinRange columns =
            bin_range(corner(1), corner(3), bin % regions.size.width, regions.size.width, regions.width);
        const bool empty = rows.begin >= rows.end || columns.begin >= columns.end;
        double best = empty ? 0 : -std::numeric_limits<double>::infinity();
        for (std::int64_t row = rows.begin; row < rows.end; ++row)
          for (std::int64_t column = columns.begin; column < columns.end; ++column)
            best = std::max(best, plane[static_cast<std::size_t>(row * regions.width + column)]);
        result.push_back(best);
      }
    }
  }
  context.output(0, tensor_of(context.tensor(0).type(), regions.dims(), result));
}

double roi_flops(const CostContext& context) {
  const std::int64_t ratio = context.entry().name == "RoiAlign" ? context.integer("sampling_ratio") : 0;
  const double samples = ratio > 0 ? static_cast<double>(ratio * ratio) : 4;
  return context.output_elements(0) * samples * 8;
}

// clang-format off
const OpFamily detection_family({
    {.name = "RoiAlign", .versions = {10, 16, 22}, .inputs = {3, 3},
     .attributes = {text("coordinate_transformation_mode", "half_pixel").since(16), text("mode", "avg"),
                    integer("output_height", 1),
                    integer("output_width", 1), integer("sampling_ratio", 0), number("spatial_scale", 1)},
     .kind = OpKind::reduction, .infer = infer_regions, .evaluate = evaluate_roi_align, .flops = roi_flops},
    {.name = "MaxRoiPool", .versions = {1, 22}, .inputs = {2, 2},
     .attributes = {integers("pooled_shape"), number("spatial_scale", 1)},
     .kind = OpKind::reduction, .infer = infer_regions, .evaluate = evaluate_max_roi_pool, .flops = roi_flops},
});
// clang-format on

}  // namespace
}  // namespace hone
