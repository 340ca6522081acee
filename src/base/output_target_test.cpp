#include "base/output_target.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <iterator>

#include "base/child_process.h"
#include "base/error.h"

namespace hone {
namespace {

const FileForm kNotes{.what = "a note", .extensions = {".note", ".txt"}};

void fill(const std::filesystem::path& path, std::string_view text) { std::ofstream(path) << text; }

/// The sentence and the exit code of what is refused.
std::string refusal(const std::function<void()>& act) {
  try {
    act();
  } catch (const InputError& error) {
    return fmt::format("{} {}", static_cast<int>(error.code()), error.what());
  }
  return "";
}

OutputTarget target(const std::filesystem::path& path) {
  return OutputTarget::file(path.string(), kNotes, Overwrite::own);
}

std::size_t count_in(const std::filesystem::path& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

TEST(OutputTargetTest, WhatCannotBeWrittenIsToldAtOnceAndLeavesNothing) {
  const TemporaryFolder folder;
  EXPECT_TRUE(refusal([&] { target(folder.path() / "no" / "a.note"); }).find("there is no folder") !=
              std::string::npos);
  EXPECT_TRUE(refusal([&] { target(folder.path()); }).starts_with("1 "));
  EXPECT_TRUE(
      refusal([&] { target(folder.path() / "a.onnx"); }).ends_with("a note is written as .note or .txt, not as .onnx"));
  EXPECT_EQ(refusal([&] { target(folder.path() / "a.NOTE"); }), "");
  EXPECT_EQ(refusal([&] { target(folder.path() / "a"); }), "");
  EXPECT_EQ(refusal([&] { OutputTarget::folder((folder.path() / "b" / "c").string(), Overwrite::own); }), "");
  EXPECT_EQ(count_in(folder.path()), 0u);
  fill(folder.path() / "file", "");
  EXPECT_NE(refusal([&] { OutputTarget::folder((folder.path() / "file" / "c").string(), Overwrite::own); }), "");
}

TEST(OutputTargetTest, WhatIsReadIsKeptByWhateverName) {
  const TemporaryFolder folder;
  const std::filesystem::path input = folder.path() / "in.note";
  fill(input, "old");
  std::filesystem::create_symlink("in.note", folder.path() / "link.note");
  std::filesystem::create_hard_link(input, folder.path() / "hard.note");
  for (const char* name : {"in.note", "link.note", "hard.note"}) {
    EXPECT_TRUE(refusal([&] { target(folder.path() / name).keep(std::span(&input, 1)); }).starts_with("2 ")) << name;
    OutputTarget::file((folder.path() / name).string(), kNotes, Overwrite::any).keep(std::span(&input, 1));
  }
  target(folder.path() / "other.note").keep(std::span(&input, 1));
}

TEST(OutputTargetTest, WhatLiesBesideIsKeptUnlessItIsOurs) {
  const TemporaryFolder folder;
  const std::filesystem::path beside = folder.path() / "a.json";
  const OutputTarget made = target(folder.path() / "a.note");
  made.keep_beside(beside, [] { return false; });
  fill(beside, "{}");
  made.keep_beside(beside, [] { return true; });
  EXPECT_TRUE(refusal([&] { made.keep_beside(beside, [] { return false; }); }).starts_with("2 "));
}

TEST(OutputTargetTest, APipeIsNotOpenedBeforeItIsWritten) {
  const TemporaryFolder folder;
  const std::filesystem::path pipe = folder.path() / "pipe.onnx";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_TRUE(target(pipe).wanted());  // does not wait for a reader, and a pipe's name says nothing
}

TEST(OutputTargetTest, WhatCannotBeWrittenInTheEndIsSavedElsewhere) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "gone");
  const OutputTarget made = target(folder.path() / "gone" / "a.note");
  std::filesystem::remove(folder.path() / "gone");
  const auto write = [](const std::filesystem::path& path) {
    std::ofstream file(path);
    if (!(file << "text")) throw InputError("cannot write", ExitCode::internal_error);
  };
  const SavedOutput saved = made.save(write);
  EXPECT_EQ(saved.path.filename(), "a.note");
  EXPECT_TRUE(std::filesystem::exists(saved.path));
  EXPECT_TRUE(saved.failure.ends_with(fmt::format("saved as {} instead", saved.path.string())));
  std::filesystem::remove_all(saved.path.parent_path());
}

TEST(OutputTargetTest, WhatCanBeWrittenNowhereIsSaidToBe) {
  const TemporaryFolder folder;
  const SavedOutput saved = target(folder.path() / "a.note").save([](const std::filesystem::path& path) {
    throw InputError(path.string() + ": full", ExitCode::internal_error);
  });
  EXPECT_TRUE(saved.path.empty());
  EXPECT_NE(saved.failure.find("nor could it be saved elsewhere"), std::string::npos);
  EXPECT_EQ(OutputTarget().save([](const std::filesystem::path&) { FAIL(); }).failure, "");
}

}  // namespace
}  // namespace hone
