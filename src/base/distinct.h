#pragma once

#include <algorithm>
#include <vector>

namespace hone {

/// The elements of a list, ascending and each once.
template <class T>
std::vector<T> distinct(std::vector<T> list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

}  // namespace hone
