#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hone {

/// Lists of items, one behind the other in a single array, so that walking them touches memory in order.
template <class T>
class FlatLists {
 public:
  FlatLists() = default;
  explicit FlatLists(const std::vector<std::vector<T>>& lists) {
    begin_.reserve(lists.size() + 1);
    for (const std::vector<T>& list : lists) {
      items_.insert(items_.end(), list.begin(), list.end());
      end_list();
    }
  }

  /// Adds an item to the list that is being made.
  void add(T item) { items_.push_back(item); }
  /// Ends the list that is being made; the next item begins another.
  void end_list() { begin_.push_back(static_cast<std::uint32_t>(items_.size())); }

  /// Takes all lists away but keeps the memory, so that as many can be made anew without allocating.
  void clear() {
    items_.clear();
    begin_.resize(1);
  }

  /// How many lists have been ended.
  std::size_t size() const { return begin_.size() - 1; }
  std::span<const T> operator[](std::size_t i) const {
    return std::span(items_).subspan(begin_[i], begin_[i + 1] - begin_[i]);
  }
  /// Where a list begins among the items of all.
  std::uint32_t begin_of(std::size_t i) const { return begin_[i]; }
  /// The items of all lists.
  std::span<const T> items() const { return items_; }

 private:
  std::vector<T> items_;
  std::vector<std::uint32_t> begin_ = {0};  // one more than there are lists
};

}  // namespace hone
