#include "base/output_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/mapped_file.h"

namespace hone {
namespace {

/// A folder of its own for each test, removed at the end.
class FileTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ =
        std::filesystem::path(testing::TempDir()) / (std::string("hone_") + test->test_suite_name() + test->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static std::string contents(const std::filesystem::path& path) {
    const auto file = MappedFile::open(path);
    return {reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size()};
  }
  std::size_t file_count() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_), {}));
  }

  std::filesystem::path folder_;
};

using OutputFileTest = FileTest;
using MappedFileTest = FileTest;

TEST_F(OutputFileTest, AppearsWithAllItsBytesOnCommit) {
  OutputFile file(folder_ / "out");
  const std::string large(200000, 'x');
  file.write("small");
  file.write(large);
  file.write("end");
  EXPECT_EQ(file.position(), 200008u);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
  file.commit();
  EXPECT_EQ(contents(folder_ / "out"), "small" + large + "end");
  EXPECT_EQ(file_count(), 1u);
}

TEST_F(OutputFileTest, LeavesTheOldFileAloneWithoutCommit) {
  {
    OutputFile first(folder_ / "out");
    first.write("old");
    first.commit();
    OutputFile second(folder_ / "out");
    second.write(std::string(100000, 'n'));
  }
  EXPECT_EQ(contents(folder_ / "out"), "old");
  EXPECT_EQ(file_count(), 1u);
}

TEST_F(OutputFileTest, NamesTheFileItCannotWrite) {
  try {
    OutputFile file(folder_ / "missing" / "out");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("missing/out"), std::string::npos);
  }
}

TEST_F(OutputFileTest, ReplacesTheFileThatALinkNamesAndKeepsTheLink) {
  std::filesystem::create_directory(folder_ / "elsewhere");
  OutputFile first(folder_ / "elsewhere" / "file");
  first.write("old");
  first.commit();
  std::filesystem::create_symlink("elsewhere/file", folder_ / "link");
  std::filesystem::create_symlink(folder_ / "link", folder_ / "link to link");
  OutputFile second(folder_ / "link to link");
  second.write("new");
  second.commit();
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "link"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "link to link"));
  EXPECT_EQ(contents(folder_ / "elsewhere" / "file"), "new");
}

TEST_F(OutputFileTest, MakesTheFileThatADanglingLinkNames) {
  std::filesystem::create_symlink("file", folder_ / "link");
  OutputFile file(folder_ / "link");
  file.write("new");
  file.commit();
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "link"));
  EXPECT_EQ(contents(folder_ / "file"), "new");
}

TEST_F(OutputFileTest, RefusesLinksThatGoRoundAndFolders) {
  std::filesystem::create_symlink("b", folder_ / "a");
  std::filesystem::create_symlink("a", folder_ / "b");
  EXPECT_THROW(OutputFile(folder_ / "a"), InputError);
  EXPECT_THROW(OutputFile{folder_}, InputError);
}

TEST_F(OutputFileTest, WritesIntoAPipeAndLeavesIt) {
  const std::filesystem::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  OutputFile file(pipe);
  file.write("through");
  file.commit();
  std::string received(16, ' ');
  received.resize(static_cast<std::size_t>(::read(reader, received.data(), received.size())));
  ::close(reader);
  EXPECT_EQ(received, "through");
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  EXPECT_EQ(file_count(), 1u);
}

TEST_F(OutputFileTest, KeepsThePermissionsOfWhatItReplaces) {
  OutputFile first(folder_ / "out");
  first.commit();
  std::filesystem::permissions(folder_ / "out", std::filesystem::perms(0640));
  OutputFile second(folder_ / "out");
  second.commit();
  EXPECT_EQ(std::filesystem::status(folder_ / "out").permissions(), std::filesystem::perms(0640));
}

TEST_F(OutputFileTest, AReaderOfTheOldFileKeepsIt) {
  OutputFile first(folder_ / "out");
  first.write("old");
  first.commit();
  const auto mapped = MappedFile::open(folder_ / "out");
  OutputFile second(folder_ / "out");
  second.write("new");
  second.commit();
  EXPECT_EQ(static_cast<char>(mapped->bytes()[0]), 'o');
  EXPECT_EQ(contents(folder_ / "out"), "new");
}

TEST_F(MappedFileTest, AnEmptyFileHasNoBytes) {
  OutputFile(folder_ / "empty").commit();
  EXPECT_TRUE(MappedFile::open(folder_ / "empty")->bytes().empty());
}

TEST_F(MappedFileTest, RefusesWhatIsNotAFile) {
  EXPECT_THROW(MappedFile::open(folder_), InputError);
  EXPECT_THROW(MappedFile::open(folder_ / "missing"), InputError);
}

}  // namespace
}  // namespace hone
