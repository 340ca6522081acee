# What learns: libhone_learn.so, which the program opens when it is asked to train, and its tests. Needs libtorch; TORCH_ROOT says
# where one is that is not in the usual place.
find_path(TORCH_INCLUDE ATen/ATen.h HINTS ${TORCH_ROOT}/include)
find_path(TORCH_API torch/torch.h PATH_SUFFIXES torch/csrc/api/include HINTS ${TORCH_ROOT}/include)
find_library(TORCH_LIBRARY torch HINTS ${TORCH_ROOT}/lib)
find_library(TORCH_CPU torch_cpu HINTS ${TORCH_ROOT}/lib)
find_library(TORCH_C10 c10 HINTS ${TORCH_ROOT}/lib)
if(NOT (TORCH_INCLUDE AND TORCH_API AND TORCH_LIBRARY AND TORCH_CPU AND TORCH_C10))
  return()
endif()

# The loops over rows that training waits for: with headers precompiled at -O2 they take twice as long (`hone bench encode`).
set(HONE_LEARN_LOOPS ${HONE_LEARN})
list(FILTER HONE_LEARN_LOOPS INCLUDE REGEX "/(dense|max_pooled_layer|neighbours|product|shares)\\.cpp$")
list(REMOVE_ITEM HONE_LEARN ${HONE_LEARN_LOOPS})
add_library(hone_learn_objects OBJECT EXCLUDE_FROM_ALL ${HONE_LEARN})
add_library(hone_learn_loops OBJECT EXCLUDE_FROM_ALL ${HONE_LEARN_LOOPS})
target_compile_options(hone_learn_loops PRIVATE -O3)
foreach(target hone_learn_objects hone_learn_loops)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  # -idirafter: Debian's are in /usr/include, which must not come before the standard library's. -fopenmp: libtorch's loops are
  # parallel only in files that know OpenMP.
  target_compile_options(${target} PUBLIC SHELL:-idirafter\ ${TORCH_INCLUDE} SHELL:-idirafter\ ${TORCH_API} -fopenmp)
  target_include_directories(${target} PUBLIC src)
  target_link_options(${target} INTERFACE -fopenmp)
  target_link_libraries(${target} PUBLIC fmt::fmt nlohmann_json::nlohmann_json)
endforeach()
add_library(hone_learn MODULE EXCLUDE_FROM_ALL)
target_link_libraries(hone_learn PRIVATE hone_learn_objects hone_learn_loops ${TORCH_LIBRARY} ${TORCH_CPU} ${TORCH_C10})
# libtorch's headers take 16 s of whatever is compiled as one, and 8 s where they are precompiled, which takes 50 s itself. Two units of
# twelve files take 37 s each, as one 43 s.
set_target_properties(hone_learn_objects PROPERTIES HONE_LARGE_HEADERS ON)
hone_first_build(hone_learn_objects <nlohmann/json.hpp>)
hone_first_build(hone_learn_loops)

if(GTest_FOUND)
  add_executable(hone_learn_tests EXCLUDE_FROM_ALL ${HONE_LEARN_TESTS})
  target_compile_options(hone_learn_tests PRIVATE -O0)
  target_link_libraries(hone_learn_tests PRIVATE hone_learn_objects hone_learn_loops hone_core hone_outer hone_bench_objects GTest::gtest
    GTest::gtest_main ${TORCH_LIBRARY} ${TORCH_CPU} ${TORCH_C10})
  hone_first_build(hone_learn_tests <gtest/gtest.h>)
endif()
