#include "optimize/exact_order.h"

#include <algorithm>
#include <limits>
#include <queue>

#include "base/hash.h"

namespace hone {
namespace {

constexpr std::size_t kLongestChain = 12;
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// Bits of a number fixed by the segment, in words.
using Word = std::uint64_t;
using Bits = std::vector<Word>;

bool has(std::span<const Word> set, std::size_t i) { return (set[i / 64] >> (i % 64) & 1) != 0; }
void add(std::span<Word> set, std::size_t i) { set[i / 64] |= Word{1} << (i % 64); }
void remove(std::span<Word> set, std::size_t i) { set[i / 64] &= ~(Word{1} << (i % 64)); }

/// How many of `all` are not in `set`; at most 2, which is many.
int missing(std::span<const Word> all, std::span<const Word> set) {
  int count = 0;
  for (std::size_t i = 0; i < all.size() && count < 2; ++i) {
    const Word left = all[i] & ~set[i];
    if (left != 0) count += (left & (left - 1)) == 0 ? 1 : 2;
  }
  return std::min(count, 2);
}

/// The works of a segment by position, and what they do to memory.
class SegmentMemory {
 public:
  SegmentMemory(const OrderMemory& memory, std::span<const WorkId> order, OrderSegment segment)
      : memory_(memory), count_(segment.last - segment.first), words_((count_ + 63) / 64) {
    place_.assign(order.size(), kOutside);
    for (std::size_t i = 0; i < order.size(); ++i)
      if (i < segment.first) place_[order[i].index()] = kBefore;
      else if (i < segment.last) place_[order[i].index()] = static_cast<std::uint32_t>(i - segment.first);
    for (std::size_t i = 0; i < count_; ++i) add_work(order[segment.first + i]);
    held_at_start_ = memory.resident_bytes();
    for (std::size_t i = 0; i < memory.holding_count(); ++i) add_holding(i);
  }

  std::size_t count() const { return count_; }
  std::size_t words() const { return words_; }
  std::int64_t held_at_start() const { return held_at_start_; }
  std::int64_t made(std::size_t work) const { return made_[work]; }
  const std::vector<std::uint32_t>& after(std::size_t work) const { return after_[work]; }
  bool is_ready(std::size_t work, std::span<const Word> done) const {
    return !has(done, work) && missing(before_[work], done) == 0;
  }
  /// What is given back when a work has run after `done`.
  std::int64_t freed(std::size_t work, std::span<const Word> done) const {
    std::int64_t bytes = 0;
    for (const std::uint32_t i : uses_[work])
      if (missing(holdings_[i].users, done) == 1) bytes += holdings_[i].bytes;
    return bytes;
  }

 private:
  static constexpr std::uint32_t kOutside = kNone, kBefore = kNone - 1;
  struct Holding {  // one that the segment can give back
    std::int64_t bytes = 0;
    Bits users;
  };

  bool is_inside(WorkId work) const { return place_[work.index()] < kBefore; }

  void add_work(WorkId work) {
    Bits needs(words_);
    for (const WorkId need : memory_.before(work))
      if (is_inside(need)) add(needs, place_[need.index()]);
    before_.push_back(std::move(needs));
    std::vector<std::uint32_t> next;
    for (const WorkId reader : memory_.after(work))
      if (is_inside(reader)) next.push_back(place_[reader.index()]);
    after_.push_back(std::move(next));
    const auto [first, last] = memory_.made_by(work);
    std::int64_t bytes = 0;
    for (std::uint32_t i = first; i < last; ++i) bytes += memory_.holding(i).bytes;
    made_.push_back(bytes);
    uses_.emplace_back();
  }

  void add_holding(std::size_t i) {
    const OrderMemory::Holding& holding = memory_.holding(i);
    bool stays = holding.kept, is_used = false;
    Bits users(words_);
    for (const WorkId user : memory_.users(i)) {
      stays |= place_[user.index()] == kOutside;
      is_used |= is_inside(user);
      if (is_inside(user)) add(users, place_[user.index()]);
    }
    const bool is_held = place_[holding.maker.index()] == kBefore && (stays || is_used);
    if (is_held) held_at_start_ += holding.bytes;
    if (stays || !is_used) return;
    for (const WorkId user : memory_.users(i))
      if (is_inside(user)) uses_[place_[user.index()]].push_back(static_cast<std::uint32_t>(holdings_.size()));
    holdings_.push_back({.bytes = holding.bytes, .users = std::move(users)});
  }

  const OrderMemory& memory_;
  std::size_t count_, words_;
  std::vector<std::uint32_t> place_;  // by work: position in the segment, or where it is outside
  std::vector<Bits> before_;
  std::vector<std::vector<std::uint32_t>> after_, uses_;
  std::vector<std::int64_t> made_;
  std::vector<Holding> holdings_;
  std::int64_t held_at_start_ = 0;
};

/// Sets of works that have been reached, each once.
class ReachedSets {
 public:
  struct Info {
    std::int64_t peak = 0;  // on the way here
    std::int64_t held = 0;
    std::uint32_t from = kNone, work = kNone;  // the set before, and the work after it
    std::uint32_t done = 0;                    // works
  };

  explicit ReachedSets(std::size_t words) : words_(words), slots_(1024, kNone) {}

  std::size_t size() const { return infos_.size(); }
  std::span<const Word> set(std::uint32_t id) const { return std::span(sets_).subspan(id * words_, words_); }
  Info& info(std::uint32_t id) { return infos_[id]; }

  /// The id of a set, which is new when it is the number of those before.
  std::uint32_t id_of(std::span<const Word> set) {
    if (2 * (infos_.size() + 1) > slots_.size()) grow();
    const std::size_t slot = slot_of(set);
    if (slots_[slot] == kNone) {
      slots_[slot] = static_cast<std::uint32_t>(infos_.size());
      sets_.insert(sets_.end(), set.begin(), set.end());
      infos_.push_back({.peak = std::numeric_limits<std::int64_t>::max()});
    }
    return slots_[slot];
  }

 private:
  std::size_t slot_of(std::span<const Word> wanted) const {
    std::uint64_t hash = 0;
    for (const Word word : wanted) hash = mix(hash, word);
    std::size_t slot = hash & (slots_.size() - 1);
    while (slots_[slot] != kNone && !std::ranges::equal(set(slots_[slot]), wanted))
      slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }

  void grow() {
    slots_.assign(2 * slots_.size(), kNone);
    for (std::uint32_t id = 0; id < infos_.size(); ++id) slots_[slot_of(set(id))] = id;
  }

  std::size_t words_;
  std::vector<Word> sets_;
  std::vector<Info> infos_;
  std::vector<std::uint32_t> slots_;
};

class ExactOrderSearch {
 public:
  ExactOrderSearch(const SegmentMemory& memory, const ExactOrderLimits& limits)
      : memory_(memory), limits_(limits), reached_(memory.words()), done_(memory.words()) {}

  /// Positions of works in the order found, and what else there is to say.
  struct Outcome {
    std::vector<std::uint32_t> works;
    std::int64_t bound = 0;
  };

  Outcome run() {
    offer(reached_.id_of(done_), {.peak = limits_.floor, .held = memory_.held_at_start()});
    while (!open_.empty()) {
      const Open next = open_.top();
      open_.pop();
      if (next.peak > reached_.info(next.id).peak) continue;  // reached in a better way since
      if (reached_.info(next.id).done == memory_.count()) return {.works = path_to(next.id), .bound = next.peak};
      if (reached_.size() >= limits_.states) return {.works = {}, .bound = next.peak};
      expand(next.id);
    }
    return {.works = {}, .bound = limits_.ceiling};
  }

  std::size_t states() const { return reached_.size(); }

 private:
  struct Open {
    std::int64_t peak = 0;
    std::uint32_t done = 0;
    std::int64_t held = 0;
    std::uint32_t id = 0;

    /// The least peak first; of these the set with most works, so that an order is complete soon.
    bool operator<(const Open& other) const {
      if (peak != other.peak) return peak > other.peak;
      if (done != other.done) return done < other.done;
      return held != other.held ? held > other.held : id > other.id;
    }
  };

  void offer(std::uint32_t id, const ReachedSets::Info& info) {
    ReachedSets::Info& known = reached_.info(id);
    if (info.peak >= known.peak) return;
    known = info;
    open_.push({.peak = info.peak, .done = info.done, .held = info.held, .id = id});
  }

  /// The next sets, or the end of a chain that is taken in any case.
  void expand(std::uint32_t id) {
    std::ranges::copy(reached_.set(id), done_.begin());
    const ReachedSets::Info here = reached_.info(id);
    ready_.clear();
    for (std::uint32_t work = 0; work < memory_.count(); ++work)
      if (memory_.is_ready(work, done_)) ready_.push_back(work);
    for (const std::size_t length : {std::size_t{1}, kLongestChain})
      for (const std::uint32_t work : ready_) {
        chain_.clear();
        if (!find_chain(work, here.peak, here.held, here.held, length)) continue;
        take(id, chain_);
        return;
      }
    for (const std::uint32_t work : ready_) take(id, {&work, 1});
  }

  /// Whether a chain that begins with `work` stays within the peak and holds no more than `least` at its end, which is
  /// the least held on its way; leaves it in `chain_`.
  bool find_chain(std::uint32_t work, std::int64_t peak, std::int64_t held, std::int64_t least, std::size_t length) {
    if (held + memory_.made(work) > peak) return false;
    const std::int64_t after = held + memory_.made(work) - memory_.freed(work, done_);
    chain_.push_back(work);
    if (after <= least) return true;
    add(done_, work);
    bool found = false;
    if (chain_.size() < length)
      for (const std::uint32_t next : memory_.after(work))
        if (!found && memory_.is_ready(next, done_)) found = find_chain(next, peak, after, least, length);
    remove(done_, work);
    if (!found) chain_.pop_back();
    return found;
  }

  /// Goes from a set through some works and offers where that leads.
  void take(std::uint32_t id, std::span<const std::uint32_t> works) {
    std::ranges::copy(reached_.set(id), done_.begin());
    for (std::size_t i = 0; i < works.size(); ++i) {
      ReachedSets::Info next = reached_.info(id);
      next.peak = std::max(next.peak, next.held + memory_.made(works[i]));
      next.held += memory_.made(works[i]) - memory_.freed(works[i], done_);
      next.from = id;
      next.work = works[i];
      ++next.done;
      if (next.peak >= limits_.ceiling) return;
      add(done_, works[i]);
      id = reached_.id_of(done_);
      if (i + 1 == works.size()) offer(id, next);
      else if (next.peak < reached_.info(id).peak) reached_.info(id) = next;
      else return;  // whoever was here before goes on
    }
  }

  std::vector<std::uint32_t> path_to(std::uint32_t id) {
    std::vector<std::uint32_t> works;
    for (; reached_.info(id).from != kNone; id = reached_.info(id).from) works.push_back(reached_.info(id).work);
    std::ranges::reverse(works);
    return works;
  }

  const SegmentMemory& memory_;
  const ExactOrderLimits& limits_;
  ReachedSets reached_;
  std::priority_queue<Open> open_;
  Bits done_;
  std::vector<std::uint32_t> ready_, chain_;
};

}  // namespace

ExactOrder exact_order(const OrderMemory& memory, std::span<const WorkId> order, OrderSegment segment,
                       const ExactOrderLimits& limits) {
  const SegmentMemory inside(memory, order, segment);
  ExactOrderSearch search(inside, limits);
  ExactOrderSearch::Outcome outcome = search.run();
  ExactOrder result{.works = {}, .bound_bytes = outcome.bound, .states = search.states()};
  for (const std::uint32_t place : outcome.works) result.works.push_back(order[segment.first + place]);
  return result;
}

}  // namespace hone
