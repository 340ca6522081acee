#include "cli/model_source.h"

#include "base/verbosity.h"
#include "run/verify/inputs.h"

namespace hone {

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
    note("sizes assumed{}: {}; --dim and NAME:AxBxC choose others", purpose, shapes);
}

}  // namespace hone
