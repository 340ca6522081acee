#include "graph/ir/op_name.h"

#include <deque>
#include <mutex>
#include <unordered_map>

namespace hone {

const OpName* OpName::intern(std::string_view domain, std::string_view name, std::string_view overload) {
  static std::mutex mutex;
  static std::deque<OpName> names;
  static std::unordered_map<std::string, const OpName*> index;
  if (domain == "ai.onnx") domain = "";
  std::string key;
  key.reserve(domain.size() + name.size() + overload.size() + 2);
  key.append(domain).append(1, '\0').append(name).append(1, '\0').append(overload);
  const std::scoped_lock lock(mutex);
  const auto [it, added] = index.try_emplace(std::move(key), nullptr);
  if (added) {
    names.push_back({std::string(domain), std::string(name), std::string(overload)});
    it->second = &names.back();
  }
  return it->second;
}

std::string OpName::text() const {
  std::string text = domain.empty() ? name : domain + "." + name;
  return overload.empty() ? text : text + ":" + overload;
}

}  // namespace hone
