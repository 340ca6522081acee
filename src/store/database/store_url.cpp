#include "store/database/store_url.h"

#include <cstdlib>
#include <optional>

#include "base/error.h"

namespace hone {
namespace {

/// The rest of `text` after `prefix`, if it begins with it.
std::optional<std::string_view> after(std::string_view text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return std::nullopt;
  return text.substr(prefix.size());
}

/// `scheme://user:secret@host/...` without `:secret`, and without what follows a question mark, where one may hide too.
std::string without_password(std::string_view url) {
  std::string shown(url.substr(0, url.find('?')));
  const std::size_t start = shown.find("://") + 3;
  const std::size_t at = shown.substr(0, shown.find('/', start)).rfind('@');
  const std::size_t colon = shown.find(':', start);
  if (at != std::string::npos && colon < at) shown.erase(colon, at - colon);
  return shown;
}

StoreUrl sqlite_file(std::string_view path) {
  if (path.empty()) fail_usage("the URL of a store names no file; write sqlite:///path.db");
  return {.kind = StoreUrl::Kind::sqlite, .target = std::string(path), .shown = std::string(path)};
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

StoreUrl parse_store_url(std::string_view url) {
  if (url == "default") return parse_store_url(default_store_url());
  if (const auto path = after(url, "sqlite:///")) return sqlite_file(*path);
  if (url.starts_with("postgresql://") || url.starts_with("postgres://"))
    return {.kind = StoreUrl::Kind::postgresql, .target = std::string(url), .shown = without_password(url)};
  if (url.find("://") != std::string_view::npos)
    fail_usage("'{}' is no store: write sqlite:///path.db or postgresql://user@host/name", without_password(url));
  return sqlite_file(url);
}

std::string default_store_url() {
  if (const std::string url = environment("HONE_DB"); !url.empty() && url != "default") return url;
  std::filesystem::path cache = environment("XDG_CACHE_HOME");
  if (!cache.is_absolute()) {
    const std::string home = environment("HOME");
    if (home.empty()) fail_usage("no place for the default store: set HONE_DB, XDG_CACHE_HOME or HOME");
    cache = std::filesystem::path(home) / ".cache";
  }
  std::error_code ignored;  // a folder that cannot be made is told when the file in it is opened
  std::filesystem::create_directories(cache / "hone", ignored);
  return "sqlite:///" + (cache / "hone" / "hone.db").string();
}

}  // namespace hone
