# hone_first_build(TARGET HEADER... | REUSE_FROM OTHER): without a compiler cache most of the time of a build goes into headers,
# again in every file. So what many files of the target include, <of the system> or of src/, is compiled once, and some files of
# a folder are compiled together; tools/check_layers sees to it that their names do not meet.
set(HONE_FILES_TOGETHER 6 CACHE STRING "Files of a folder that are compiled as one where there is no compiler cache")
function(hone_first_build target)
  if(CCACHE)
    return()
  endif()
  if("REUSE_FROM" IN_LIST ARGN)
    target_precompile_headers(${target} ${ARGN})
  else()
    list(TRANSFORM ARGN PREPEND ${CMAKE_SOURCE_DIR}/src/ REGEX "^[^<]")
    target_precompile_headers(${target} PRIVATE <algorithm> <cmath> <functional> <map> <memory> <optional> <span> <string>
      <string_view> <unordered_map> <variant> <vector> <fmt/format.h> ${ARGN})
  endif()

  if(HONE_FILES_TOGETHER LESS 2)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${CMAKE_SOURCE_DIR}/src)
    string(REPLACE "/" "_" folder "${folder}")
    list(APPEND files_of_${folder} ${source})
    list(LENGTH files_of_${folder} count)
    math(EXPR batch "(${count} - 1) / ${HONE_FILES_TOGETHER}")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${batch})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # A local name that is also the name of something in the file before it shadows nothing. What gcc thinks of memory once it has
  # inlined is often wrong, and differs with what is compiled together; files by themselves are held to it.
  target_compile_options(${target} PRIVATE -Wno-shadow)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-dangling-pointer -Wno-free-nonheap-object
      -Wno-maybe-uninitialized -Wno-nonnull -Wno-stringop-overflow -Wno-stringop-overread -Wno-use-after-free)
  endif()
endfunction()
