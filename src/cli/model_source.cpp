#include "cli/model_source.h"

#include <algorithm>

#include "base/verbosity.h"
#include "run/reference/reference.h"
#include "run/verify/inputs.h"

namespace hone {
namespace {

/// A list of shapes as long as is read: where it is longer, how many more there are.
std::string shortened(const std::string& shapes) {
  constexpr std::size_t kMost = 160;
  if (shapes.size() <= kMost) return shapes;
  const std::size_t end = shapes.find(' ', kMost);
  if (end == std::string::npos) return shapes;
  return fmt::format("{} and {} more", shapes.substr(0, end), std::count(shapes.begin() + end, shapes.end(), ' '));
}

}  // namespace

void DimOptions::add_dims_to(CLI::App& command) {
  command.add_option("--dim", dims_, "Size of a symbolic dimension: batch=8 (repeatable)")->type_name("NAME=SIZE");
}

void DimOptions::add_to(CLI::App& command) {
  add_dims_to(command);
  command.add_option("shapes", shapes_, "Shape of an input: x:1x3x224x224 (repeatable)")->type_name("NAME:AxBxC");
}

void DimOptions::settle(const Model& model, const std::vector<std::string>& input_files, std::string_view purpose) {
  for (auto& [name, shape] : given_shapes(model, input_files)) add_shape(name, std::move(shape));
  if (const std::string shapes = assume(model); !shapes.empty())
    note("sizes assumed{}: {}; --dim and NAME:AxBxC choose others", purpose, shortened(shapes));
}

bool DimOptions::settle_otherwise(const Model& model, std::string_view refusal) {
  return unsupported_operators(model).empty() && assume_others(refusal);
}

}  // namespace hone
