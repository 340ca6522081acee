#include "base/output_target.h"

#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "base/error.h"
#include "base/output_file.h"
#include "base/standard_output.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_to_write(const fs::path& path, const std::string& why) {
  throw InputError(fmt::format("{}: cannot write: {}", path.string(), why), ExitCode::internal_error);
}

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

std::string lowered(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// Tries without leaving anything: what is not a file would notice being opened and is only looked at.
void check_file(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) fail_to_write(path, "it is a folder; name a file in it");
  if (fs::exists(path, ignored) && ::access(path.c_str(), W_OK) != 0) fail_to_write(path, std::strerror(errno));
  if (is_written_through(path)) return;
  if (!fs::is_symlink(fs::symlink_status(path, ignored)) && !fs::is_directory(folder_of(path), ignored))
    fail_to_write(path, fmt::format("there is no folder {}", folder_of(path).string()));
  const OutputFile tried(path);
}

/// The nearest folder above that is there has to take new files.
void check_folder(const fs::path& path) {
  std::error_code ignored;
  fs::path there = fs::absolute(path, ignored);
  while (!fs::exists(there, ignored) && there.has_relative_path()) there = there.parent_path();
  if (!fs::is_directory(there, ignored)) fail_to_write(path, fmt::format("{} is not a folder", there.string()));
  const OutputFile tried(there / "hone");
}

/// A new folder for temporary files that stays; empty when there can be none.
fs::path lasting_folder() {
  std::error_code error;
  std::string name = (fs::temp_directory_path(error) / "hone-XXXXXX").string();
  return error || ::mkdtemp(name.data()) == nullptr ? fs::path() : fs::path(name);
}

/// Why a path could not be written; nothing when it was.
std::optional<std::string> failure_of(const fs::path& path, const std::function<void(const fs::path&)>& write) {
  try {
    write(path);
    return std::nullopt;
  } catch (const InputError& error) {
    if (error.code() != ExitCode::internal_error) throw;  // it could not be written anywhere
    return error.what();
  } catch (const fs::filesystem_error& error) {
    return fmt::format("{}: cannot write: {}", path.string(), error.code().message());
  }
}

/// Where `path` cannot be written, `name` is, in a new folder.
SavedOutput save_as(const fs::path& path, const std::string& name, const std::function<void(const fs::path&)>& write) {
  const std::optional<std::string> failure = failure_of(path, write);
  if (!failure) return {.path = path, .failure = ""};
  const fs::path folder = lasting_folder();
  if (folder.empty())
    return {.path = {}, .failure = *failure + "; there is no folder for temporary files to save it in"};
  const fs::path spare = folder / name;
  const std::optional<std::string> again = failure_of(spare, write);
  if (!again) return {.path = spare, .failure = fmt::format("{}; saved as {} instead", *failure, spare.string())};
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return {.path = {}, .failure = fmt::format("{}; nor could it be saved elsewhere: {}", *failure, *again)};
}

}  // namespace

OutputTarget OutputTarget::file(const std::string& name, const FileForm& form, Overwrite overwrite) {
  if (means_standard_output(name)) {
    if (form.is_binary && ::isatty(STDOUT_FILENO) != 0)
      fail_usage("{} is not for a terminal to show; name a file, or send standard output to one", form.what);
    claim_standard_output();
    return {"-", fmt::format("output{}", form.extensions.front()), overwrite};
  }
  const fs::path path(name);
  OutputTarget made(path, path.filename().string(), overwrite);
  check_file(path);
  made.require(form);
  return made;
}

void OutputTarget::require(const FileForm& form) const {
  const std::string extension = lowered(path_.extension().string());
  if (extension.empty() || is_written_through(path_)) return;
  if (std::ranges::find(form.extensions, extension) == form.extensions.end())
    fail_usage("{}: {} is written as {}, not as {}", path_.string(), form.what, fmt::join(form.extensions, " or "),
               extension);
}

OutputTarget OutputTarget::folder(const std::string& name, Overwrite overwrite) {
  if (means_standard_output(name))
    fail_usage("several files are written, which standard output cannot take: name a folder");
  fs::path path(name);
  if (!path.has_filename()) path = path.parent_path();  // a slash at the end
  check_folder(path);
  return {path, path.filename().string(), overwrite};
}

bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code error;
  return fs::equivalent(a, b, error) && !error;
}

void OutputTarget::keep(std::span<const fs::path> inputs) const {
  if (overwrite_ == Overwrite::any || !wanted() || is_written_through(path_)) return;
  for (const fs::path& input : inputs)
    if (same_file(path_, input))
      fail_usage("{}: is what is read ({}); name another output, or give --force", path_.string(), input.string());
}

void OutputTarget::keep_inside(const std::string& name, std::span<const fs::path> inputs) const {
  OutputTarget(path_ / name, name, overwrite_).keep(inputs);
}

void OutputTarget::keep_beside(const fs::path& beside, const std::function<bool()>& is_own) const {
  std::error_code ignored;
  if (overwrite_ == Overwrite::any || !fs::exists(beside, ignored) || is_own()) return;
  fail_usage(
      "{}: would be replaced with what goes with {}, and hone did not write it; name another output, or give --force",
      beside.string(), path_.string());
}

SavedOutput OutputTarget::save(const std::function<void(const fs::path&)>& write) const {
  return wanted() ? save_as(path_, spare_name_, write) : SavedOutput();
}

SavedOutput save_or_elsewhere(const fs::path& path, const std::function<void(const fs::path&)>& write) {
  return save_as(path, path.filename().string(), write);
}

}  // namespace hone
