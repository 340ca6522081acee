#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/suggestion.h"

namespace hone {

/// Base of kinds that users call by name and that register themselves by being defined at namespace scope. A kind has a
/// `name()`, and says as `kCalled` what one of them is in an error message.
template <class Kind>
class Registered {
 public:
  Registered(const Registered&) = delete;
  Registered& operator=(const Registered&) = delete;

  /// All kinds by name.
  static std::vector<const Kind*> all() {
    std::vector<const Kind*> kinds = registered();
    std::ranges::sort(kinds, {}, &Kind::name);
    return kinds;
  }

  /// Throws InputError (usage) when there is none of that name.
  static const Kind& named(std::string_view name) {
    std::vector<std::string_view> names;
    for (const Kind* kind : all()) {
      if (kind->name() == name) return *kind;
      names.push_back(kind->name());
    }
    fail_usage("there is no {} '{:.60}'{}", Kind::kCalled, name, suggestion_or_all(name, names));
  }

 protected:
  Registered() { registered().push_back(static_cast<const Kind*>(this)); }
  ~Registered() = default;

 private:
  /// Made when first asked for, since kinds in other files may be defined before.
  static std::vector<const Kind*>& registered() {
    static std::vector<const Kind*> kinds;
    return kinds;
  }
};

/// Base of tables whose entries join those of all others of the sort by being defined at namespace scope, one table a
/// file: families of operators, of models.
template <class Table, class Entry>
class RegisteredTable {
 public:
  explicit RegisteredTable(std::vector<Entry> entries) : entries_(std::move(entries)) { tables().push_back(this); }
  RegisteredTable(const RegisteredTable&) = delete;
  RegisteredTable& operator=(const RegisteredTable&) = delete;

  /// Entries of all tables, in no particular order of tables.
  static std::vector<const Entry*> all_entries() {
    std::vector<const Entry*> all;
    for (const RegisteredTable* table : tables())
      for (const Entry& entry : table->entries_) all.push_back(&entry);
    return all;
  }

 private:
  static std::vector<const RegisteredTable*>& tables() {
    static std::vector<const RegisteredTable*> all;
    return all;
  }

  std::vector<Entry> entries_;
};

}  // namespace hone
