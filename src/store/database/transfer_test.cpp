#include "store/database/transfer.h"

#include "store/database/temporary_store_test.h"
#include "store/database/trial_queue.h"

namespace hone {
namespace {

class StoreTransferTest : public TemporaryStoreTest {
 protected:
  /// Fills a store with at least one record of each kind.
  static void fill(Store& store, int runs) {
    for (int i = 0; i < runs; ++i) {
      const std::string run = add_run(store, {.kind = "plan", .state = Progress::done, .value = 1.0 / (i + 3)});
      TrialQueue queue(store, run);
      const std::vector<Json> requests{{{"knob", {1, 2}}}};
      queue.add(requests);
      store.write([&](Writer& writer) {
        writer.add(PlanRecord{.run = run, .plan = {{"groups", {0, 1}}}});
        writer.add(MeasurementRecord{.graph = "graph1", .hardware = "hardware1", .software = "software1"});
        writer.add(ProfileRecord{.operation = "Conv", .hardware = "hardware1", .software = "software1"});
      });
    }
  }
  static std::string exported(Store& store) {
    std::string text;
    export_records(store, [&](std::string_view line) { text += line; });
    return text;
  }
  std::string complaint(const std::string& text) {
    Store store(url_);
    try {
      import_records(store, text, "file");
    } catch (const InputError& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_model);
      return error.what();
    }
    return "nothing was thrown";
  }
};

constexpr std::string_view kHeader = "{\"schema\":\"hone.store/2\"}\n";

TEST_F(StoreTransferTest, ExportThenImportGivesTheSameRecords) {
  Store store(url_);
  fill(store, 3);
  const std::string text = exported(store);
  for (const TableShape& table : all_tables())
    EXPECT_NE(text.find(fmt::format("{{\"table\":\"{}\"", table.name)), std::string::npos) << table.name;
  Store other(file());
  const TransferCount first = import_records(other, text, "export");
  EXPECT_EQ(first.added, 3 + 3 * 5);
  EXPECT_EQ(first.known, 0);
  EXPECT_EQ(exported(other), text);
  const TransferCount second = import_records(other, text + text, "export");
  EXPECT_EQ(second.added, 0);
  EXPECT_EQ(second.known, 2 * first.added);
}

TEST_F(StoreTransferTest, PagesJoinWithoutGapOrOverlap) {
  Store store(url_);
  add_run(store);
  store.write([](Writer& writer) {
    for (int i = 0; i < 1000; ++i) writer.add(HardwareRecord{{.id = fmt::format("h{:04}", i)}});
  });
  Store other(file());
  const TransferCount count = merge_records(other, store);
  EXPECT_EQ(count.added, 1000 + 4);
  EXPECT_EQ(exported(other), exported(store));
}

TEST_F(StoreTransferTest, MergingTakesResultsOverWhatWasUnderWay) {
  Store store(url_);
  const std::string run = add_run(store, {.state = Progress::running});
  Store other(file());
  merge_records(other, store);
  add_run(other, {.id = run, .state = Progress::done, .value = 5.0});
  EXPECT_EQ(merge_records(store, other).added, 1);
  EXPECT_EQ(merge_records(other, store).added, 0);
  EXPECT_EQ(store.select<RunRecord>("").at(0).value, 5.0);
}

TEST_F(StoreTransferTest, AnExportOfVersionOneIsRead) {
  Store store(url_);
  const std::string text =
      "{\"schema\":\"hone.store/1\"}\n"
      "{\"table\":\"hardware\",\"id\":\"h\"}\n{\"table\":\"software\",\"id\":\"s\"}\n{\"table\":\"graphs\",\"id\":"
      "\"g\"}\n"
      "{\"table\":\"runs\",\"id\":\"r\",\"graph\":\"g\",\"hardware\":\"h\",\"software\":\"s\"}\n"
      "{\"table\":\"trials\",\"id\":\"t\",\"run\":\"r\",\"state\":\"done\"}\n{\"end\":5}\n";
  EXPECT_EQ(import_records(store, text, "old").added, 5);
  EXPECT_EQ(store.select<TrialRecord>("").at(0).attempts, 0);
}

TEST_F(StoreTransferTest, WhatIsNoExportIsRefusedWithItsLineAndChangesNothing) {
  const std::string header(kHeader);
  EXPECT_EQ(complaint(""), "file:0: the export was cut off");
  EXPECT_EQ(complaint("{}"), "file:1: no header {\"schema\": \"hone.store/...\"} before the first record");
  EXPECT_EQ(complaint("{\"schema\":\"hone.store/99\"}"),
            "file:1: exported with schema version 99 by a newer hone; this one knows 2");
  EXPECT_EQ(complaint("{\"schema\":\"trtexec\"}"), "file:1: this is no export of a store");
  EXPECT_EQ(complaint(header + "{\"table\":\"hardware\",\"id\":\"h\"}\n"), "file:2: the export was cut off");
  EXPECT_EQ(complaint(header + "{\"table\":\"hardware\",\"id\":\"h\"}\n{\"end\":2}"),
            "file:3: records are missing: 1 came before the end that announces 2");
  EXPECT_EQ(complaint(header + "[]"), "file:2: not a JSON object");
  EXPECT_EQ(complaint(header + "{\"table\""), "file:2: not JSON");
  EXPECT_EQ(complaint(header + std::string(100'000, '[')), "file:2: not JSON");
  EXPECT_EQ(complaint(header + "{\"id\":\"h\"}"), "file:2: a record without its table");
  EXPECT_EQ(complaint(header + "{\"table\":\"sqlite_master\"}"), "file:2: a store has no table 'sqlite_master'");
  EXPECT_EQ(complaint(header + "{\"table\":\"hardware\",\"id\":\"h\",\"x\":1}"), "file:2: hardware has no column 'x'");
  EXPECT_EQ(complaint(header + "{\"table\":\"hardware\",\"id\":\"H'\"}"),
            "file:2: the id of a record is 1 to 64 letters, digits and dashes");
  EXPECT_EQ(complaint(header + "{\"table\":\"runs\",\"id\":\"r\",\"value\":\"fast\"}"),
            "file:2: 'value' cannot be \"fast\"");
  EXPECT_EQ(complaint(header + "{\"table\":\"runs\",\"id\":\"r\",\"state\":\"odd\"}"),
            "file:2: 'state' cannot be \"odd\"");
  EXPECT_EQ(complaint(header + "{\"table\":\"trials\",\"id\":\"r\",\"number\":18446744073709551615}"),
            "file:2: 'number' cannot be 18446744073709551615");
  Store store(url_);
  for (const TableShape& table : all_tables()) EXPECT_EQ(store.count(table), 0) << table.name;
}

}  // namespace
}  // namespace hone
