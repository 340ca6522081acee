#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "base/scratch_vector.h"
#include "plan/simulate/alarm_clock.h"
#include "plan/simulate/heap.h"

namespace hone {

/// Places where things run, one by one or a few at a time: the devices of a machine, or its links. Each has a queue and
/// some streams. What runs is a number, which is the lower half of the key that orders it in its queue.
class Stations {
 public:
  /// `streams` by station, at most 64; `room` keys fit into all queues together.
  Stations(std::span<const std::size_t> streams, std::size_t room) : storage_(room), startable_(streams.size() + 1) {
    for (const std::size_t count : streams) {
      Station& station = stations_.emplace_back();
      station.all = ~std::uint64_t{0} >> (64 - count);
      station.first_alarm = station_of_.size();
      station_of_.insert(station_of_.end(), count, static_cast<std::uint32_t>(stations_.size() - 1));
    }
    clock_ = AlarmClock(station_of_.size());
  }

  /// Empties everything; `rooms` says how many keys each queue may have to hold.
  void reset(std::span<const std::uint32_t> rooms) {
    std::uint64_t* room = storage_.data();
    for (std::size_t i = 0; i < stations_.size(); ++i) {
      stations_[i].queue = Heap(room);
      stations_[i].free = stations_[i].all;
      room += rooms[i];
    }
    startable_count_ = 0;
    clock_.clear();
  }

  void enqueue(std::uint32_t station, std::uint64_t key) {
    Station& at = stations_[station];
    note_startable(station, std::size_t{at.free != 0} & std::size_t{at.queue.empty()});
    at.queue.push(key);
  }

  /// When the next thing ends.
  double next() const { return clock_.next(); }

  struct Ended {
    std::uint32_t station = 0;
    std::uint32_t what = 0;
  };
  /// Ends the next thing.
  Ended end_next() {
    const std::uint32_t alarm = clock_.next_alarm();
    const Ended ended{station_of_[alarm], clock_.next_event()};
    clock_.unset(alarm);
    Station& at = stations_[ended.station];
    note_startable(ended.station, std::size_t{at.free == 0} & std::size_t{!at.queue.empty()});
    at.free |= std::uint64_t{1} << (alarm - at.first_alarm);
    return ended;
  }

  /// Calls start(station, stream, what), which says when that ends, for the first of every queue while there is a free
  /// stream; takes the lowest.
  template <class Start>
  void start_all(const Start& start) {
    for (std::size_t i = 0; i < startable_count_; ++i) {
      const std::uint32_t station = startable_[i];
      Station& at = stations_[station];
      do {
        const auto stream = static_cast<std::uint32_t>(std::countr_zero(at.free));
        at.free &= at.free - 1;
        const auto what = static_cast<std::uint32_t>(at.queue.pop());
        clock_.set(static_cast<std::uint32_t>(at.first_alarm) + stream, start(station, stream, what), what);
      } while (at.free != 0 && !at.queue.empty());
    }
    startable_count_ = 0;
  }

 private:
  struct Station {
    Heap<std::uint64_t> queue;
    std::uint64_t free = 0, all = 0;  // streams, a bit each
    std::size_t first_alarm = 0;      // every stream has one
  };

  /// A station is noted when it comes to have both a free stream and something queued, hence once. Whether it does is
  /// hard to foretell, so the number is written in any case and counted by arithmetic.
  void note_startable(std::uint32_t station, std::size_t is_startable) {
    startable_[startable_count_] = station;
    startable_count_ += is_startable;
  }

  ScratchVector<Station> stations_;
  std::vector<std::uint32_t> station_of_;  // by alarm
  AlarmClock clock_{0};
  ScratchVector<std::uint64_t> storage_;  // of all queues
  ScratchVector<std::uint32_t> startable_;
  std::size_t startable_count_ = 0;
};

}  // namespace hone
