#include "plan/methods/exact_order.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <queue>

#include "base/hash.h"

namespace hone {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// A set of operations of the segment, by position.
using Word = std::uint64_t;
using Set = std::vector<Word>;

void add(std::span<Word> set, std::size_t i) { set[i / 64] |= Word{1} << (i % 64); }

template <class Visit>
void for_each_missing(std::span<const Word> operations, std::span<const Word> done, const Visit& visit) {
  for (std::size_t i = 0; i < operations.size(); ++i)
    for (Word left = operations[i] & ~done[i]; left != 0; left &= left - 1)
      visit(64 * i + static_cast<std::size_t>(std::countr_zero(left)));
}

/// The operations of a segment, and what they do to memory.
class SegmentMemory {
 public:
  /// Bytes that are given back once a set of operations, all that these read among them, has run.
  struct Release {
    Set needs;
    std::int64_t bytes = 0;
  };

  SegmentMemory(const OrderMemory& memory, std::span<const OperationId> order, OrderSegment segment)
      : memory_(memory), count_(segment.last - segment.first), words_((count_ + 63) / 64) {
    place_.assign(order.size(), kAfter);
    for (std::size_t i = 0; i < order.size(); ++i)
      if (i < segment.first) place_[order[i].index()] = kBefore;
      else if (i < segment.last) place_[order[i].index()] = static_cast<std::uint32_t>(i - segment.first);
    for (const OperationId operation : order.subspan(segment.first, count_)) add_operation(operation);
    held_at_start_ = memory.resident_bytes();
    for (std::size_t i = 0; i < memory.holding_count(); ++i) add_holding(i);
    for (const auto& [needs, bytes] : bytes_of_) releases_.push_back({.needs = needs, .bytes = bytes});
  }

  std::size_t count() const { return count_; }
  std::size_t words() const { return words_; }
  std::int64_t held_at_start() const { return held_at_start_; }
  /// What those of some operations make that are not done.
  std::int64_t made(std::span<const Word> operations, std::span<const Word> done) const {
    std::int64_t bytes = 0;
    for_each_missing(operations, done, [&](std::size_t operation) { bytes += made_[operation]; });
    return bytes;
  }
  const std::vector<Release>& releases() const { return releases_; }

 private:
  static constexpr std::uint32_t kAfter = kNone, kBefore = kNone - 1;

  bool is_inside(OperationId operation) const { return place_[operation.index()] < kBefore; }

  void include(Set& set, OperationId operation) const {
    if (!is_inside(operation)) return;
    const Set& all = with_needs_[place_[operation.index()]];
    for (std::size_t i = 0; i < words_; ++i) set[i] |= all[i];
  }

  void add_operation(OperationId operation) {
    Set needs(words_);
    add(needs, place_[operation.index()]);
    for (const OperationId need : memory_.before(operation)) include(needs, need);
    with_needs_.push_back(std::move(needs));
    const auto [first, last] = memory_.made_by(operation);
    std::int64_t bytes = 0;
    for (std::uint32_t i = first; i < last; ++i) bytes += memory_.holding(i).bytes;
    made_.push_back(bytes);
  }

  void add_holding(std::size_t i) {
    const OrderMemory::Holding& holding = memory_.holding(i);
    bool stays = holding.kept, is_used = false;
    Set needs(words_);
    for (const OperationId user : memory_.users(i)) {
      stays |= place_[user.index()] == kAfter;
      is_used |= is_inside(user);
      include(needs, user);
    }
    if (place_[holding.maker.index()] == kBefore && (stays || is_used)) held_at_start_ += holding.bytes;
    if (!stays && is_used && holding.bytes > 0) bytes_of_[needs] += holding.bytes;
  }

  const OrderMemory& memory_;
  std::size_t count_, words_;
  std::vector<std::uint32_t> place_;  // by operation: position in the segment, or where it is outside
  std::vector<Set> with_needs_;       // by position: the operation and all it needs
  std::vector<std::int64_t> made_;
  std::map<Set, std::int64_t> bytes_of_;
  std::vector<Release> releases_;
  std::int64_t held_at_start_ = 0;
};

/// Sets of operations that have been reached, each once.
class ReachedSets {
 public:
  struct Info {
    std::int64_t peak = 0;  // on the way here
    std::int64_t held = 0;
    std::uint32_t from = kNone;  // the set before
    std::uint32_t done = 0;      // operations
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
      : memory_(memory),
        limits_(limits),
        reached_(memory.words()),
        all_(memory.words()),
        done_(memory.words()),
        next_(memory.words()) {
    for (std::size_t i = 0; i < memory.count(); ++i) add(all_, i);
  }

  /// Positions of operations in the order found, and what else there is to say.
  struct Outcome {
    std::vector<std::size_t> operations;
    std::int64_t bound = 0;
  };

  Outcome run() {
    offer(reached_.id_of(done_), {.peak = limits_.floor, .held = memory_.held_at_start()});
    while (!open_.empty()) {
      const Open next = open_.top();
      open_.pop();
      if (next.peak >= limits_.ceiling) break;
      if (next.peak > reached_.info(next.id).peak) continue;  // reached in a better way since
      if (next.done == memory_.count()) return {.operations = path_to(next.id), .bound = next.peak};
      if (reached_.size() >= limits_.states) return {.operations = {}, .bound = next.peak};
      expand(next.id);
    }
    return {.operations = {}, .bound = limits_.ceiling};
  }

  std::size_t states() const { return reached_.size(); }

 private:
  struct Open {
    std::int64_t peak = 0;
    std::uint32_t done = 0;
    std::int64_t held = 0;
    std::uint32_t id = 0;

    /// The least peak first; of these the set with most operations, so that an order is complete soon.
    bool operator<(const Open& other) const {
      if (peak != other.peak) return peak > other.peak;
      if (done != other.done) return done < other.done;
      return held != other.held ? held > other.held : id > other.id;
    }
  };

  /// Runs what is missing for a release, or all that is left.
  struct Step {
    std::span<const Word> needs;
    std::int64_t made = 0, released = 0;
    std::uint32_t count = 0;  // operations that are missing

    std::int64_t change() const { return made - released; }
  };

  void offer(std::uint32_t id, const ReachedSets::Info& info) {
    ReachedSets::Info& known = reached_.info(id);
    if (info.peak >= known.peak) return;
    known = info;
    open_.push({.peak = info.peak, .done = info.done, .held = info.held, .id = id});
  }

  void expand(std::uint32_t id) {
    std::ranges::copy(reached_.set(id), done_.begin());
    const ReachedSets::Info here = reached_.info(id);
    find_steps();
    const auto safe = std::ranges::find_if(
        least_, [&](const Step& step) { return step.change() <= 0 && here.held + step.made <= here.peak; });
    if (safe != least_.end()) take(id, *safe);
    else
      for (const Step& step : least_) take(id, step);
  }

  /// The least steps after what is done.
  void find_steps() {
    steps_.clear();
    least_.clear();
    for (const SegmentMemory::Release& release : memory_.releases()) {
      const std::uint32_t count = missing(release.needs);
      if (count > 0) steps_.push_back({.needs = release.needs, .released = release.bytes, .count = count});
    }
    if (steps_.empty()) steps_.push_back({.needs = all_, .count = missing(all_)});
    std::ranges::stable_sort(steps_, {}, &Step::count);
    for (const Step& step : steps_) {
      const auto part = std::ranges::find_if(least_, [&](const Step& other) { return is_part(other, step); });
      if (part == least_.end()) least_.push_back(step);
      else if (part->count == step.count) part->released += step.released;
    }
    for (Step& step : least_) step.made = memory_.made(step.needs, done_);
  }

  std::uint32_t missing(std::span<const Word> operations) const {
    int count = 0;
    for (std::size_t i = 0; i < operations.size(); ++i) count += std::popcount(operations[i] & ~done_[i]);
    return static_cast<std::uint32_t>(count);
  }

  /// Whether all that one step runs another one runs, too.
  bool is_part(const Step& part, const Step& whole) const {
    for (std::size_t i = 0; i < done_.size(); ++i)
      if ((part.needs[i] & ~whole.needs[i] & ~done_[i]) != 0) return false;
    return true;
  }

  void take(std::uint32_t id, const Step& step) {
    ReachedSets::Info next = reached_.info(id);
    next.peak = std::max(next.peak, next.held + step.made);
    if (next.peak >= limits_.ceiling) return;
    next.held += step.change();
    next.from = id;
    next.done += step.count;
    for (std::size_t i = 0; i < done_.size(); ++i) next_[i] = done_[i] | step.needs[i];
    offer(reached_.id_of(next_), next);
  }

  std::vector<std::size_t> path_to(std::uint32_t id) {
    std::vector<std::vector<std::size_t>> steps;
    for (; reached_.info(id).from != kNone; id = reached_.info(id).from) {
      steps.emplace_back();
      for_each_missing(reached_.set(id), reached_.set(reached_.info(id).from),
                       [&](std::size_t operation) { steps.back().push_back(operation); });
    }
    std::vector<std::size_t> path;
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) path.insert(path.end(), step->begin(), step->end());
    return path;
  }

  const SegmentMemory& memory_;
  const ExactOrderLimits& limits_;
  ReachedSets reached_;
  std::priority_queue<Open> open_;
  Set all_;
  Set done_, next_;                  // scratch: the set that is left, the one that is reached
  std::vector<Step> steps_, least_;  // scratch
};

}  // namespace

ExactOrder exact_order(const OrderMemory& memory, std::span<const OperationId> order, OrderSegment segment,
                       const ExactOrderLimits& limits) {
  const SegmentMemory inside(memory, order, segment);
  ExactOrderSearch search(inside, limits);
  ExactOrderSearch::Outcome outcome = search.run();
  ExactOrder result{.operations = {}, .bound_bytes = outcome.bound, .states = search.states()};
  for (const std::size_t place : outcome.operations) result.operations.push_back(order[segment.first + place]);
  return result;
}

}  // namespace hone
