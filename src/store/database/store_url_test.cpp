#include "store/database/store_url.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/error.h"

namespace hone {
namespace {

TEST(StoreUrlTest, ThreeSlashesAreARelativePathAndFourAnAbsoluteOne) {
  EXPECT_EQ(parse_store_url("sqlite:///a/b.db").target, "a/b.db");
  EXPECT_EQ(parse_store_url("sqlite:////a/b.db").target, "/a/b.db");
  EXPECT_EQ(parse_store_url("b.db").target, "b.db");
  EXPECT_EQ(parse_store_url("sqlite:///:memory:").target, ":memory:");
}

TEST(StoreUrlTest, PasswordsAreNotShown) {
  const StoreUrl url = parse_store_url("postgresql://me:sec@ret@host:5432/records?password=secret");
  EXPECT_EQ(url.kind, StoreUrl::Kind::postgresql);
  EXPECT_EQ(url.target, "postgresql://me:sec@ret@host:5432/records?password=secret");
  EXPECT_EQ(url.shown, "postgresql://me@host:5432/records");
  EXPECT_EQ(parse_store_url("postgresql:///records?host=/run/x").shown, "postgresql:///records");
  EXPECT_EQ(parse_store_url("postgresql://host:5432/records").shown, "postgresql://host:5432/records");
}

TEST(StoreUrlTest, OtherSchemesAreRefusedWithoutShowingTheirPassword) {
  try {
    parse_store_url("mysql://me:secret@host/records");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_STREQ(error.what(),
                 "'mysql://me@host/records' is no store: write sqlite:///path.db or postgresql://user@host/name");
  }
  EXPECT_THROW(parse_store_url("sqlite:///"), InputError);
  EXPECT_THROW(parse_store_url(""), InputError);
}

}  // namespace
}  // namespace hone
