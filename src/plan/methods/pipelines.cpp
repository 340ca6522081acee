// Pipelines of stages, each made and evaluated once.

#include "plan/methods/pipeline_rows.h"
#include "plan/search/optimizer.h"

namespace hone {
namespace {

class Pipelines final : public Optimizer {
 public:
  void run(Search& search) override { search.evaluate(pipeline_rows(search)); }
};

const OptimizerKind pipelines_kind("pipelines", "every device a stretch of what hangs together, as pipelines",
                                   [](std::string_view parameters) {
                                     Parameters().parse(parameters);
                                     return std::make_unique<Pipelines>();
                                   });

}  // namespace
}  // namespace hone
