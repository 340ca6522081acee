#include "base/mapped_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <vector>

#include "base/child_process.h"

namespace hone {
namespace {

TEST(MappedFileTest, BytesAreThereAgainAfterTheyWereUnloaded) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "file";
  std::string text(100'000, 'x');
  text[50'000] = 'y';
  std::ofstream(path) << text;
  const auto file = MappedFile::open(path);
  const std::string before(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
  MappedFile::unload(file->bytes().subspan(10, 90'000));
  const std::string after(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
  EXPECT_EQ(before, text);
  EXPECT_EQ(after, text);
}

TEST(MappedFileTest, OtherBytesStayAsTheyAre) {
  const std::vector<std::byte> bytes(100'000, std::byte{7});
  MappedFile::unload(bytes);
  EXPECT_TRUE(std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{7}; }));
}

}  // namespace
}  // namespace hone
