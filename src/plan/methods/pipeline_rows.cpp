#include "plan/methods/pipeline_rows.h"

#include <algorithm>
#include <memory>

#include "base/thread_pool.h"
#include "plan/methods/list_decoder.h"
#include "plan/methods/pipeline_guidance.h"

namespace hone {

Decisions pipeline_rows(const Search& search) {
  if (search.problem().workload.operation_count() == 0) return {};
  const Durations durations(search.problem());
  ThreadPool pool(search.threads());
  const std::vector<ListGuidance> guidance = pipeline_guidance(durations, pool);
  std::vector<std::unique_ptr<ListDecoder>> decoders;  // by worker
  for (std::size_t i = 0; i < pool.workers(); ++i) decoders.push_back(std::make_unique<ListDecoder>(durations));
  const std::size_t sites = search.task().sites().size();
  Decisions rows(guidance.size() * sites);
  pool.for_each(guidance.size(), [&](std::size_t worker, std::size_t i) {
    const Decisions row = search.task().encode(decoders[worker]->decode(guidance[i], search.start()));
    std::ranges::copy(row, rows.begin() + static_cast<std::ptrdiff_t>(i * sites));
  });
  return rows;
}

}  // namespace hone
