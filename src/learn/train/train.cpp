#include "learn/train/train.h"

#include "base/interrupt.h"
#include "learn/train/batch.h"
#include "learn/train/training_run.h"

namespace hone::learn {

TrainingOutcome train(const TrainingRequest& given, const TrainingData& data) {
  check(given);
  device_named(given.device);  // mistakes are told before anything takes long
  const TrainerKind& kind = TrainerKind::named(given.method);
  const TrainingRequest request = kind.completed(given);
  const std::unique_ptr<Trainer> trainer = kind.make(request, data);
  TrainingRun run(request, kind, trainer->examples().fingerprint());
  trainer->examples().prepare();
  if (!interrupted()) run.train(*trainer);
  return run.outcome();
}

}  // namespace hone::learn
