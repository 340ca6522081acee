#include "cli/workload_source.h"

#include "core/lower.h"
#include "foreign/format.h"
#include "zoo/dataset.h"
#include "zoo/registry.h"

namespace hone {

Workload load_workload(const std::string& spec, const DimOptions& dims) {
  const bool is_model = is_zoo_spec(spec) || spec.ends_with(".onnx") || spec.ends_with(".onnxtxt");
  const bool is_recipe = zoo::is_dataset_recipe(spec);
  if (!is_model && !dims.empty()) fail_usage("only models have dimensions to fix, '{}' is none", spec);
  if (is_recipe) {
    const zoo::Dataset dataset(zoo::parse_recipe(spec));
    return dataset.graph(dataset.items().front());
  }
  if (!is_model && detect_format(spec) != ForeignFormat::unknown) return read_foreign(spec);
  Model model = load_model(spec);
  dims.apply(model);
  return lower(model);
}

}  // namespace hone
