# Files that travel inside the tool: hone_embed(SOURCES FOLDER EXTENSION HEADER ACCESSOR ENTRY [BYTES]) turns
# FOLDER/*.EXTENSION into one source file and appends its path to the list SOURCES. It defines `std::span<const ENTRY> ACCESSOR()` as HEADER
# declares it; an entry is the name of a file and its text, or with BYTES what is in a file that is no text.
function(hone_embed sources folder extension EMBED_HEADER EMBED_ACCESSOR EMBED_ENTRY)
  file(GLOB files CONFIGURE_DEPENDS ${folder}/*.${extension})
  set(EMBED_ENTRIES "")
  foreach(each ${files})
    get_filename_component(name ${each} NAME_WE)
    if("BYTES" IN_LIST ARGN)
      hone_bytes_literal(literal ${each})
    else()
      file(READ ${each} text)
      set(literal "R\"text(${text})text\"")
    endif()
    string(APPEND EMBED_ENTRIES "      {\"${name}\", ${literal}},\n")
  endforeach()
  configure_file(cmake/embedded.cpp.in ${CMAKE_BINARY_DIR}/generated/${EMBED_ACCESSOR}.cpp @ONLY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  set(${sources} ${${sources}} ${CMAKE_BINARY_DIR}/generated/${EMBED_ACCESSOR}.cpp PARENT_SCOPE)
endfunction()

# {"\x..", SIZE}: the bytes of a file as C++ takes them, some in a line.
function(hone_bytes_literal variable file)
  file(SIZE ${file} size)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${bytes}")
  string(REGEX REPLACE "(................................................................)" "\\1\"\n      \"" bytes "${bytes}")
  set(${variable} "{\"${bytes}\", ${size}}" PARENT_SCOPE)
endfunction()
