#pragma once

#include <string>
#include <utility>

#include "base/wire.h"
#include "graph/ir/notes.h"

namespace hone::onnx {

using Metadata = std::vector<std::pair<std::string, std::string>>;

/// A StringStringEntryProto.
std::pair<std::string, std::string> read_entry(Bytes message);
void write_entries(const Metadata& metadata, std::uint32_t field, WireWriter& into);

/// Takes a text field; one that is present but empty is remembered as residue, because protobuf tells it from an absent
/// one.
void read_text(const WireField& field, std::string& target, std::string& residue);

/// A text field of a message, as a view into it; empty when absent.
std::string_view text_field(Bytes message, std::uint32_t number);

/// Null when there is nothing to keep.
SharedNotes share(Notes notes);
/// The notes of a part, or empty ones.
const Notes& notes_of(const SharedNotes& notes);

}  // namespace hone::onnx
