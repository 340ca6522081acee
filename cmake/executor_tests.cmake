# hone_executor_tests: tests of hone's own executor, of the library for other programs and of threads, with no more of hone than they
# need. They are part of hone_tests too; by themselves a build with sanitizers takes minutes (docs/testing.md).
set(HONE_EXECUTOR_TESTS ${HONE_TESTS})
list(FILTER HONE_EXECUTOR_TESTS INCLUDE REGEX "^src/(run/native|embed)/|^src/base/(thread_pool|recycled_allocations)")
set(HONE_EXECUTOR_NEEDS ${HONE_SOURCES} ${HONE_OUTER})
list(FILTER HONE_EXECUTOR_NEEDS INCLUDE REGEX "^src/(run/verify|zoo)/")
add_executable(hone_executor_tests EXCLUDE_FROM_ALL ${HONE_EXECUTOR_TESTS} ${HONE_EXECUTOR_NEEDS} ${HONE_COUNTED})
target_link_libraries(hone_executor_tests PRIVATE hone_inner hone_operators hone_embed GTest::gtest GTest::gtest_main)
hone_first_build(hone_executor_tests <gtest/gtest.h> <nlohmann/json.hpp> graph/ir/model.h)
