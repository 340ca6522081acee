#include "formats/onnx/external_data.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "base/error.h"

namespace hone::onnx {
namespace {

namespace fs = std::filesystem;

class ExternalFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) / (std::string("hone_files_") + test->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "deep" / "er");
    std::ofstream(folder_ / "weights") << "0123";
    std::ofstream(folder_ / "deep" / "er" / "weights") << "45678";
    std::ofstream(folder_ / "empty");
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_;
};

TEST_F(ExternalFilesTest, AreMappedOnceHoweverOftenTheyAreOpened) {
  ExternalFiles files(folder_);
  const auto first = files.open("weights");
  EXPECT_EQ(first->bytes().size(), 4u);
  EXPECT_EQ(files.open("weights"), first);
}

TEST_F(ExternalFilesTest, MayLieInFoldersBelow) {
  const auto file = ExternalFiles(folder_).open("deep/er/weights");
  EXPECT_EQ(file->bytes().size(), 5u);
  EXPECT_EQ(file->path(), folder_ / "deep" / "er" / "weights");
}

TEST_F(ExternalFilesTest, MayBeEmpty) { EXPECT_TRUE(ExternalFiles(folder_).open("empty")->bytes().empty()); }

TEST_F(ExternalFilesTest, AreFoundWhenTheModelIsInTheCurrentFolder) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  EXPECT_EQ(ExternalFiles("").open("weights")->bytes().size(), 4u);
  fs::current_path(before);
}

TEST_F(ExternalFilesTest, FoldersThatAreLinksAreNotFollowed) {
  fs::create_directory_symlink("deep", folder_ / "other");
  EXPECT_THROW(ExternalFiles(folder_).open("other/er/weights"), InputError);
}

TEST_F(ExternalFilesTest, PipesAreRefusedWithoutWaitingForAWriter) {
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_THROW(ExternalFiles(folder_).open("pipe"), InputError);
}

}  // namespace
}  // namespace hone::onnx
