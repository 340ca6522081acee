# Benchmark cases: libhone_bench.so, which the program opens when it is asked for one. No time is spent in their own code, but in
# oracles that fast code is held against; tests use these too.
add_library(hone_bench_objects OBJECT EXCLUDE_FROM_ALL ${HONE_BENCH})
set_target_properties(hone_bench_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_compile_options(hone_bench_objects PRIVATE -O0)
set_source_files_properties(src/bench/brkga_oracle.cpp src/bench/simulation_oracle.cpp
  PROPERTIES COMPILE_OPTIONS -O2 SKIP_PRECOMPILE_HEADERS ON)
target_include_directories(hone_bench_objects PRIVATE src)
target_link_libraries(hone_bench_objects PRIVATE fmt::fmt nlohmann_json::nlohmann_json)
add_library(hone_bench MODULE EXCLUDE_FROM_ALL)
target_link_libraries(hone_bench PRIVATE hone_bench_objects fmt::fmt)
hone_first_build(hone_bench_objects <nlohmann/json.hpp> graph/ir/model.h plan/search/search.h)
