#include "formats/source/file_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <vector>

#include "base/error.h"
#include "base/wire.h"
#include "formats/foreign/format.h"

namespace hone {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kLook = 65536;  // bytes at either end of a file that are looked into

bool has_at(std::string_view contents, std::size_t at, std::string_view mark) {
  return contents.size() >= at + mark.size() && contents.substr(at, mark.size()) == mark;
}

/// Whether a word stands near the beginning or the end, where archives list what they hold.
bool mentions(std::string_view contents, std::string_view word) {
  const std::string_view tail = contents.substr(contents.size() - std::min(contents.size(), kLook));
  return contents.substr(0, kLook).find(word) != std::string_view::npos || tail.find(word) != std::string_view::npos;
}

std::string_view after_space(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n\xEF\xBB\xBF"), text.size()));
  return text;
}

bool reads_as_text(std::string_view contents) {
  return std::ranges::all_of(contents.substr(0, kLook), [](unsigned char c) { return c >= ' ' || std::isspace(c); });
}

/// The file without its last extension, in which an unpacked model may lie.
std::string without_extension(const std::string& path) {
  return std::filesystem::path(path).replace_extension().string();
}

constexpr std::string_view kExport = "export the model with torch.onnx.export(model, inputs, \"model.onnx\")";

FileKind of_archive(std::string_view contents, const std::string& path) {
  if (mentions(contents, "data.pkl"))
    return {.called = "a PyTorch file", .next = fmt::format("load it in Python and {}", kExport)};
  if (mentions(contents, "model.weights.h5"))
    return {.called = "a Keras model", .next = "model.export(\"model.onnx\", format=\"onnx\") in Keras writes ONNX"};
  if (mentions(contents, ".npy"))
    return {.called = "an archive of NumPy arrays", .next = "give the model, and single arrays as -i NAME=FILE.npy"};
  return {.called = "a ZIP archive", .next = fmt::format("`unzip {}` and give the .onnx file in it", path)};
}

/// Formats that begin with a mark of their own.
std::optional<FileKind> kind_by_mark(std::string_view contents, const std::string& path) {
  const auto unpacked = [&](std::string_view called, std::string_view command) {
    return FileKind{.called = called,
                    .next = fmt::format("`{} {}` and give {}", command, path, without_extension(path))};
  };
  if (contents.starts_with("PK\3\4"sv)) return of_archive(contents, path);
  if (contents.starts_with("\x1f\x8b"sv)) return unpacked("packed with gzip", "gunzip -k");
  if (contents.starts_with("\xfd"
                           "7zXZ\0"sv))
    return unpacked("packed with xz", "xz -dk");
  if (contents.starts_with("\x28\xb5\x2f\xfd"sv)) return unpacked("packed with zstd", "zstd -d");
  if (contents.starts_with("BZh"sv)) return unpacked("packed with bzip2", "bunzip2 -k");
  if (has_at(contents, 257, "ustar"))
    return FileKind{.called = "a tar archive", .next = fmt::format("`tar xf {}` and give the .onnx file in it", path)};
  if (has_at(contents, 4, "TFL3"))
    return FileKind{
        .called = "a TensorFlow Lite model",
        .next = fmt::format("`python -m tf2onnx.convert --tflite {} --output model.onnx` converts it", path)};
  if (has_at(contents, 4, "ORTM"))
    return FileKind{.called = "a model in ONNX Runtime's own format", .next = "give the .onnx file it was made from"};
  if (contents.starts_with("\x89HDF"sv))
    return FileKind{
        .called = "an HDF5 file, as Keras writes",
        .next = fmt::format("`python -m tf2onnx.convert --keras {} --output model.onnx` converts it", path)};
  if (contents.starts_with("\x93NUMPY"sv))
    return FileKind{.called = "a NumPy array", .next = fmt::format("give the model, and this as -i NAME={}", path)};
  if (contents.starts_with("GGUF"sv))
    return FileKind{.called = "a GGUF file",
                    .next =
                        "it holds weights for llama.cpp; export the original model to ONNX, "
                        "as with `optimum-cli export onnx --model NAME DIR`"};
  if (contents.starts_with("ML\xefR"sv))
    return FileKind{.called = "MLIR bytecode",
                    .next = "`xla-translate -mlir-hlo-to-hlo-text` makes HLO text of it, which `hone plan` takes"};
  return std::nullopt;
}

bool is_pickle(std::string_view contents) {
  return contents.size() > 2 && contents[0] == '\x80' && contents[1] >= 2 && contents[1] <= 5;
}

/// Eight bytes that say how long the JSON behind them is.
bool is_safetensors(std::string_view contents) {
  if (contents.size() < 10 || contents[8] != '{') return false;
  std::uint64_t length = 0;
  std::memcpy(&length, contents.data(), sizeof length);
  return length <= contents.size() - sizeof length;
}

std::optional<FileKind> kind_of_json(std::string_view text, const std::string& path) {
  if (text.substr(0, kLook).find("\"hone.plan/") != std::string_view::npos)
    return FileKind{.called = "a plan", .next = fmt::format("`hone simulate MODEL --plan {}` carries it out", path)};
  if (text.substr(0, kLook).find("modelTopology") != std::string_view::npos)
    return FileKind{.called = "a TensorFlow.js model",
                    .next = fmt::format("`python -m tf2onnx.convert --tfjs {} --output model.onnx` converts it", path)};
  return FileKind{.called = "JSON and no model", .next = "give the .onnx file"};
}

std::optional<FileKind> kind_of_text(std::string_view contents, const std::string& path) {
  const std::string_view text = after_space(contents);
  if (const ForeignFormat format = detect_format(contents); format == ForeignFormat::hlo)
    return FileKind{.called = "an XLA HLO module",
                    .next = fmt::format("`hone plan {}` plans it, `hone inspect` sums it up; only ONNX models can be "
                                        "run, optimised or converted",
                                        path)};
  else if (format != ForeignFormat::unknown)
    return FileKind{.called = "a planning problem", .next = fmt::format("`hone plan {}` takes it", path)};
  if (text.starts_with("version https://git-lfs"))
    return FileKind{.called = "a Git LFS pointer", .next = "`git lfs pull` in its repository fetches the model itself"};
  if (text.starts_with("<!DOCTYPE") || text.starts_with("<!doctype") || text.starts_with("<html"))
    return FileKind{.called = "a web page", .next = "most likely a download failed; fetch the model itself"};
  if (text.starts_with("<?xml"))
    return FileKind{.called = "XML, as OpenVINO's models are", .next = "give the ONNX model it was made from"};
  if (text.starts_with('{') || text.starts_with('[')) return kind_of_json(text, path);
  if (text.starts_with("module @") || text.find("func.func") != std::string_view::npos)
    return FileKind{.called = "MLIR",
                    .next = "`xla-translate -mlir-hlo-to-hlo-text` makes HLO text of it, which `hone plan` takes"};
  return FileKind{.called = "text and no model",
                  .next = "give an .onnx file, or `hone zoo list` for models that hone builds itself"};
}

using Wire = WireField::Wire;

/// The fields of a message, so far as they can be read.
std::vector<WireField> fields_of(Bytes message) {
  constexpr std::size_t kMost = 64;
  std::vector<WireField> fields;
  try {
    WireReader reader(message);
    while (fields.size() < kMost) {
      const std::optional<WireField> field = reader.next();
      if (!field) break;
      fields.push_back(*field);
    }
  } catch (const InputError&) {  // what was read before has to do
  }
  return fields;
}

bool has(const std::vector<WireField>& fields, std::uint32_t number, Wire wire) {
  return std::ranges::any_of(fields, [&](const WireField& f) { return f.number == number && f.wire == wire; });
}

bool has_words(const std::vector<WireField>& fields, std::uint32_t number) {
  return std::ranges::any_of(fields, [&](const WireField& f) {
    return f.number == number && f.wire == Wire::bytes && !f.bytes.empty() && reads_as_text(as_text(f.bytes));
  });
}

bool holds_messages(const std::vector<WireField>& fields, std::uint32_t number) {
  return std::ranges::any_of(fields, [&](const WireField& f) {
    return f.number == number && f.wire == Wire::bytes && !reads_as_text(as_text(f.bytes)) &&
           !fields_of(f.bytes).empty();
  });
}

/// HloModuleProto: a name, the entry computation's name, and computations.
bool is_hlo_module(const std::vector<WireField>& fields) {
  return has_words(fields, 1) && has_words(fields, 2) && has(fields, 3, Wire::bytes);
}

/// GraphDef: nodes, each with a name and an operator.
bool is_tensorflow_graph(const std::vector<WireField>& fields) {
  if (fields.empty() || fields[0].number != 1 || fields[0].wire != Wire::bytes) return false;
  const std::vector<WireField> node = fields_of(fields[0].bytes);
  return has_words(node, 1) && has_words(node, 2);
}

}  // namespace

std::optional<FileKind> kind_by_contents(std::string_view contents, const std::string& path) {
  if (auto kind = kind_by_mark(contents, path)) return kind;
  if (is_pickle(contents))
    return FileKind{
        .called = "a Python pickle",
        .next = fmt::format("load it in Python and {} (PyTorch), or with skl2onnx (scikit-learn)", kExport)};
  if (is_safetensors(contents))
    return FileKind{.called = "safetensors, which are weights without a graph",
                    .next = fmt::format("load them into their model and {}", kExport)};
  if (!contents.empty() && reads_as_text(contents)) return kind_of_text(contents, path);
  return std::nullopt;
}

std::optional<FileKind> kind_by_fields(std::string_view contents, const std::string& path) {
  const std::vector<WireField> fields = fields_of(as_bytes(contents));
  const bool wraps_module = !fields.empty() && fields[0].number == 1 && fields[0].wire == Wire::bytes &&
                            is_hlo_module(fields_of(fields[0].bytes));
  if (is_hlo_module(fields) || wraps_module)
    return FileKind{.called = "an HLO module in binary form",
                    .next =
                        "`hone plan` takes HLO as text, which XLA_FLAGS=\"--xla_dump_to=DIR "
                        "--xla_dump_hlo_as_text\" writes"};
  if (is_tensorflow_graph(fields))
    return FileKind{
        .called = "a TensorFlow graph",
        .next = fmt::format("`python -m tf2onnx.convert --graphdef {} --inputs IN:0 --outputs OUT:0 --output "
                            "model.onnx` converts it",
                            path)};
  const bool has_version = has(fields, 1, Wire::varint);
  if (has_version && std::ranges::any_of(fields, [](const WireField& f) { return f.number >= 200; }))
    return FileKind{.called = "a Core ML model", .next = "export the model it was made from to ONNX"};
  if (has_version && has(fields, 2, Wire::varint) && !has(fields, 7, Wire::bytes))
    return FileKind{.called = "a tensor, as ONNX's test data are",
                    .next = fmt::format("give the model, and this as -i NAME={}", path)};
  if (has_version && holds_messages(fields, 2))
    return FileKind{.called = "part of a TensorFlow SavedModel",
                    .next = "`python -m tf2onnx.convert --saved-model DIR --output model.onnx` converts its folder"};
  return std::nullopt;
}

FileKind kind_of_folder(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (std::filesystem::exists(folder / "saved_model.pb", ignored))
    return {.called = "a TensorFlow SavedModel",
            .next = fmt::format("`python -m tf2onnx.convert --saved-model {} --output model.onnx` converts it",
                                folder.string())};
  if (std::filesystem::exists(folder / "Manifest.json", ignored))
    return {.called = "a Core ML package", .next = "export the model it was made from to ONNX"};
  std::vector<std::string> models;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
    if (entry.path().extension() == ".onnx") models.push_back(entry.path().string());
  if (models.empty()) return {.called = "a folder", .next = "give a model file"};
  return {.called = "a folder", .next = fmt::format("give a file in it, such as {}", std::ranges::min(models))};
}

}  // namespace hone
