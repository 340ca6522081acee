// Pipelines of stages, each made and evaluated once.

#include "plan/methods/list_decoder.h"
#include "plan/methods/pipeline_guidance.h"
#include "plan/search/optimizer.h"

namespace hone {
namespace {

class Pipelines final : public Optimizer {
 public:
  void run(Search& search) override {
    if (search.problem().workload.operation_count() == 0) return;
    const Durations durations(search.problem());
    ListDecoder decoder(durations);
    for (const ListGuidance& guidance : pipeline_guidance(durations))
      if (search.evaluate(search.task().encode(decoder.decode(guidance, search.start()))).empty()) return;
  }
};

const OptimizerKind pipelines_kind("pipelines", "every device a stretch of what hangs together, as pipelines",
                                   [](std::string_view parameters) {
                                     Parameters().parse(parameters);
                                     return std::make_unique<Pipelines>();
                                   });

}  // namespace
}  // namespace hone
