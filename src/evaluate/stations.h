#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "evaluate/heap.h"

namespace hone {

/// Places where things run one by one, or a few at a time: the devices of a machine, or its links. Each has a queue and
/// some streams. Every stream of every station has a number, its alarm.
class Stations {
 public:
  /// Alarms are numbered from `first_alarm`, `room` keys fit into all queues together.
  Stations(std::span<const std::size_t> streams, std::size_t room, std::uint32_t first_alarm) : storage_(room) {
    for (const std::size_t count : streams) {
      stations_.push_back({.all = ~std::uint64_t{0} >> (64 - count), .first_alarm = first_alarm});
      first_alarm += static_cast<std::uint32_t>(count);
    }
    alarm_end_ = first_alarm;
    startable_.resize(streams.size() + 1);
  }

  /// The alarm after the last.
  std::uint32_t alarm_end() const { return alarm_end_; }
  std::uint32_t stream_of(std::uint32_t station, std::uint32_t alarm) const {
    return alarm - stations_[station].first_alarm;
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
  }

  void enqueue(std::uint32_t station, std::uint64_t key) {
    Station& at = stations_[station];
    note_startable(station, at.free != 0 && at.queue.empty());
    at.queue.push(key);
  }

  void vacate(std::uint32_t station, std::uint32_t alarm) {
    Station& at = stations_[station];
    note_startable(station, at.free == 0 && !at.queue.empty());
    at.free |= std::uint64_t{1} << (alarm - at.first_alarm);
  }

  /// Calls start(station, alarm, key) for the least key of every queue while its station has a free stream, the lowest.
  template <class Start>
  void start_all(const Start& start) {
    for (std::size_t i = 0; i < startable_count_; ++i) {
      const std::uint32_t station = startable_[i];
      Station& at = stations_[station];
      do {
        const auto stream = static_cast<std::uint32_t>(std::countr_zero(at.free));
        at.free &= at.free - 1;
        start(station, at.first_alarm + stream, at.queue.pop());
      } while (at.free != 0 && !at.queue.empty());
    }
    startable_count_ = 0;
  }

 private:
  struct Station {
    Heap<std::uint64_t> queue;
    std::uint64_t free = 0, all = 0;  // streams, a bit each
    std::uint32_t first_alarm = 0;
  };

  /// A station is noted when it comes to have both a free stream and something queued, hence once. Whether it does is
  /// hard to foretell, so the number is written in any case and counted by arithmetic.
  void note_startable(std::uint32_t station, std::size_t is_startable) {
    startable_[startable_count_] = station;
    startable_count_ += is_startable;
  }

  std::vector<Station> stations_;
  std::uint32_t alarm_end_ = 0;
  std::vector<std::uint64_t> storage_;  // of all queues
  std::vector<std::uint32_t> startable_;
  std::size_t startable_count_ = 0;
};

}  // namespace hone
