# Installs the build in BUILD_DIR below WORK_DIR and builds the program beside this file with it,
# once by find_package and once by pkg-config. Run by ctest: cmake -D... -P check.cmake
file(REMOVE_RECURSE "${WORK_DIR}")
set(prefix "${WORK_DIR}/prefix")

function(run)
  cmake_parse_arguments(ARG "" "OUTPUT" "COMMAND" ${ARGN})
  execute_process(COMMAND ${ARG_COMMAND} RESULT_VARIABLE result OUTPUT_VARIABLE output
                  ERROR_VARIABLE errors)
  if(NOT result EQUAL 0)
    list(JOIN ARG_COMMAND " " command)
    message(FATAL_ERROR "failed (${result}): ${command}\n${output}${errors}")
  endif()
  if(DEFINED ARG_OUTPUT AND NOT output STREQUAL ARG_OUTPUT)
    message(FATAL_ERROR "found the output '${output}', expected '${ARG_OUTPUT}'")
  endif()
endfunction()

run(COMMAND "${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${prefix}")

# The second and third documents have the word, the second twice.
set(expected "2\n3\n")
run(COMMAND "${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}" -B "${WORK_DIR}/cmake"
    -G "${GENERATOR}" "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_CXX_COMPILER=${CXX}"
    "-DCMAKE_CXX_FLAGS=${FLAGS}" -DCMAKE_BUILD_TYPE=Debug)
run(COMMAND "${CMAKE_COMMAND}" --build "${WORK_DIR}/cmake")
run(COMMAND "${WORK_DIR}/cmake/consumer" OUTPUT "${expected}")

# Every module is whole, and none leads outside the prefix it was moved to.
set(ENV{PKG_CONFIG_PATH} "${prefix}/${LIBDIR}/pkgconfig")
file(GLOB modules "${prefix}/${LIBDIR}/pkgconfig/braid-*.pc")
foreach(module ${modules})
  get_filename_component(name "${module}" NAME_WE)
  run(COMMAND pkg-config --print-errors --exists "${name} >= 0.1")
  run(COMMAND pkg-config --cflags --libs ${name})
  file(READ "${module}" text)
  if(text MATCHES "/usr/local")
    message(FATAL_ERROR "${name}.pc names a folder that it was not installed to")
  endif()
endforeach()
# pkg-config escapes the spaces of a path for a shell to read again.
run(COMMAND sh -c "eval \"${CXX} ${FLAGS} -std=c++20 '${CMAKE_CURRENT_LIST_DIR}/main.cpp' \
-o '${WORK_DIR}/consumer' $(pkg-config --cflags --libs braid-plugin braid-config) \
-Wl,-rpath,'${prefix}/${LIBDIR}'\"")
run(COMMAND "${WORK_DIR}/consumer" OUTPUT "${expected}")
run(COMMAND "${prefix}/bin/braid" --version)

# The libraries of `braid with` are found from there, too; sanitizers build none.
if(EXISTS "${prefix}/${LIBDIR}/braid")
  run(COMMAND "${prefix}/bin/braid" with -- sh -c "test -f \"\$LD_PRELOAD\"")
endif()

# Nothing but public headers, and no library of the project's own tests.
file(GLOB_RECURSE headers RELATIVE "${prefix}/include/braid" "${prefix}/include/*")
file(GLOB expected RELATIVE "${CMAKE_CURRENT_LIST_DIR}/../../include/braid"
     "${CMAKE_CURRENT_LIST_DIR}/../../include/braid/*")
if(NOT "${headers}" STREQUAL "${expected}")
  message(FATAL_ERROR "installed the headers ${headers}, expected ${expected}")
endif()
file(GLOB internal "${prefix}/${LIBDIR}/*internal*")
if(internal)
  message(FATAL_ERROR "installed ${internal}")
endif()
file(REMOVE_RECURSE "${WORK_DIR}")
