#include "base/key_values.h"

#include <algorithm>

namespace hone {

std::vector<KeyValue> key_values(std::string_view text) {
  std::vector<KeyValue> list;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), item.size() + 1));
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos) fail_usage("expected key=value, found '{:.60}'", item);
    list.push_back({item.substr(0, equals), item.substr(equals + 1)});
  }
  return list;
}

}  // namespace hone
