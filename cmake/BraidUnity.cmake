# Compiles several sources of a target as one. Most of the time of a sanitized build goes to headers
# and to templates that every source instantiates; a group of sources pays for them once.
#
# Sources may use one name twice in their unnamed namespaces, but a group may not. So this reads the
# names in the unnamed namespaces: two sources of a group share none of them, and a source stays
# alone if it hides a name of a header of the project, defines macros, has template tests or calls
# quoted(), since std::quoted matches better where <filesystem> is included.
#
# Libraries precompile the headers that most of their sources include, too. A build with size 0 does
# neither for them, and so shows whether each source includes what it needs.
set(BRAID_UNITY_SIZE 0 CACHE STRING "Most sources that are compiled as one; 0 compiles each alone")

# The names that the lines of `text` define which begin in their first column.
function(braid_names_of text out)
  string(REGEX MATCHALL "\n[A-Za-z][^\n]*" lines "${text}")
  list(FILTER lines EXCLUDE REGEX "^\n(namespace|using namespace|template|extern|TEST_CASE|BRAID_)")
  list(TRANSFORM lines REPLACE
    "^\n(struct|class|enum class|enum) (BRAID_[A-Z_]+ )?([A-Za-z0-9_]+)([^A-Za-z0-9_:]|$).*" "\\3")
  list(TRANSFORM lines REPLACE "^\nusing ([A-Za-z0-9_]+) =.*" "\\1")
  list(TRANSFORM lines REPLACE "^\n[^({=]*[ *&]([A-Za-z0-9_]+) *[({=].*" "\\1")
  list(FILTER lines INCLUDE REGEX "^[A-Za-z0-9_]+$")
  set(${out} "${lines}" PARENT_SCOPE)
endfunction()

# A file's text without the characters that CMake's lists give a meaning to.
function(braid_read_text file out)
  file(READ "${file}" text)
  string(REGEX REPLACE "[][;\\\\]" "=" text "${text}")
  set(${out} "\n${text}" PARENT_SCOPE)
endfunction()

# The names in unnamed namespaces of `text`.
function(braid_hidden_names text out)
  set(names "")
  while(TRUE)
    string(FIND "${text}" "\nnamespace {\n" begin)
    if(begin EQUAL -1)
      break()
    endif()
    string(SUBSTRING "${text}" ${begin} -1 text)
    string(FIND "${text}" "\n}  // namespace\n" end)
    string(SUBSTRING "${text}" 0 ${end} inside)
    braid_names_of("${inside}" found)
    list(APPEND names ${found})
    string(SUBSTRING "${text}" 1 -1 text)
  endwhile()
  set(${out} "${names}" PARENT_SCOPE)
endfunction()

# The names that headers of the project define.
function(braid_header_names out)
  get_property(names GLOBAL PROPERTY BRAID_HEADER_NAMES)
  if(NOT names)
    foreach(folder core config plugin indexer cli tests bench)
      file(GLOB_RECURSE headers "${PROJECT_SOURCE_DIR}/${folder}/*.h")
      foreach(header ${headers})
        braid_read_text("${header}" text)
        braid_names_of("${text}" found)
        list(APPEND names ${found})
      endforeach()
    endforeach()
    list(REMOVE_DUPLICATES names)
    set_property(GLOBAL PROPERTY BRAID_HEADER_NAMES "${names}")
  endif()
  set(${out} "${names}" PARENT_SCOPE)
endfunction()

# Whether two lists share an element.
function(braid_share first second out)
  set(${out} FALSE PARENT_SCOPE)
  foreach(name ${first})
    if(name IN_LIST second)
      set(${out} TRUE PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# The first group with room for a source of these names; reads the groups of the caller.
function(braid_unity_group names groups out)
  foreach(group RANGE 0 ${groups})
    list(LENGTH members_${group} size)
    braid_share("${names}" "${names_${group}}" shared)
    if(NOT shared AND size LESS BRAID_UNITY_SIZE)
      set(${out} ${group} PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

function(braid_unity target)
  if(BRAID_UNITY_SIZE LESS 2)
    return()
  endif()
  braid_header_names(header_names)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  set(groups 0)
  foreach(source ${sources})
    get_filename_component(path "${source}" ABSOLUTE)
    if(NOT EXISTS "${path}")
      continue()
    endif()
    braid_read_text("${path}" text)
    braid_hidden_names("${text}" names)
    braid_share("${names}" "${header_names}" hides)
    if(hides OR text MATCHES "\n(#define|TEMPLATE_)|[ (]quoted\\(")
      set_source_files_properties("${source}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION TRUE)
      continue()
    endif()
    braid_unity_group("${names}" ${groups} group)
    if(group EQUAL groups)
      math(EXPR groups "${groups} + 1")
    endif()
    list(APPEND names_${group} ${names})
    list(APPEND members_${group} "${source}")
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "group${group}")
  endforeach()
  # g++ takes a source inside a group for a header, whose unnamed namespaces would be a mistake.
  target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# Precompiles what the libraries that a target is linked with make expensive to include.
function(braid_precompile target)
  if(BRAID_UNITY_SIZE LESS 2)
    return()
  endif()
  set(headers <algorithm> <functional> <map> <memory> <string> <vector> <fmt/format.h>)
  get_target_property(libraries ${target} LINK_LIBRARIES)
  if(libraries MATCHES "Eigen")
    list(APPEND headers <Eigen/Dense>)
  endif()
  if(libraries MATCHES "xapian|braid::(store|plugin)")
    list(APPEND headers <xapian.h>)
  endif()
  target_precompile_headers(${target} PRIVATE ${headers})
endfunction()
