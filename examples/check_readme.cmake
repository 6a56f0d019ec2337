# Fails unless the program in the README is the one in EXAMPLE, which is compiled and run, but for the
# comments before its first include. Run by ctest: cmake -DREADME=... -DEXAMPLE=... -P check_readme.cmake
file(READ "${README}" readme)
if(NOT readme MATCHES "\n```cpp\n([^`]*)```\n")
  message(FATAL_ERROR "${README} has no program in C++")
endif()
set(shown "${CMAKE_MATCH_1}")
file(READ "${EXAMPLE}" example)
string(FIND "${example}" "#include" start)
string(SUBSTRING "${example}" ${start} -1 compiled)
if(NOT shown STREQUAL compiled)
  message(FATAL_ERROR "the program in ${README} is not that of ${EXAMPLE}:\n${shown}\nand\n${compiled}")
endif()
