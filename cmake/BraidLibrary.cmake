# Headers are included as "braid/core/base/error.h" inside the project and by its users alike. In the
# build tree a folder of links stands for the installed include directory.
set(BRAID_BUILD_INCLUDE "${PROJECT_BINARY_DIR}/include")
file(MAKE_DIRECTORY "${BRAID_BUILD_INCLUDE}/braid")
foreach(folder core config plugin indexer cli tests bench)
  file(CREATE_LINK "${PROJECT_SOURCE_DIR}/${folder}" "${BRAID_BUILD_INCLUDE}/braid/${folder}" SYMBOLIC)
endforeach()

# braid_library(NAME FOLDER folder SOURCES ... HEADERS ... PUBLIC ... PRIVATE ...)
# One library of the dependency graph: braid_NAME, exported and used as braid::NAME.
# HEADERS are what is installed; a header that is not listed there is private to the library.
function(braid_library name)
  cmake_parse_arguments(ARG "" "FOLDER" "SOURCES;HEADERS;PUBLIC;PRIVATE" ${ARGN})
  add_library(braid_${name} ${ARG_SOURCES})
  add_library(braid::${name} ALIAS braid_${name})
  set_target_properties(braid_${name} PROPERTIES
    OUTPUT_NAME braid-${name}
    EXPORT_NAME ${name}
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR})
  target_compile_features(braid_${name} PUBLIC cxx_std_20)
  target_include_directories(braid_${name} PUBLIC
    $<BUILD_INTERFACE:${BRAID_BUILD_INCLUDE}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(braid_${name} PUBLIC ${ARG_PUBLIC}
    PRIVATE ${ARG_PRIVATE} $<BUILD_INTERFACE:braid_flags>)
  braid_unity(braid_${name})
  braid_precompile(braid_${name})
  install(TARGETS braid_${name} EXPORT braid-targets)
  foreach(header ${ARG_HEADERS})
    get_filename_component(folder "${header}" DIRECTORY)
    set_property(GLOBAL APPEND PROPERTY BRAID_INSTALLED_HEADERS "${ARG_FOLDER}/${header}")
    install(FILES ${header}
            DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/braid/${ARG_FOLDER}/${folder})
  endforeach()
endfunction()
