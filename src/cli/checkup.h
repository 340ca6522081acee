#pragma once

#include <functional>
#include <string>
#include <vector>

namespace hone {

/// How it stands with a part of what hone works with.
enum class Standing {
  fine,
  missing,  // something cannot be done, everything else can
  broken,   // hone cannot be used
};

/// What was found about one part.
struct Finding {
  Standing standing = Standing::fine;
  std::string text;    // what there is, or what cannot be done without
  std::string remedy;  // the command that brings it, or what to do
};

/// A part of what hone works with: the machine, libraries that are opened while hone runs, folders, the store.
struct Part {
  std::string name;               // what `hone doctor` calls it
  std::function<Finding()> look;  // changes nothing
};

/// All parts there are.
std::vector<Part> all_parts();

}  // namespace hone
