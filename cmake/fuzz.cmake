# Every src/**/name_fuzz.cpp is a target fuzz_name.
set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=all)
set(instrumented ${sanitizers} -fsanitize=fuzzer-no-link)
target_compile_options(hone_inner PRIVATE ${instrumented})
target_compile_options(hone_core PRIVATE ${instrumented})
# Operators compute small constants only while a file is read: here it is compiling that should be fast.
target_compile_options(hone_operators PRIVATE -O0 $<$<BOOL:${HONE_FUZZ_OPERATORS}>:${instrumented}>)
foreach(source ${HONE_FUZZERS})
  string(REGEX REPLACE ".*/(.*)_fuzz\\.cpp$" "fuzz_\\1" target ${source})
  add_executable(${target} EXCLUDE_FROM_ALL ${source})
  target_compile_options(${target} PRIVATE ${sanitizers} -fsanitize=fuzzer)
  target_link_options(${target} PRIVATE ${sanitizers} -fsanitize=fuzzer)
  target_link_libraries(${target} PRIVATE hone_core)
endforeach()
