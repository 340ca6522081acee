#include "store/records/finished_run.h"

#include "base/version.h"

namespace hone {

void record_run(Store& store, const GraphRecord& graph, FinishedRun run) {
  const Provenance provenance{graph, this_hardware(), {described({{"runtime", "hone"}, {"version", version()}})}};
  store.write([&](Writer& writer) {
    writer.add(provenance);
    writer.add(RunRecord{.graph = provenance.graph.id,
                         .hardware = provenance.hardware.id,
                         .software = provenance.software.id,
                         .kind = std::move(run.kind),
                         .state = Progress::done,
                         .request = std::move(run.request),
                         .outcome = std::move(run.outcome)});
  });
}

}  // namespace hone
