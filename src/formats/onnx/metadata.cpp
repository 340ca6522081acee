#include "formats/onnx/metadata.h"

#include "formats/onnx/fields.h"

namespace hone::onnx {

std::pair<std::string, std::string> read_entry(Bytes message) {
  std::pair<std::string, std::string> entry;
  WireReader reader(message);
  while (const auto field = reader.next()) {
    if (field->number == entry_field::key) entry.first = field->text();
    if (field->number == entry_field::value) entry.second = field->text();
  }
  return entry;
}

void write_entries(const Metadata& metadata, std::uint32_t field, WireWriter& into) {
  for (const auto& [key, value] : metadata) {
    WireWriter entry;
    entry.text(entry_field::key, key);
    entry.text(entry_field::value, value);
    into.message(field, std::move(entry));
  }
}

void read_text(const WireField& field, std::string& target, std::string& residue) {
  target = field.text();
  if (target.empty()) residue += as_text(field.raw);
}

std::string_view text_field(Bytes message, std::uint32_t number) {
  std::string_view found;
  WireReader reader(message);
  while (const auto field = reader.next())
    if (field->number == number) found = field->text();
  return found;
}

SharedNotes share(Notes notes) { return notes.empty() ? nullptr : std::make_shared<const Notes>(std::move(notes)); }

const Notes& notes_of(const SharedNotes& notes) {
  static const Notes none;
  return notes ? *notes : none;
}

}  // namespace hone::onnx
