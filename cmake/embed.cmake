# Files that travel inside the tool: hone_embed(VARIABLE FOLDER EXTENSION HEADER ACCESSOR ENTRY) turns FOLDER/*.EXTENSION into
# a source file, whose path is left in VARIABLE. It defines `std::span<const ENTRY> ACCESSOR()` as HEADER declares it; an
# entry is the name of a file and its text.
function(hone_embed variable folder extension EMBED_HEADER EMBED_ACCESSOR EMBED_ENTRY)
  file(GLOB files CONFIGURE_DEPENDS ${folder}/*.${extension})
  set(EMBED_ENTRIES "")
  foreach(each ${files})
    get_filename_component(name ${each} NAME_WE)
    file(READ ${each} text)
    string(APPEND EMBED_ENTRIES "      {\"${name}\", R\"text(${text})text\"},\n")
  endforeach()
  set(${variable} ${CMAKE_BINARY_DIR}/generated/${EMBED_ACCESSOR}.cpp)
  configure_file(cmake/embedded.cpp.in ${${variable}} @ONLY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  set(${variable} ${${variable}} PARENT_SCOPE)
endfunction()
