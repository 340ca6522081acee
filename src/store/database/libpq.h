#pragma once

#include <libpq-fe.h>

namespace hone {

/// The functions of libpq that the store uses. The library is loaded when a PostgreSQL store is first opened, so that
/// everything else works, and starts as fast, without it and the twenty libraries it needs in turn.
struct Libpq {
  decltype(&::PQconnectdbParams) connect;
  decltype(&::PQfinish) finish;
  decltype(&::PQstatus) status;
  decltype(&::PQerrorMessage) error_message;
  decltype(&::PQsetNoticeProcessor) set_notice_processor;
  decltype(&::PQexec) exec;
  decltype(&::PQprepare) prepare;
  decltype(&::PQexecPrepared) exec_prepared;
  decltype(&::PQresultStatus) result_status;
  decltype(&::PQresultErrorField) result_error_field;
  decltype(&::PQclear) clear;
  decltype(&::PQntuples) row_count;
  decltype(&::PQnfields) column_count;
  decltype(&::PQftype) column_type;
  decltype(&::PQgetisnull) is_null;
  decltype(&::PQgetvalue) value;
  decltype(&::PQgetlength) length;
  decltype(&::PQcmdTuples) changed;
};

/// Throws InputError (exit code 7) naming the package to install when libpq is not there.
const Libpq& libpq();

}  // namespace hone
