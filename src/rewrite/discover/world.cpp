#include "rewrite/discover/world.h"

#include "base/random.h"

namespace hone {
namespace {

constexpr TensorSort kMatrix = TensorSort::matrix, kImage = TensorSort::image, kKernel = TensorSort::kernel,
                     kPoint = TensorSort::point;

/// Whole numbers, of images multiples of what means divide by, so that doubles compute every formula exactly.
WorldInput input(std::string name, TensorSort sort, Dims dims) {
  Tensor tensor = Tensor::zeros(ElementType::float64, std::move(dims));
  Rng rng(hash_text(name));
  const std::int64_t unit = sort == kImage ? 36 * 36 * 36 : 1;
  for (std::size_t i = 0; i < tensor.count(); ++i)
    tensor.set_number(i, static_cast<double>(unit * rng.between(-40, 40)));
  return {.name = std::move(name), .sort = sort, .tensor = std::move(tensor)};
}

MenuOperator plain(std::string_view name, TensorSort sort, std::size_t operands) {
  return {.op = OpName::intern("", name),
          .attributes = {},
          .fixed = {},
          .open = {},
          .operands = std::vector<TensorSort>(operands, sort),
          .result = sort};
}

MenuOperator along(std::string_view name, TensorSort sort, std::size_t operands, std::size_t axis) {
  MenuOperator entry = plain(name, sort, operands);
  entry.attributes = {{"axis", Dim(static_cast<std::int64_t>(axis))}};
  entry.fixed = fmt::format("axis={}", axis);
  entry.open = fmt::format("axis={}", axis == 0 ? "i" : "j");
  entry.axis = axis;
  return entry;
}

MenuOperator transpose() {
  MenuOperator entry = plain("Transpose", kMatrix, 1);
  entry.attributes = {{"perm", DimList{Dim(1), Dim(0)}}};
  entry.fixed = "perm=[1, 0]";
  entry.open = "perm=k";
  return entry;
}

MenuOperator convolution(TensorSort kernel) {
  MenuOperator entry = plain("Conv", kImage, 2);
  entry.operands[1] = kernel;
  entry.attributes = {{"group", Dim(1)}, {"pads", DimList(4, Dim(kernel == kKernel ? 1 : 0))}};
  entry.fixed = kernel == kKernel ? "group=1, pads=[1, 1, 1, 1]" : "group=1, pads=[0, 0, 0, 0]";
  entry.open = kernel == kKernel ? "group=1, *p" : "group=1, *r";
  return entry;
}

MenuOperator pool(std::string_view name) {
  MenuOperator entry = plain(name, kImage, 1);
  entry.attributes = {{"kernel_shape", DimList(2, Dim(3))}, {"pads", DimList(4, Dim(1))}};
  entry.fixed = "kernel_shape=[3, 3], pads=[1, 1, 1, 1]";
  entry.open = "*q";
  return entry;
}

/// A kernel of one element as the middle of one of nine.
MenuOperator enlarge() {
  MenuOperator entry = plain("Pad", kPoint, 1);
  entry.attributes = {{"pads", DimList{Dim(0), Dim(0), Dim(1), Dim(1), Dim(0), Dim(0), Dim(1), Dim(1)}},
                      {"mode", std::string("constant")},
                      {"value", 0.0}};
  entry.fixed = entry.open = "pads=[0, 0, 1, 1, 0, 0, 1, 1], mode=\"constant\", value=0.0";
  entry.result = kKernel;
  return entry;
}

World elements() {
  World world{.name = "elements", .inputs = {}, .menu = {}};
  for (const char* name : {"a", "b", "c"}) world.inputs.push_back(input(name, kMatrix, {2, 3}));
  for (const char* name : {"Add", "Sub", "Mul", "Max"}) world.menu.push_back(plain(name, kMatrix, 2));
  for (const char* name : {"Neg", "Abs", "Relu"}) world.menu.push_back(plain(name, kMatrix, 1));
  return world;
}

World matrices() {
  World world{.name = "matrices", .inputs = {}, .menu = {}};
  for (const char* name : {"a", "b", "c", "d"}) world.inputs.push_back(input(name, kMatrix, {2, 2}));
  for (const char* name : {"Add", "Mul", "MatMul"}) world.menu.push_back(plain(name, kMatrix, 2));
  world.menu.push_back(plain("Relu", kMatrix, 1));
  world.menu.push_back(transpose());
  for (const std::size_t axis : {0, 1}) world.menu.push_back(along("Concat", kMatrix, 2, axis));
  for (const std::size_t axis : {0, 1}) world.menu.push_back(along("Split", kMatrix, 1, axis));
  return world;
}

World images() {
  World world{.name = "images", .inputs = {}, .menu = {}};
  for (const char* name : {"a", "b"}) world.inputs.push_back(input(name, kImage, {1, 2, 3, 3}));
  for (const char* name : {"c", "d"}) world.inputs.push_back(input(name, kKernel, {2, 2, 3, 3}));
  world.inputs.push_back(input("e", kPoint, {2, 2, 1, 1}));
  world.menu = {convolution(kKernel),
                convolution(kPoint),
                plain("Add", kImage, 2),
                plain("Add", kKernel, 2),
                plain("Relu", kImage, 1),
                pool("MaxPool"),
                pool("AveragePool"),
                enlarge(),
                along("Concat", kImage, 2, 1),
                along("Concat", kKernel, 2, 0),
                along("Concat", kKernel, 2, 1),
                along("Split", kImage, 1, 1)};
  return world;
}

}  // namespace

const std::vector<World>& worlds() {
  static const std::vector<World> all = {elements(), matrices(), images()};
  return all;
}

}  // namespace hone
