#include "store/records/measurement_record.h"

#include "store/records/circumstances.h"

namespace hone {
namespace {

Json detail_of(const Measured& model, const Measurement& measurement) {
  Json detail{{"name", model.name},
              {"mean", model.latency.mean},
              {"p90", model.latency.p90},
              {"p99", model.latency.p99},
              {"samples", model.seconds},
              {"load_seconds", model.load_seconds},
              {"first_run_seconds", model.first_run_seconds},
              {"peak_bytes", model.peak_bytes},
              {"warnings", measurement.warnings()}};
  if (model.ratio)
    detail["ratio"] = {{"to", measurement.models[0].name},
                       {"ratio", model.ratio->ratio},
                       {"low", model.ratio->low},
                       {"high", model.ratio->high},
                       {"differs", model.ratio->differs}};
  return detail;
}

}  // namespace

std::size_t record_measurement(Store& store, std::span<const Candidate> candidates, const Measurement& measurement) {
  const HardwareRecord hardware = this_hardware();
  const SoftwareRecord software = runtime_software(measurement.runtime, measurement.threads);
  std::size_t recorded = 0;
  store.write([&](Writer& writer) {
    recorded = 0;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const Measured& model = measurement.models[i];
      if (!model.failure.empty()) continue;
      const GraphRecord graph = graph_record(candidates[i].name, candidates[i].model);
      writer.add(Provenance{graph, hardware, software});
      writer.add(MeasurementRecord{.graph = graph.id,
                                   .hardware = hardware.id,
                                   .software = software.id,
                                   .median_seconds = model.latency.median,
                                   .detail = detail_of(model, measurement)});
      ++recorded;
    }
  });
  return recorded;
}

}  // namespace hone
