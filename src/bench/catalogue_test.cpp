#include <gtest/gtest.h>

#include "bench/bench_run.h"

namespace hone {
namespace {

template <class Kind>
std::vector<std::string_view> names_of() {
  std::vector<std::string_view> names;
  for (const Kind* kind : Kind::all()) names.push_back(kind->name());
  return names;
}

TEST(CatalogueTest, ListsExactlyTheCasesThatTheLibraryRuns) {
  EXPECT_GT(names_of<BenchCase>().size(), 20U);
  EXPECT_EQ(names_of<BenchCase>(), names_of<BenchRun>());
}

}  // namespace
}  // namespace hone
