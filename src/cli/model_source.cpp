#include "cli/model_source.h"

namespace hone {

void DimOptions::add_dims_to(CLI::App& command) {
  command.add_option("--dim", dims_, "Size of a symbolic dimension: batch=8 (repeatable)")->type_name("NAME=SIZE");
}

void DimOptions::add_to(CLI::App& command) {
  add_dims_to(command);
  command.add_option("shapes", shapes_, "Shape of an input: x:1x3x224x224 (repeatable)")->type_name("NAME:AxBxC");
}

}  // namespace hone
