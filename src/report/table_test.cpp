#include "report/table.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(TableTest, IsAsWideAsItsCellsWhereTheyFit) {
  Table table({"name", "count", "what"});
  table.add({"a", "7", "first"});
  table.add({"bcd", "12", "second"});
  EXPECT_EQ(table.text(80),
            "name  count  what\n"
            "a         7  first\n"
            "bcd      12  second\n");
}

TEST(TableTest, ShortensNamesAndWrapsTheLastColumn) {
  Table table({"node", "ms", "why"});
  table.add({"encoder.layer.11.attention.output", "12.25", "faster than what was kept before it was tried"});
  EXPECT_EQ(table.text(44),
            "node                  ms  why\n"
            "encoder.…n.output  12.25  faster than what\n"
            "                          was kept before\n"
            "                          it was tried\n");
}

TEST(TableTest, NeverCutsFigures) {
  Table table({"model", "speed-up", "time", "memory", "runs"});
  table.add({"a-model-with-a-rather-long-name", "1.234 [1.201, 1.262]", "12.345 ms", "123.4 MiB", "1000"});
  const std::string text = table.text(50);
  for (const char* figure : {"1.234 [1.201, 1.262]", "12.345 ms", "123.4 MiB", "1000"})
    EXPECT_NE(text.find(figure), std::string::npos) << text;
}

TEST(TableTest, ContinuesBelowWithTheSameFirstColumn) {
  Table table({"case", "first figure", "second figure", "third figure"});
  table.add({"a", "1", "2", "3"});
  EXPECT_EQ(table.text(40),
            "case  first figure  second figure\n"
            "a                1              2\n"
            "\n"
            "case  third figure\n"
            "a                3\n");
}

TEST(TableTest, KeepsWhatItWasToldToWrapWhole) {
  Table table({{"versions", Fit::wrapped}, "kind"});
  table.add({"1 5 13 14 19 21 23 24 25 26 27 28 29", "movement"});
  EXPECT_EQ(table.text(40),
            "versions                        kind\n"
            "1 5 13 14 19 21 23 24 25 26 27  movement\n"
            "28 29\n");
}

TEST(TableTest, MarkdownIsWhole) {
  Table table({"name", "what"});
  table.add({"a", std::string(100, 'x')});
  EXPECT_NE(table.markdown().find(std::string(100, 'x')), std::string::npos);
}

}  // namespace
}  // namespace hone
