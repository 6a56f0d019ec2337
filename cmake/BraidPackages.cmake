# Eigen 5 refuses a request for 3.4, so the version is compared here.
find_package(Eigen3 REQUIRED NO_MODULE)
if(Eigen3_VERSION VERSION_LESS 3.4)
  message(FATAL_ERROR "found Eigen ${Eigen3_VERSION} in ${Eigen3_DIR}, expected 3.4 or later")
endif()
find_package(ZLIB REQUIRED)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(xapian REQUIRED IMPORTED_TARGET GLOBAL xapian-core>=1.4.18)

# yaml-cpp 0.7 exports its target without a namespace.
if(NOT TARGET yaml-cpp::yaml-cpp)
  add_library(yaml-cpp::yaml-cpp ALIAS yaml-cpp)
endif()
