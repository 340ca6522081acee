#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plan/problem/cost.h"

namespace hone {

/// What a search has paid for, kept in a file as it goes, so that a run that was killed can be resumed. Optimisers are
/// deterministic: run again from the start they ask for the same plans, and the journal answers instead of the
/// evaluator until it has no more to say. So no optimiser has to save a state, and a resumed run ends as if it had
/// never been stopped.
class Journal {
 public:
  struct Entry {
    std::uint64_t decisions = 0;  // hash of what was decided
    Cost cost;
    double seconds = 0;  // spent by the search until then
  };

  /// Opens the journal of a run or begins one. What a killed run has written only in part at the end is dropped. Throws
  /// InputError (usage) when the file is no journal or that of another `run`, and when it cannot be written.
  Journal(const std::filesystem::path& path, std::uint64_t run);

  /// What was there when it was opened.
  std::span<const Entry> past() const { return past_; }
  /// Adds entries and hands them to the system, so that they outlive this process.
  void append(std::span<const Entry> entries);
  const std::filesystem::path& path() const { return path_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void load();
  void write(std::string_view bytes);

  std::filesystem::path path_;
  std::uint64_t run_;
  std::unique_ptr<std::FILE, Close> file_;
  std::vector<Entry> past_;
  std::size_t appended_ = 0;  // since then
  std::string buffer_;
};

}  // namespace hone
