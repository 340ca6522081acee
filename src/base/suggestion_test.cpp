#include "base/suggestion.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace hone {
namespace {

TEST(SuggestionTest, NamesTheNearestOrAll) {
  const std::vector<std::string_view> names{"greedy", "taso", "saturate"};
  EXPECT_EQ(suggestion("tasso", names), "; did you mean 'taso'?");
  EXPECT_EQ(suggestion("luck", names), "");
  EXPECT_EQ(suggestion_or_all("gredy", names), "; did you mean 'greedy'?");
  EXPECT_EQ(suggestion_or_all("luck", names), ", there are greedy, taso, saturate");
  EXPECT_EQ(suggestion_or_all("luck", {}), ", there is none");
}

TEST(SuggestionTest, APartOfANameIsNear) {
  const std::vector<std::string_view> names{"vgg16", "transformer-transducer"};
  EXPECT_EQ(suggestion("transducer", names), "; did you mean 'transformer-transducer'?");
  EXPECT_EQ(suggestion("du", names), "");
}

TEST(SuggestionTest, OfManyOnlyTheNearestAreNamed) {
  const std::vector<std::string> numbered = [] {
    std::vector<std::string> made;
    for (int i = 0; i < 100; ++i) made.push_back("name-" + std::to_string(i));
    return made;
  }();
  const std::vector<std::string_view> names(numbered.begin(), numbered.end());
  EXPECT_EQ(suggestion_or_all("quite-another-1", names), "; the nearest of 100 are name-1, name-0, name-2");
}

}  // namespace
}  // namespace hone
