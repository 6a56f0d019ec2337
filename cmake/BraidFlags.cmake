# Warnings, sanitizers and floating-point rules. They live in a target of their own that is linked
# privately and never exported, so that nobody who uses Braid inherits them.
add_library(braid_flags INTERFACE)
target_compile_features(braid_flags INTERFACE cxx_std_20)
target_compile_options(braid_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-qual
  -Wformat=2 -Wimplicit-fallthrough
  # g++ contracts a*b+c into one rounding by default where the machine can; scores must have the
  # same bits on every machine.
  -ffp-contract=off)
# g++ 12 warns of string concatenations that are right (GCC bugs 105329 and 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(braid_flags INTERFACE
    -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
endif()
# g++ 16 takes the members of a temporary for dangling within the expression that makes it.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 16)
  target_compile_options(braid_flags INTERFACE -Wno-dangling-pointer)
endif()
# g++ looks for garbage from 128 MB on, which costs a twelfth of a build's time.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(braid_flags INTERFACE "--param=ggc-min-heapsize=400000")
endif()
if(BRAID_WERROR)
  target_compile_options(braid_flags INTERFACE -Werror)
endif()
if(BRAID_SANITIZE)
  # Undefined behaviour ends the program: a message alone would let the test pass.
  target_compile_options(braid_flags INTERFACE
    -fsanitize=${BRAID_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(braid_flags INTERFACE -fsanitize=${BRAID_SANITIZE})
endif()

# Of code that does little beside reading options and settings, or calling a library. At -Og, g++ 12
# compiles it in three quarters of the time of -O1, and as fast as at -O0.
function(braid_compile_cold target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release,RelWithDebInfo>:-Og>)
endfunction()

set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")

find_program(BRAID_CCACHE ccache)
if(BRAID_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Without these ccache refuses whatever uses a precompiled header, which is every test.
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros "${BRAID_CCACHE}")
endif()
if(NOT CMAKE_BUILD_TYPE AND PROJECT_IS_TOP_LEVEL)
  set(CMAKE_BUILD_TYPE Release)
endif()
