#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/plugin_kind.h"
#include "plan/search/search.h"

namespace hone {

/// Somebody other than the evaluator who says which operations it pays to change, such as a policy. One serves one
/// search.
class BlameSource {
 public:
  virtual ~BlameSource() = default;
  /// Operations and their shares at these decisions; nobody where it cannot tell. Spends no evaluation.
  virtual std::vector<Blame> blame(std::span<const float> row) = 0;
};

/// One kind of it, under the name the user types. It is made for a search, which must outlive it.
class BlameSourceKind : public PluginKind<BlameSourceKind, BlameSource, const Search&> {
 public:
  static constexpr std::string_view kCalled = "source of blame";
  using PluginKind::PluginKind;
};

}  // namespace hone
