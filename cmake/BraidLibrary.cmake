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

# braid_library(NAME [COLD] SOURCES ... HEADERS ... PUBLIC ... PRIVATE ...)
# One library of the dependency graph, from one set of objects:
# * braid::NAME, which is installed, exported and shows others its public headers alone: HEADERS,
#   which stand in include/braid.
# * braid_internal::NAME, an archive of the same objects for the project's own programs and tests,
#   which also use what braid::NAME hides. Where libraries are static both are the same.
# A COLD library spends its time elsewhere (in Xapian, in core, in reading), so it is compiled at -O1,
# which takes a third less time.
function(braid_library name)
  cmake_parse_arguments(ARG "COLD" "" "SOURCES;HEADERS;PUBLIC;PRIVATE" ${ARGN})
  set(objects braid_${name}_objects)
  add_library(${objects} OBJECT ${ARG_SOURCES})
  target_link_libraries(${objects} PUBLIC ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE} braid_flags)
  target_compile_features(${objects} PUBLIC cxx_std_20)
  target_include_directories(${objects} PUBLIC
    "${PROJECT_SOURCE_DIR}/include" "${BRAID_BUILD_INCLUDE}")
  if(ARG_COLD)
    braid_compile_cold(${objects})
  endif()
  braid_unity(${objects})
  braid_precompile(${objects})

  add_library(braid_${name} $<TARGET_OBJECTS:${objects}>)
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
    add_library(braid_${name}_internal STATIC $<TARGET_OBJECTS:${objects}>)
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
