#include "plan/simulate/call_latency.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

namespace hone {

CallLatency::CallLatency(const SimulatorTables& tables)
    : tables_(&tables),
      transfers_(tables),
      devices_(tables.machine.device_count()),
      calls_on_(devices_),
      free_at_(devices_) {}

void CallLatency::make_room() {
  const std::size_t count = tables_->operation_at.size();
  place_of_.resize(count);
  waiting_.resize(count);
  passes_.resize(count * devices_);
  call_of_.resize(count);
  next_.resize(count);
  received_by_.resize(tables_->buffers.size());
  finish_.resize(count);
}

double CallLatency::measure(const PlanLayout& layout) {
  tables_ = &layout.tables();
  transfers_ = TransferTimes(*tables_);
  make_room();
  order_groups();
  if (order_.size() < call_of_.size()) return std::numeric_limits<double>::infinity();
  number_passes(layout);
  form_calls(layout);
  count_reads();
  std::ranges::fill(received_by_, kNone);
  std::ranges::fill(finish_, 0);
  std::ranges::fill(free_at_, 0);
  for (std::uint32_t call = 0; call < calls_.size(); ++call)
    if (calls_[call].waiting == 0) make_ready(call);
  // What no ready call leads to is waited for in a circle.
  for (const std::uint32_t position : order_) {
    while (!ready_.empty()) run(layout, take_ready());
    if (!calls_[call_of_[position]].done) run(layout, cut_off_what_can_run(call_of_[position]));
  }
  return call_of_.empty() ? 0 : *std::ranges::max_element(finish_);
}

/// Whether everything stands behind what it reads, as operations do. Groups need not.
bool CallLatency::is_in_order() const {
  for (std::uint32_t position = 0; position < call_of_.size(); ++position)
    for (const std::uint32_t rank : tables_->inputs[position])
      if (tables_->buffers[rank].producer >= position) return false;
  return true;
}

void CallLatency::order_groups() {
  order_.resize(call_of_.size());
  std::iota(order_.begin(), order_.end(), 0U);
  std::iota(place_of_.begin(), place_of_.end(), 0U);
  if (is_in_order()) return;
  order_.clear();
  ready_.clear();
  const auto add = [&](std::uint32_t position) {
    ready_.push_back(position);
    std::ranges::push_heap(ready_, std::greater());
  };
  for (std::uint32_t position = 0; position < waiting_.size(); ++position) {
    waiting_[position] = static_cast<std::uint32_t>(tables_->inputs[position].size());
    if (waiting_[position] == 0) add(position);
  }
  while (!ready_.empty()) {
    std::ranges::pop_heap(ready_, std::greater());
    const std::uint32_t position = ready_.back();
    ready_.pop_back();
    place_of_[position] = static_cast<std::uint32_t>(order_.size());
    order_.push_back(position);
    for (std::uint32_t rank = tables_->output_begin[position]; rank < tables_->output_begin[position + 1]; ++rank)
      for (const std::uint32_t reader : tables_->readers_of(rank))
        if (--waiting_[reader] == 0) add(reader);
  }
}

/// How often the longest way to each operation comes to each device, the operation itself included.
void CallLatency::number_passes(const PlanLayout& layout) {
  std::ranges::fill(passes_, 0);
  for (const std::uint32_t position : order_) {
    std::uint32_t* const here = passes_.data() + position * devices_;
    const std::uint32_t device = layout.operations[position].device;
    std::uint32_t own = 1;
    for (const std::uint32_t rank : tables_->inputs[position]) {
      const std::uint32_t producer = tables_->buffers[rank].producer;
      const std::uint32_t* const there = passes_.data() + producer * devices_;
      for (std::size_t i = 0; i < devices_; ++i) here[i] = std::max(here[i], there[i]);
      const bool comes_back = layout.operations[producer].device != device;
      own = std::max(own, there[device] + (comes_back ? 1 : 0));
    }
    here[device] = own;
  }
}

std::uint32_t CallLatency::add_call(std::uint32_t device) {
  calls_.push_back({.device = device});
  return static_cast<std::uint32_t>(calls_.size() - 1);
}

void CallLatency::append(std::uint32_t position, std::uint32_t call) {
  Call& grown = calls_[call];
  (grown.first == kNone ? grown.first : next_[grown.last]) = position;
  grown.last = position;
  next_[position] = kNone;
  call_of_[position] = call;
}

void CallLatency::form_calls(const PlanLayout& layout) {
  calls_.clear();
  for (std::vector<std::uint32_t>& calls : calls_on_) calls.clear();
  for (const std::uint32_t position : order_) {
    const std::uint32_t device = layout.operations[position].device;
    if (transfers_.is_host(device)) {
      append(position, add_call(device));
      continue;
    }
    // Before an operation comes a second time to its device, another has come a first time.
    std::vector<std::uint32_t>& calls = calls_on_[device];
    const std::size_t number = passes_[position * devices_ + device] - 1U;
    if (number == calls.size()) calls.push_back(add_call(device));
    append(position, calls[number]);
  }
}

void CallLatency::count_reads() {
  for (std::uint32_t position = 0; position < call_of_.size(); ++position)
    for (const std::uint32_t rank : tables_->inputs[position])
      calls_[call_of_[position]].waiting += call_of_[tables_->buffers[rank].producer] == call_of_[position] ? 0 : 1;
}

void CallLatency::make_ready(std::uint32_t call) {
  ready_.push_back(call);
  std::ranges::push_heap(ready_, std::greater(), [&](std::uint32_t each) { return place_of_[calls_[each].first]; });
}

std::uint32_t CallLatency::take_ready() {
  std::ranges::pop_heap(ready_, std::greater(), [&](std::uint32_t each) { return place_of_[calls_[each].first]; });
  const std::uint32_t call = ready_.back();
  ready_.pop_back();
  return call;
}

/// Whether a member of a call waits for nothing but members that can run and are in the call with number `call`.
bool CallLatency::can_run(std::uint32_t position, std::uint32_t call) const {
  return std::ranges::all_of(tables_->inputs[position], [&](std::uint32_t rank) {
    const std::uint32_t maker = call_of_[tables_->buffers[rank].producer];
    return maker == call || calls_[maker].done;
  });
}

/// A new call of those members of a call that need not wait.
std::uint32_t CallLatency::cut_off_what_can_run(std::uint32_t call) {
  const std::uint32_t cut = add_call(calls_[call].device);
  std::uint32_t position = calls_[call].first;
  calls_[call].first = kNone;
  while (position != kNone) {
    const std::uint32_t after = next_[position];
    append(position, can_run(position, cut) ? cut : call);
    if (call_of_[position] == call)
      for (const std::uint32_t rank : tables_->inputs[position])
        calls_[call].waiting += call_of_[tables_->buffers[rank].producer] == cut ? 1 : 0;
    position = after;
  }
  return cut;
}

void CallLatency::run(const PlanLayout& layout, std::uint32_t call) {
  const std::uint32_t device = calls_[call].device;
  double start = transfers_.is_host(device) ? 0 : free_at_[device], busy = 0;
  for (std::uint32_t member = calls_[call].first; member != kNone; member = next_[member]) {
    for (const std::uint32_t rank : tables_->inputs[member]) {
      const std::uint32_t producer = tables_->buffers[rank].producer;
      if (call_of_[producer] == call) continue;
      start = std::max(start, finish_[producer]);
      if (received_by_[rank] != call) busy += transfers_.receiving(rank, layout.operations[producer].device, device);
      received_by_[rank] = call;
    }
    busy += layout.seconds[member];
    for (std::uint32_t rank = tables_->output_begin[member]; rank < tables_->output_begin[member + 1]; ++rank)
      busy += sending_seconds(layout, rank, call);
  }
  for (std::uint32_t member = calls_[call].first; member != kNone; member = next_[member])
    finish_[member] = start + busy;
  free_at_[device] = start + busy;
  calls_[call].done = true;
  deliver(call);
}

double CallLatency::sending_seconds(const PlanLayout& layout, std::uint32_t rank, std::uint32_t call) const {
  const bool leaves =
      std::ranges::any_of(tables_->readers_of(rank), [&](std::uint32_t reader) { return call_of_[reader] != call; });
  return leaves ? transfers_.sending(rank, calls_[call].device, layout.audiences[rank].destinations) : 0;
}

/// Calls that have waited for this one only are ready now.
void CallLatency::deliver(std::uint32_t call) {
  for (std::uint32_t member = calls_[call].first; member != kNone; member = next_[member])
    for (std::uint32_t rank = tables_->output_begin[member]; rank < tables_->output_begin[member + 1]; ++rank)
      for (const std::uint32_t reader : tables_->readers_of(rank))
        if (call_of_[reader] != call && --calls_[call_of_[reader]].waiting == 0) make_ready(call_of_[reader]);
}

}  // namespace hone
