#pragma once

#include <bit>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "base/scratch_vector.h"
#include "plan/simulate/event_tree.h"
#include "plan/simulate/heap.h"

namespace hone {

/// Places where things run, one by one or a few at a time: the devices of a machine, or its links. Each has a queue and
/// some streams. What runs is a number, which is the lower half of the key that orders it in its queue.
class Resources {
 public:
  /// `streams` by resource, at most 64; `room` keys fit into all queues together, more are made room for.
  Resources(std::span<const std::size_t> streams, std::size_t room) : storage_(room), startable_(streams.size() + 1) {
    for (const std::size_t count : streams) {
      Resource& resource = resources_.emplace_back();
      resource.all = ~std::uint64_t{0} >> (64 - count);
      resource.first_stream = resource_of_.size();
      resource_of_.insert(resource_of_.end(), count, static_cast<std::uint32_t>(resources_.size() - 1));
    }
    events_ = EventTree(resource_of_.size());
  }

  /// Empties everything; `rooms` says how many keys each queue may have to hold.
  void reset(std::span<const std::uint32_t> rooms) {
    const std::size_t needed = std::accumulate(rooms.begin(), rooms.end(), std::size_t{0});
    if (needed > storage_.size()) storage_.resize(needed);
    std::uint64_t* room = storage_.data();
    for (std::size_t i = 0; i < resources_.size(); ++i) {
      resources_[i].queue = Heap(room);
      resources_[i].free = resources_[i].all;
      room += rooms[i];
    }
    startable_count_ = 0;
    events_.clear();
  }

  void enqueue(std::uint32_t resource, std::uint64_t key) {
    Resource& at = resources_[resource];
    note_startable(resource, std::size_t{at.free != 0} & std::size_t{at.queue.empty()});
    at.queue.push(key);
  }

  /// When the next thing ends.
  double next() const { return events_.next(); }

  struct Ended {
    std::uint32_t resource = 0;
    std::uint32_t what = 0;
  };
  /// Ends the next thing.
  Ended end_next() {
    const std::uint32_t slot = events_.next_slot();
    const Ended ended{resource_of_[slot], events_.next_event()};
    events_.unset(slot);
    Resource& at = resources_[ended.resource];
    note_startable(ended.resource, std::size_t{at.free == 0} & std::size_t{!at.queue.empty()});
    at.free |= std::uint64_t{1} << (slot - at.first_stream);
    return ended;
  }

  /// Calls start(resource, stream, what), which says when that ends, for the first of every queue while there is a free
  /// stream; takes the lowest.
  template <class Start>
  void start_all(const Start& start) {
    for (std::size_t i = 0; i < startable_count_; ++i) {
      const std::uint32_t resource = startable_[i];
      Resource& at = resources_[resource];
      do {
        const auto stream = static_cast<std::uint32_t>(std::countr_zero(at.free));
        at.free &= at.free - 1;
        const auto what = static_cast<std::uint32_t>(at.queue.pop());
        events_.set(static_cast<std::uint32_t>(at.first_stream) + stream, start(resource, stream, what), what);
      } while (at.free != 0 && !at.queue.empty());
    }
    startable_count_ = 0;
  }

 private:
  struct Resource {
    Heap<std::uint64_t> queue;
    std::uint64_t free = 0, all = 0;  // streams, a bit each
    std::size_t first_stream = 0;     // its first among the streams of all
  };

  /// A resource is noted when it comes to have both a free stream and something queued, hence once. Whether it does is
  /// hard to foretell, so the number is written in any case and counted by arithmetic.
  void note_startable(std::uint32_t resource, std::size_t is_startable) {
    startable_[startable_count_] = resource;
    startable_count_ += is_startable;
  }

  ScratchVector<Resource> resources_;
  std::vector<std::uint32_t> resource_of_;  // by stream of all
  EventTree events_{0};
  ScratchVector<std::uint64_t> storage_;  // of all queues
  ScratchVector<std::uint32_t> startable_;
  std::size_t startable_count_ = 0;
};

}  // namespace hone
