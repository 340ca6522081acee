#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace hone {

/// What travels with a part of a model without changing its meaning. Kept so that what hone did not touch leaves as it
/// came.
struct Notes {
  std::string doc;                                            // doc_string
  std::vector<std::pair<std::string, std::string>> metadata;  // metadata_props
  std::string residue;  // encoded fields of the file format that hone does not model; only onnx/ looks inside

  bool empty() const { return doc.empty() && metadata.empty() && residue.empty(); }
  friend bool operator==(const Notes&, const Notes&) = default;
};

/// Null when there is nothing to note, which is the usual case.
using SharedNotes = std::shared_ptr<const Notes>;

}  // namespace hone
