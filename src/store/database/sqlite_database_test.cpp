#include <sys/stat.h>

#include "store/database/temporary_store_test.h"
#include "store/database/transfer.h"

namespace hone {
namespace {

/// What SQLite files can suffer; not about PostgreSQL.
class StoreFileTest : public TemporaryStoreTest {
 protected:
  StoreFileTest() { url_ = file(); }

  void overwrite(std::streamoff at, const std::string& bytes) {
    std::fstream stream(url_, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(at);
    stream << bytes;
  }
  static void read_everything(const std::string& url) {
    Store store(url, StoreAccess::read);
    export_records(store, [](std::string_view) {});
  }
};

TEST_F(StoreFileTest, ReadingDoesNotCreateAFile) {
  EXPECT_EQ(database_complaint([&] { Store store(url_, StoreAccess::read); }), "there is no store " + url_);
  EXPECT_EQ(database_complaint([&] { upgrade_store(url_); }), "there is no store " + url_);
  EXPECT_FALSE(std::filesystem::exists(url_));
}

TEST_F(StoreFileTest, AFolderThatIsMissingIsNamed) {
  EXPECT_EQ(database_complaint([&] { Store store(url_ + "/no/such.db"); }),
            "store " + url_ + "/no/such.db cannot be opened: No such file or directory");
}

TEST_F(StoreFileTest, AFullDiskLosesNothing) {
  Store store(url_);
  const std::string run = add_run(store);
  store.database().run("PRAGMA max_page_count = 30");
  const PlanRecord large{.run = run, .plan = {{"text", std::string(1 << 20, 'x')}}};
  EXPECT_EQ(database_complaint([&] { store.write([&](Writer& writer) { writer.add(large); }); }),
            "store " + url_ + " cannot be written: the disk is full");
  EXPECT_EQ(store.count(find_table("plans")), 0);
  store.database().run("PRAGMA max_page_count = 1000000");
  store.write([&](Writer& writer) { writer.add(large); });
  EXPECT_EQ(store.select<PlanRecord>("").at(0).plan, large.plan);
}

TEST_F(StoreFileTest, AFileThatIsNoDatabaseIsRefusedAndKept) {
  const std::string text(5000, 'x');
  std::ofstream(url_) << text;
  EXPECT_EQ(database_complaint([&] { Store store(url_); }),
            "store " + url_ + " is damaged or not a store: SQLite cannot read it");
  EXPECT_EQ(std::filesystem::file_size(url_), text.size());
}

TEST_F(StoreFileTest, DamagedPagesAreNoticed) {
  {
    Store store(url_);
    const std::string run = add_run(store);
    store.write([&](Writer& writer) {
      for (int i = 0; i < 300; ++i) writer.add(PlanRecord{.run = run, .plan = {{"number", i}}});
    });
  }
  ASSERT_FALSE(std::filesystem::exists(url_ + "-wal"));
  const auto size = static_cast<std::streamoff>(std::filesystem::file_size(url_));
  for (std::streamoff page = 4096; page < size; page += 4096) overwrite(page, std::string(64, '\xA5'));
  EXPECT_EQ(database_complaint([&] { read_everything(url_); }),
            "store " + url_ + " is damaged: SQLite finds its pages malformed");
  std::filesystem::resize_file(url_, 3 * 4096 + 100);
  EXPECT_NE(database_complaint([&] { read_everything(url_); }).find("is damaged"), std::string::npos);
}

TEST_F(StoreFileTest, CellsOfAnotherKindAreNoticed) {
  Store store(url_);
  const std::string run = add_run(store);
  for (const char* change : {"request = 'no JSON'", "state = 'odd'", "value = 'fast'"}) {
    SCOPED_TRACE(change);
    store.database().run_script("BEGIN; UPDATE runs SET " + std::string(change));
    EXPECT_NE(database_complaint([&] { store.select<RunRecord>(""); }).find("the store holds a record"),
              std::string::npos);
    store.database().run_script("ROLLBACK");
  }
  EXPECT_EQ(store.select<RunRecord>("").at(0).id, run);
}

TEST_F(StoreFileTest, KeysThatCannotBeOrderedDoNotKeepAnExportFromEnding) {
  {
    Store store(url_);
    store.database().run(
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 999) "
        "INSERT INTO hardware SELECT CAST(1000 + i AS BLOB), '{}' FROM n");
  }
  EXPECT_NE(database_complaint([&] { read_everything(url_); }).find("keys that are no text"), std::string::npos);
}

TEST_F(StoreFileTest, AReaderSeesOneStateWhileAWriterWrites) {
  Store writer_store(url_);
  const std::string run = add_run(writer_store);
  Store reader(url_, StoreAccess::read);
  read_transaction(reader.database(), [&] {
    EXPECT_EQ(reader.count(find_table("plans")), 0);
    writer_store.write([&](Writer& writer) { writer.add(PlanRecord{.run = run}); });
    EXPECT_EQ(reader.count(find_table("plans")), 0);
  });
  EXPECT_EQ(reader.count(find_table("plans")), 1);
}

TEST_F(StoreFileTest, ReadingChangesNothing) {
  { Store store(url_); }
  Store store(url_, StoreAccess::read);
  EXPECT_EQ(database_complaint([&] { add_run(store); }), "store " + url_ + " is read-only");
}

TEST_F(StoreFileTest, NamesWithMarksOfUrlsAreJustNames) {
  const std::string odd = (folder_ / "a?mode=memory#%20.db").string();
  { Store store("sqlite:///" + odd); }
  EXPECT_TRUE(std::filesystem::exists(odd));
}

}  // namespace
}  // namespace hone
