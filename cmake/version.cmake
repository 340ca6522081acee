# What `hone version` says it was made with; a library without a version did not tell the build.
set(HONE_LIBRARIES "fmt ${fmt_VERSION}|nlohmann_json ${nlohmann_json_VERSION}|CLI11 ${CLI11_VERSION}|SQLite ${SQLite3_VERSION}|RE2")
foreach(library "ZLIB_FOUND zlib ${ZLIB_VERSION_STRING}" "LIBLZMA_FOUND liblzma ${LIBLZMA_VERSION_STRING}" "METIS_LIBRARY METIS" "CBC_LIBRARY CBC")
  string(REGEX MATCH "^([^ ]+) (.*)$" matched "${library}")
  if(${CMAKE_MATCH_1})
    string(APPEND HONE_LIBRARIES "|${CMAKE_MATCH_2}")
  endif()
endforeach()
set_source_files_properties(src/base/version.cpp PROPERTIES COMPILE_DEFINITIONS
  "HONE_VERSION=\"${PROJECT_VERSION}\";HONE_BUILD_TYPE=\"${CMAKE_BUILD_TYPE}\";HONE_LIBRARIES=\"${HONE_LIBRARIES}\"")
