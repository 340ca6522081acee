#include "plan/fuse/group_order.h"

namespace hone {
namespace {

constexpr std::uint64_t kGap = std::uint64_t{1} << 32;

}  // namespace

void GroupOrder::reset(std::span<const std::uint32_t> order) {
  const auto count = static_cast<std::uint32_t>(order.size());
  const std::uint32_t front = count, back = count + 1;
  label_.resize(order.size() + 2);
  next_.resize(order.size() + 2);
  previous_.resize(order.size() + 2);
  std::uint32_t before = front;
  const auto link = [&](std::uint32_t item) {
    next_[before] = item;
    previous_[item] = before;
    before = item;
  };
  for (const std::uint32_t item : order) link(item);
  link(back);
  label_anew();
}

void GroupOrder::label_anew() {
  const auto front = static_cast<std::uint32_t>(label_.size() - 2), back = front + 1;
  std::uint64_t label = 0;
  for (std::uint32_t item = front; item != back; item = next_[item], label += kGap) label_[item] = label;
  label_[back] = label;
}

void GroupOrder::insert_behind(std::uint32_t place, std::span<const std::uint32_t> items) {
  const std::uint32_t end = next_[place];
  const std::uint64_t step = (label_[end] - label_[place]) / (items.size() + 1);
  std::uint32_t before = place;
  for (const std::uint32_t item : items) {
    label_[item] = label_[before] + step;
    next_[before] = item;
    previous_[item] = before;
    before = item;
  }
  next_[before] = end;
  previous_[end] = before;
  if (step == 0) label_anew();
}

void GroupOrder::move_behind(std::uint32_t place, std::span<const std::uint32_t> items) {
  for (const std::uint32_t item : items) remove(item);
  insert_behind(place, items);
}

void GroupOrder::move_before(std::uint32_t place, std::span<const std::uint32_t> items) {
  for (const std::uint32_t item : items) remove(item);
  insert_behind(previous_[place], items);
}

}  // namespace hone
