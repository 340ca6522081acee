#include "store/records/price_lesson_records.h"

#include <gtest/gtest.h>

#include "store/database/temporary_store_test.h"

namespace hone {
namespace {

GraphRecord lesson_graph(const std::string& id) { return {{.id = id, .description = {{"name", "net " + id}}}}; }

PriceLesson lesson_by(const std::string& prices, double log_ratio) {
  return {.prices = prices,
          .samples = {{.columns = {0.5, 0, -0.25}, .expected_log_ratio = -0.1, .log_ratio = 0, .error = 0.01},
                      {.columns = {0, 1, 0}, .expected_log_ratio = 0.1, .log_ratio = log_ratio, .error = 0.02}}};
}

class PriceLessonRecordsTest : public TemporaryStoreTest {
 protected:
  const ProfileContext context_{.hardware = "here", .runtime = "somewhere 1.2", .threads = 2};

  std::size_t known(const ProfileContext& context) {
    Store store(url_);
    return stored_price_lessons(store, context).size();
  }
};

TEST_F(PriceLessonRecordsTest, ComeBackAsTheyWereAndTheLastOfAModelCounts) {
  Store store(url_);
  record_price_lesson(store, lesson_graph("a"), context_, lesson_by("old", -0.5));
  record_price_lesson(store, lesson_graph("b"), context_, lesson_by("other", -0.75));
  record_price_lesson(store, lesson_graph("a"), context_, lesson_by("new", -0.25));
  EXPECT_EQ(store.select<RunRecord>("").size(), 2u);
  const std::vector<PriceLesson> found = stored_price_lessons(store, context_);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].prices, "new");
  EXPECT_EQ(found[1].prices, "other");
  ASSERT_EQ(found[0].samples.size(), 2u);
  EXPECT_EQ(found[0].samples[0].columns, (std::vector<double>{0.5, 0, -0.25}));
  EXPECT_EQ(found[0].samples[0].expected_log_ratio, -0.1);
  EXPECT_EQ(found[0].samples[1].log_ratio, -0.25);
  EXPECT_EQ(found[0].samples[1].error, 0.02);
  EXPECT_EQ(stored_price_lessons(store, context_, "a").size(), 1u);
}

TEST_F(PriceLessonRecordsTest, HoldForOneComputerVersionOfTheRuntimeAndNumberOfThreads) {
  Store store(url_);
  record_price_lesson(store, lesson_graph("a"), context_, lesson_by("prices", -0.5));
  EXPECT_EQ(known(context_), 1u);
  ProfileContext other = context_;
  other.threads = 1;
  EXPECT_EQ(known(other), 0u);
  other = context_;
  other.runtime = "somewhere 1.3";
  EXPECT_EQ(known(other), 0u);
  store.write([&](Writer& writer) {  // the same of another computer
    RunRecord record = store.select<RunRecord>("").at(0);
    record.id.clear();
    writer.add(Provenance{lesson_graph("c"), {{.id = "elsewhere", .description = {}}}, {{.id = record.software}}});
    record.graph = "c";
    record.hardware = "elsewhere";
    writer.add(record);
  });
  EXPECT_EQ(store.select<RunRecord>("").size(), 2u);
  EXPECT_EQ(known(context_), 1u);
}

TEST_F(PriceLessonRecordsTest, TheOldestGoWhenThereAreMany) {
  Store store(url_);
  constexpr int kModels = 70;
  for (int i = 0; i < kModels; ++i)
    record_price_lesson(store, lesson_graph(std::to_string(i)), context_, lesson_by(std::to_string(i), 0));
  const std::vector<PriceLesson> found = stored_price_lessons(store, context_);
  EXPECT_EQ(found.size(), 64u);
  EXPECT_EQ(store.select<RunRecord>("").size(), found.size());
  EXPECT_EQ(found.front().prices, std::to_string(kModels - 1));
  EXPECT_EQ(found.back().prices, std::to_string(kModels - 64));
}

TEST_F(PriceLessonRecordsTest, WhatCannotBeReadIsNoLesson) {
  Store store(url_);
  record_price_lesson(store, lesson_graph("a"), context_, lesson_by("prices", -0.5));
  store.database().run("UPDATE runs SET outcome = '{\"samples\": [{\"columns\": \"none\"}]}'");
  EXPECT_EQ(known(context_), 0u);
}

}  // namespace
}  // namespace hone
