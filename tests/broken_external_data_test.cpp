#include <gtest/gtest.h>

#include <fstream>

#include "broken_models.h"
#include "formats/onnx/fields.h"

// Weights in files beside the model: a stranger's model must not reach anything outside its folder.

namespace hone {
namespace {

namespace fs = std::filesystem;

/// A folder with a weight file of 16 bytes, and around it things a model must not touch.
class BrokenExternalDataTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
    root_ = fs::path(testing::TempDir()) / (std::string("hone_external_") + test->name());
    fs::remove_all(root_);
    fs::create_directories(root_ / "model" / "folder");
    fs::create_directories(root_ / "outside");
    write_file("model/weights");
    write_file("outside/secret");
    write_file("outside/twin");
    fs::create_symlink("../outside/secret", root_ / "model" / "link");
    fs::create_directory_symlink("../outside", root_ / "model" / "linked_folder");
    fs::create_hard_link(root_ / "outside" / "twin", root_ / "model" / "hard_link");
  }
  void TearDown() override { fs::remove_all(root_); }

  void write_file(const fs::path& path) { std::ofstream(root_ / path) << "0123456789abcdef"; }

  /// y = x + w, where w is two floats described by these entries.
  static std::string model(std::initializer_list<std::pair<std::string_view, std::string_view>> entries) {
    WireWriter tensor = tensor_proto("w", kFloat, {2});
    for (const auto& [key, value] : entries) {
      WireWriter entry;
      entry.text(onnx::entry_field::key, key);
      entry.text(onnx::entry_field::value, value);
      tensor.message(onnx::tensor_field::external_data, std::move(entry));
    }
    tensor.integer(onnx::tensor_field::data_location, 1);
    return GraphBytes().node("Add", {"x", "w"}, {"y"}).initializer(std::move(tensor)).input("x").output("y").model();
  }

  void expect_refused(std::initializer_list<std::pair<std::string_view, std::string_view>> entries,
                      const std::string& complaint) const {
    hone::expect_refused({complaint, model(entries), complaint}, root_ / "model");
  }

  fs::path root_;
};

TEST_F(BrokenExternalDataTest, ReadsWhatIsInTheFolder) {
  EXPECT_EQ(
      take(model({{"location", "weights"}, {"offset", "8"}, {"length", "8"}}), Until::run, root_ / "model").complaint,
      "");
  EXPECT_EQ(take(model({{"location", "./weights"}}), Until::run, root_ / "model").complaint, "");
}

TEST_F(BrokenExternalDataTest, LeavesOtherFilesAlone) {
  const std::string absolute = (root_ / "outside" / "secret").string();
  expect_refused({{"location", absolute}}, "is an absolute path");
  expect_refused({{"location", "../outside/secret"}}, "leaves the model's folder");
  expect_refused({{"location", "folder/../../outside/secret"}}, "leaves the model's folder");
  expect_refused({{"location", "link"}}, "'link' is a symbolic link");
  expect_refused({{"location", "linked_folder/secret"}}, "linked_folder/secret");
  expect_refused({{"location", "hard_link"}}, "'hard_link' is a hard link");
  expect_refused({{"location", "folder"}}, "not a regular file");
  expect_refused({{"location", "folder/"}}, "leaves the model's folder");
  expect_refused({{"location", std::string_view("weights\0x", 9)}}, "without a file name");
}

TEST_F(BrokenExternalDataTest, ReadsNothingBeyondTheFile) {
  expect_refused({{"location", "missing"}}, "'missing': No such file");
  expect_refused({{"location", ""}}, "without a file name");
  expect_refused({}, "without a location");
  expect_refused({{"location", "weights"}, {"offset", "9"}}, "has 16 bytes, 8 at offset 9 are needed");
  expect_refused({{"location", "weights"}, {"offset", "18446744073709551615"}}, "at offset 18446744073709551615");
  expect_refused({{"location", "weights"}, {"offset", "-1"}}, "offset '-1'");
  expect_refused({{"location", "weights"}, {"offset", "eight"}}, "offset 'eight'");
  expect_refused({{"location", "weights"}, {"offset", "99999999999999999999"}}, "offset '99999999999999999999'");
  expect_refused({{"location", "weights"}, {"length", "7"}}, "external data of 7 bytes for a tensor of 8");
}

}  // namespace
}  // namespace hone
