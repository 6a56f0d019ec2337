include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/braid)
install(EXPORT braid-targets NAMESPACE braid:: DESTINATION ${package_dir})
configure_package_config_file(cmake/braid-config.cmake.in
  "${PROJECT_BINARY_DIR}/braid-config.cmake" INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file("${PROJECT_BINARY_DIR}/braid-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/braid-config.cmake"
              "${PROJECT_BINARY_DIR}/braid-config-version.cmake" DESTINATION ${package_dir})

# From a module's file to the prefix, so that an installation can be moved.
file(RELATIVE_PATH PC_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" PC_PREFIX "${PC_PREFIX}")

# braid_pkgconfig(NAME "description" "modules it requires" "modules its libraries need privately")
function(braid_pkgconfig name description requires requires_private)
  set(PC_NAME ${name})
  set(PC_DESCRIPTION "${description}")
  set(PC_REQUIRES "${requires}")
  # Shared objects know what they need; only who links archives has to have it too.
  set(PC_REQUIRES_PRIVATE "")
  if(NOT BUILD_SHARED_LIBS)
    set(PC_REQUIRES_PRIVATE "${requires_private}")
  endif()
  configure_file(cmake/braid.pc.in "${PROJECT_BINARY_DIR}/braid-${name}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/braid-${name}.pc"
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
braid_pkgconfig(core "Braid: measures, rankers and models" "" "eigen3")
braid_pkgconfig(config "Braid: YAML settings and models" "braid-core" "yaml-cpp")
braid_pkgconfig(store "Braid: what is kept in a Xapian database" "braid-core xapian-core" "")
braid_pkgconfig(plugin "Braid: ranking at query time" "braid-store" "")
braid_pkgconfig(training "Braid: what learners learn from" "braid-plugin" "")
braid_pkgconfig(formats "Braid: readers of documents, queries, judgements and runs" "braid-core" "zlib")
braid_pkgconfig(indexer "Braid: ranking at index time" "braid-formats braid-store" "")

install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
