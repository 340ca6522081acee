#include "cli/workload_source.h"

#include "base/text_file.h"
#include "core/lower.h"
#include "foreign/cost_graph.h"
#include "foreign/fiddle.h"
#include "foreign/format.h"
#include "foreign/pipedream.h"
#include "foreign/stg.h"
#include "hlo/read.h"
#include "hlo/workload.h"
#include "zoo/registry.h"

namespace hone {
namespace {

bool is_model(const std::string& spec) {
  return is_zoo_spec(spec) || spec.ends_with(".onnx") || spec.ends_with(".onnxtxt");
}

Workload parse_as(ForeignFormat format, TextFile file, const std::string& path) {
  switch (format) {
    case ForeignFormat::hlo: return hlo::to_workload(hlo::read_loaded(std::move(file), path));
    case ForeignFormat::cost_graph: return parse_cost_graph(file.text, path);
    case ForeignFormat::fiddle: return parse_fiddle(file.text, path).workload;
    case ForeignFormat::pipedream: return parse_pipedream(file.text, path);
    case ForeignFormat::stg: return parse_stg(file.text, path);
    default: fail("{}: is in the {} format, which is no graph of work", path, name_of(format));
  }
}

}  // namespace

Workload load_workload(const std::string& spec, const DimOptions& dims) {
  if (!is_model(spec)) {
    TextFile file = read_text_file(spec);
    const ForeignFormat format = detect_format_of(file.text);
    if (format != ForeignFormat::unknown && !dims.empty()) fail_usage("{}: only models have dimensions to fix", spec);
    if (format != ForeignFormat::unknown) return parse_as(format, std::move(file), spec);
  }
  Model model = load_model(spec);
  dims.apply(model);
  return lower(model);
}

}  // namespace hone
