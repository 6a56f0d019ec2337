# What a user of the library may include stands in include/braid and is included as
# "braid/searcher.h". Headers of its own the project includes as "braid/core/base/text.h", by a
# folder of links in the build tree.
set(BRAID_BUILD_INCLUDE "${PROJECT_BINARY_DIR}/include")
file(MAKE_DIRECTORY "${BRAID_BUILD_INCLUDE}/braid")
foreach(folder core config plugin indexer with cli tests bench)
  file(CREATE_LINK "${PROJECT_SOURCE_DIR}/${folder}" "${BRAID_BUILD_INCLUDE}/braid/${folder}" SYMBOLIC)
endforeach()

# A shared library that needs what no other library exports fails to link here, not in a program.
set(BRAID_NO_UNDEFINED "")
if(BUILD_SHARED_LIBS AND NOT BRAID_SANITIZE)
  set(BRAID_NO_UNDEFINED -Wl,-z,defs)
endif()
# Calls of a library's own functions, and of the standard library's templates in it, take no look-up
# at run time: each costs the first search of a process a microsecond.
set(BRAID_BOUND "")
if(BUILD_SHARED_LIBS)
  set(BRAID_BOUND -Wl,-Bsymbolic-functions
    "-Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/exports.map")
endif()

# braid_library(NAME SOURCES ... COLD ... HEADERS ... PUBLIC ... PRIVATE ...)
# One library of the dependency graph, from one set of objects:
# * braid::NAME, which is installed, exported and shows others its public headers alone: HEADERS,
#   which stand in include/braid.
# * braid_internal::NAME, an archive of the same objects for the project's own programs and tests,
#   which also use what braid::NAME hides. Where libraries are static both are the same.
# The sources after COLD spend little time, or spend it elsewhere (in Xapian, in other libraries), so
# they are optimised less, which compiles them in half the time.
function(braid_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;COLD;HEADERS;PUBLIC;PRIVATE" ${ARGN})
  set(objects "")
  foreach(part SOURCES COLD)
    if(NOT ARG_${part})
      continue()
    endif()
    string(TOLOWER "braid_${name}_${part}" target)
    add_library(${target} OBJECT ${ARG_${part}})
    target_link_libraries(${target} PUBLIC ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE} braid_flags)
    target_include_directories(${target} PUBLIC
      "${PROJECT_SOURCE_DIR}/include" "${BRAID_BUILD_INCLUDE}")
    if(part STREQUAL "COLD")
      braid_compile_cold(${target})
    endif()
    braid_unity(${target})
    braid_precompile(${target})
    list(APPEND objects $<TARGET_OBJECTS:${target}>)
  endforeach()

  add_library(braid_${name} ${objects})
  add_library(braid::${name} ALIAS braid_${name})
  target_link_libraries(braid_${name} PUBLIC ${ARG_PUBLIC})
  target_link_options(braid_${name} PRIVATE ${BRAID_NO_UNDEFINED} ${BRAID_BOUND})
  set_target_properties(braid_${name} PROPERTIES
    LINK_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/exports.map")
  set_target_properties(braid_${name} PROPERTIES
    OUTPUT_NAME braid-${name}
    EXPORT_NAME ${name}
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR})
  set(archives braid_${name})
  if(BUILD_SHARED_LIBS)
    set(archives braid_${name} braid_${name}_internal)
    add_library(braid_${name}_internal STATIC ${objects})
    set(internal ${ARG_PUBLIC})
    list(TRANSFORM internal REPLACE "^braid::" "braid_internal::")
    target_link_libraries(braid_${name}_internal PUBLIC ${internal})
    add_library(braid_internal::${name} ALIAS braid_${name}_internal)
  else()
    add_library(braid_internal::${name} ALIAS braid_${name})
  endif()
  foreach(library ${archives})
    set_target_properties(${library} PROPERTIES LINKER_LANGUAGE CXX)
    target_link_libraries(${library} PRIVATE ${ARG_PRIVATE} $<BUILD_INTERFACE:braid_flags>)
    target_compile_features(${library} PUBLIC cxx_std_20)
    target_include_directories(${library} PUBLIC
      $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${BRAID_BUILD_INCLUDE}>
      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  endforeach()
  install(TARGETS braid_${name} EXPORT braid-targets)
  foreach(header ${ARG_HEADERS})
    set_property(GLOBAL APPEND PROPERTY BRAID_INSTALLED_HEADERS "${header}")
    install(FILES "${PROJECT_SOURCE_DIR}/include/braid/${header}"
            DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/braid)
  endforeach()
endfunction()
