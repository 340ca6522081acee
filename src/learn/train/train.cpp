#include "learn/train/train.h"

#include "base/interrupt.h"
#include "learn/train/batch.h"
#include "learn/train/training_run.h"

namespace hone::learn {

TrainingOutcome train(const TrainingRequest& request, const TrainingData& data) {
  check(request);
  device_named(request.device);  // mistakes are told before anything takes long
  const TrainerKind& kind = TrainerKind::named(request.method);
  const std::unique_ptr<Trainer> trainer = kind.make(request, data);
  TrainingRun run(request, kind, trainer->examples().fingerprint());
  trainer->examples().prepare();
  if (!interrupted()) run.train(*trainer);
  return run.outcome();
}

}  // namespace hone::learn
