#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

/// What kind of file is written, and what its name may end in.
struct FileForm {
  std::string_view what;                     // `a model`
  std::vector<std::string_view> extensions;  // with their dot; a name without any will do as well
  bool is_binary = false;                    // no terminal is to show it
};

/// What may be replaced: what hone wrote and what the user names, or also what is read and what lies beside.
enum class Overwrite : std::uint8_t { own, any };

/// What became of an output in the end.
struct SavedOutput {
  std::filesystem::path path;  // where it lies; empty when it lies nowhere
  std::string failure;         // why not where it should, and where it does instead, in a sentence; empty when it does
};

/// A file or folder that a command is going to write: tried before its work begins, so that a mistake costs nothing,
/// and written when that is done, elsewhere if need be, so that the work is not lost.
class OutputTarget {
 public:
  /// Nothing is to be written.
  OutputTarget() = default;

  /// Throws InputError when the name belongs to another form (usage) or the file cannot be written, of which nothing is
  /// left behind. `-` is standard output, which is taken for it (see `claim_standard_output`).
  static OutputTarget file(const std::string& name, const FileForm& form, Overwrite overwrite);
  /// The same of a folder, which is made with those above it when it is written.
  static OutputTarget folder(const std::string& name, Overwrite overwrite);

  bool wanted() const { return !path_.empty(); }
  const std::filesystem::path& path() const { return path_; }

  /// Throws InputError (usage) when the name belongs to another form.
  void require(const FileForm& form) const;
  /// Throws InputError (usage) when the target is one of the files that are read, by whatever name.
  void keep(std::span<const std::filesystem::path> inputs) const;
  /// The same of a file in a folder that is the target.
  void keep_inside(const std::string& name, std::span<const std::filesystem::path> inputs) const;
  /// The same for another file that will be written on the way: throws as well when there is one that is not hone's
  /// own.
  void keep_beside(const std::filesystem::path& beside, const std::function<bool()>& is_own) const;

  /// Has `write` write the target, if one is wanted. Where that fails, has it write one of the same name in a new
  /// folder for temporary files.
  SavedOutput save(const std::function<void(const std::filesystem::path&)>& write) const;

 private:
  OutputTarget(std::filesystem::path path, std::string spare_name, Overwrite overwrite)
      : path_(std::move(path)), spare_name_(std::move(spare_name)), overwrite_(overwrite) {}

  std::filesystem::path path_;
  std::string spare_name_;  // of the file when it has to be written elsewhere
  Overwrite overwrite_ = Overwrite::own;
};

/// Has `write` write a file or folder; where that fails, one of the same name in a new folder for temporary files.
SavedOutput save_or_elsewhere(const std::filesystem::path& path,
                              const std::function<void(const std::filesystem::path&)>& write);

/// Whether two names lead to one file, through links too.
bool same_file(const std::filesystem::path& a, const std::filesystem::path& b);

}  // namespace hone
