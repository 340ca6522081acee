# What makes builds fast. With ccache, which serves those who build often, every file is compiled by itself. Without it, as on a
# fresh machine, most of the time would go into headers, again in every file. Then
#     hone_first_build(TARGET HEADER...)
# compiles the headers that many files of the target include, <of a library> or of src/, once, and compiles some files of a
# folder as one. tools/check_layers sees to it that names of such files do not meet.
set(HONE_FILES_TOGETHER 12 CACHE STRING "Files of a folder that are compiled as one where there is no ccache, twice as many at -O0 or with large headers; 1: none")
find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # The compiler looks for memory to give back only from 1 GB on, which saves a tenth of its time.
  add_compile_options("SHELL:--param ggc-min-heapsize=1000000")
endif()

function(hone_first_build target)
  if(CCACHE)
    return()
  endif()
  list(TRANSFORM ARGN PREPEND ${CMAKE_SOURCE_DIR}/src/ REGEX "^[^<]")
  target_precompile_headers(${target} PRIVATE <algorithm> <cmath> <functional> <map> <memory> <optional> <span> <string>
    <string_view> <unordered_map> <variant> <vector> <fmt/format.h> ${ARGN})

  # Of what is not optimised, most of the time goes into templates that files share: two units of cli take 21 s, as one 15 s. The same
  # where headers take most of it (HONE_LARGE_HEADERS).
  set(together ${HONE_FILES_TOGETHER})
  get_target_property(options ${target} COMPILE_OPTIONS)
  get_target_property(has_large_headers ${target} HONE_LARGE_HEADERS)
  if(("-O0" IN_LIST options OR has_large_headers) AND together GREATER 1)
    math(EXPR together "2 * ${together}")
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    get_source_file_property(group ${source} UNITY_GROUP)
    if(group)  # it is part of another target too, where it keeps its place
      continue()
    endif()
    cmake_path(GET source PARENT_PATH folder)
    string(MAKE_C_IDENTIFIER "${folder}" folder)
    list(APPEND files_of_${folder} ${source})
    list(LENGTH files_of_${folder} count)
    math(EXPR batch "(${count} - 1) / ${together}")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${batch})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
