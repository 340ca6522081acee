#include "base/part_library.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/error.h"

namespace hone {
namespace {

/// A part whose library the environment names, until the test ends.
class PartLibraryTest : public testing::Test {
 protected:
  ~PartLibraryTest() override { ::unsetenv(kPart.variable); }

  static constexpr RequestedPart kPart{
      .file = "libhone_no_part.so", .variable = "HONE_NO_PART_LIB", .serves = "testing", .remedy = "write it"};
};

template <class Function>
std::string part_refusal(Function function) {
  try {
    function();
  } catch (const InputError& error) {
    EXPECT_EQ(error.code(), ExitCode::backend_missing);
    return error.what();
  }
  return "";
}

TEST_F(PartLibraryTest, SaysWhatIsMissingAndWhatBringsIt) {
  EXPECT_EQ(part_refusal([] { PartLibrary part(kPart); }), "testing needs libhone_no_part.so, which is not there: write it");
}

TEST_F(PartLibraryTest, RefusesWhatIsNoLibrary) {
  ::setenv(kPart.variable, "/proc/self/status", 1);
  EXPECT_NE(part_refusal([] { PartLibrary part(kPart); }).find("cannot be opened ("), std::string::npos);
}

TEST_F(PartLibraryTest, FindsFunctionsByName) {
  Dl_info standard_library;
  ASSERT_NE(::dladdr(reinterpret_cast<void*>(&std::getenv), &standard_library), 0);
  ::setenv(kPart.variable, standard_library.dli_fname, 1);
  const PartLibrary part(kPart);
  EXPECT_EQ(part.function<int (*)(int)>("abs")(-3), 3);
  EXPECT_NE(part_refusal([&part] { part.function<int (*)(int)>("hone_abs"); }).find("is of another version"),
            std::string::npos);
}

}  // namespace
}  // namespace hone
