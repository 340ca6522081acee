#include "plan/methods/critical_waits.h"

#include <algorithm>
#include <utility>

namespace hone {

CriticalWaits::CriticalWaits(const Timeline& timeline, const Plan& plan, const Problem& problem) {
  add_runs(timeline, plan, problem.workload.operation_count());
  add_transfers(timeline, problem);
}

/// Operations of one group run as one: the first of them stands for what its stream was busy with.
void CriticalWaits::add_runs(const Timeline& timeline, const Plan& plan, std::size_t operations) {
  std::vector<std::uint32_t> run_of(timeline.runs.size()), first_of(timeline.runs.size(), kNone);
  for (std::uint32_t i = 0; i < timeline.runs.size(); ++i) run_of[timeline.runs[i].group.index()] = i;
  for (std::uint32_t i = 0; i < operations; ++i) {
    const std::uint32_t number = run_of[plan.group(OperationId(i)).index()];
    const Timeline::Run& run = timeline.runs[number];
    if (first_of[number] == kNone) first_of[number] = i;
    runs_.push_back({run.device, run.start, run.finish, kNone});
  }
  std::vector<std::vector<std::uint32_t>> last;  // by device and stream
  for (std::uint32_t i = 0; i < timeline.runs.size(); ++i) {
    const Timeline::Run& run = timeline.runs[i];
    if (first_of[i] == kNone) continue;
    if (last.size() <= run.device.index()) last.resize(run.device.index() + 1);
    std::vector<std::uint32_t>& streams = last[run.device.index()];
    if (streams.size() <= run.stream) streams.resize(run.stream + 1, kNone);
    runs_[first_of[i]].before = std::exchange(streams[run.stream], first_of[i]);
  }
}

void CriticalWaits::add_transfers(const Timeline& timeline, const Problem& problem) {
  std::vector<std::uint32_t> last(problem.machine.links.size(), kNone);
  last_of_.assign(problem.workload.buffer_count(), kNone);
  for (const Timeline::Transfer& move : timeline.transfers) {
    const OperationId maker = problem.workload.buffer(move.buffer).producer;
    if (!maker.valid()) continue;
    const auto number = static_cast<std::uint32_t>(transfers_.size());
    transfers_.push_back({move.buffer, maker, move.to, move.start, move.finish,
                          std::exchange(last[move.link.index()], number),
                          std::exchange(last_of_[move.buffer.index()], number)});
  }
}

std::uint32_t CriticalWaits::transfer_to(DeviceId device, BufferId buffer) const {
  std::uint32_t number = last_of_[buffer.index()];
  while (number != kNone && transfers_[number].to != device) number = transfers_[number].other;
  return number;
}

CriticalWaits::Cause CriticalWaits::drawn_cause(const Durations& durations, OperationId operation, Rng& rng) const {
  const Run& run = runs_[operation.index()];
  Cause cause;
  std::size_t seen = 0;
  const auto offer = [&](double finish, const Cause& offered) {
    if (finish == run.start && rng.below(++seen) == 0) cause = offered;
  };
  for (const Durations::Read& read : durations.reads(operation)) {
    const auto maker = static_cast<std::uint32_t>(read.other.index());
    const std::uint32_t transfer = runs_[maker].device == run.device ? kNone : transfer_to(run.device, read.buffer);
    if (transfer == kNone) offer(runs_[maker].finish, {.operation = maker});
    else offer(transfers_[transfer].finish, {.transfer = transfer});
  }
  if (run.before != kNone) offer(runs_[run.before].finish, {.operation = run.before, .by_stream = true});
  return cause;
}

/// What its link was busy with when it could have started; none when it did not wait for that.
std::uint32_t CriticalWaits::waited_for(const Transfer& move) const {
  const bool is_prompt = runs_[move.maker.index()].finish == move.start;
  return is_prompt || move.before == kNone || transfers_[move.before].finish != move.start ? kNone : move.before;
}

OperationId CriticalWaits::drawn_reader(const Transfer& move, const Durations& durations, Rng& rng) const {
  OperationId reader;
  std::size_t seen = 0;
  for (const Durations::Read& read : durations.read_by(move.maker)) {
    const bool is_there = read.buffer == move.buffer && runs_[read.other.index()].device == move.to;
    if (is_there && rng.below(++seen) == 0) reader = read.other;
  }
  return reader;
}

std::vector<CriticalWait> CriticalWaits::drawn_chain(const Durations& durations, Rng& rng) const {
  std::vector<CriticalWait> chain;
  if (runs_.empty()) return chain;
  OperationId at(static_cast<std::size_t>(std::ranges::max_element(runs_, {}, &Run::finish) - runs_.begin()));
  // Operations that take no time could lead in a circle.
  for (std::size_t left = runs_.size(); left > 0 && runs_[at.index()].start > 0; --left) {
    const Cause cause = drawn_cause(durations, at, rng);
    if (cause.operation == kNone && cause.transfer == kNone) break;
    for (std::uint32_t i = cause.transfer; i != kNone; i = waited_for(transfers_[i])) {
      const OperationId reader = drawn_reader(transfers_[i], durations, rng);
      at = transfers_[i].maker;
      if (reader.valid()) chain.push_back({at, reader, true});
    }
    if (cause.operation == kNone) continue;
    const OperationId before(cause.operation);
    if (cause.by_stream) chain.push_back({before, at, false});
    at = before;
  }
  return chain;
}

}  // namespace hone
