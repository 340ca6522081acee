#include "store/database/libpq.h"

#include <dlfcn.h>

#include "store/database/database.h"
#include "store/database/postgresql.h"

namespace hone {
namespace {

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  if (function == nullptr) fail_database("libpq.so.5 has no function {}; install Debian's package libpq5", name);
}

Libpq load() {
  void* library = ::dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    fail_database("a postgresql:// store needs the library libpq.so.5: install Debian's package libpq5");
  Libpq functions{};
  find(library, "PQconnectdbParams", functions.connect);
  find(library, "PQfinish", functions.finish);
  find(library, "PQstatus", functions.status);
  find(library, "PQerrorMessage", functions.error_message);
  find(library, "PQsetNoticeProcessor", functions.set_notice_processor);
  find(library, "PQexec", functions.exec);
  find(library, "PQprepare", functions.prepare);
  find(library, "PQexecPrepared", functions.exec_prepared);
  find(library, "PQresultStatus", functions.result_status);
  find(library, "PQresultErrorField", functions.result_error_field);
  find(library, "PQclear", functions.clear);
  find(library, "PQntuples", functions.row_count);
  find(library, "PQnfields", functions.column_count);
  find(library, "PQftype", functions.column_type);
  find(library, "PQgetisnull", functions.is_null);
  find(library, "PQgetvalue", functions.value);
  find(library, "PQgetlength", functions.length);
  find(library, "PQcmdTuples", functions.changed);
  return functions;
}

}  // namespace

const Libpq& libpq() {
  static const Libpq functions = load();
  return functions;
}

std::string postgresql_obstacle() {
  try {
    libpq();
    return {};
  } catch (const InputError& error) {
    return error.what();
  }
}

}  // namespace hone
