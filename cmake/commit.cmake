cmake_minimum_required(VERSION 3.25)
# Writes hone_commit.h with the current commit, only when it changed, so that a commit recompiles one file.
execute_process(COMMAND git describe --always --dirty --abbrev=12 --exclude=*
  WORKING_DIRECTORY ${SOURCE_DIR} OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT COMMIT)
  set(COMMIT unknown)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#pragma once\n#define HONE_COMMIT \"@COMMIT@\"\n" @ONLY)
