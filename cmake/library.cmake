# libhone.so and its header, for programs that run models: `ninja -C build/release hone_shared`, then
# `cmake --install build/release --component runtime --prefix DIR`. It exports what include/hone.h declares.
include(GNUInstallDirs)
add_library(hone_embed OBJECT EXCLUDE_FROM_ALL ${HONE_EMBED})
set_target_properties(hone_embed PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_include_directories(hone_embed PRIVATE src PUBLIC include)
target_link_libraries(hone_embed PRIVATE fmt::fmt)
add_library(hone_shared SHARED EXCLUDE_FROM_ALL $<TARGET_OBJECTS:hone_embed> $<TARGET_OBJECTS:hone_inner> $<TARGET_OBJECTS:hone_operators>)
target_link_libraries(hone_shared PRIVATE fmt::fmt Threads::Threads ${RE2_LIBRARY} ${CMAKE_DL_LIBS} $<$<BOOL:${ZLIB_FOUND}>:ZLIB::ZLIB>
  $<$<BOOL:${LIBLZMA_FOUND}>:LibLZMA::LibLZMA> $<$<BOOL:${CBC_LIBRARY}>:${CBC_LIBRARY}>
  $<$<BOOL:${DNNL_LIBRARY}>:${DNNL_LIBRARY}> $<$<BOOL:${DNNL_LIBRARY}>:gomp>)
target_link_options(hone_shared PRIVATE -Wl,--version-script=${CMAKE_SOURCE_DIR}/src/embed/exports.map -Wl,--no-undefined)
set_target_properties(hone_shared PROPERTIES OUTPUT_NAME hone VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
  LINK_DEPENDS ${CMAKE_SOURCE_DIR}/src/embed/exports.map LINKER_LANGUAGE CXX)
install(TARGETS hone_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime OPTIONAL)
install(FILES include/hone.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT runtime)
