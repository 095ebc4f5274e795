# Every library comes from an installed package; docs/dependencies.md lists them with versions and licences.
# A library that stands elsewhere is found through -DCMAKE_PREFIX_PATH=<where it is installed>.
function(hbmscope_require package version debian_package)
  find_package(${package} ${version} QUIET)
  if(NOT ${package}_FOUND)
    message(FATAL_ERROR
      "${package} >= ${version} was not found. Install ${debian_package} (scripts/install_dependencies does it on "
      "Debian), or name the folder where it is installed: -DCMAKE_PREFIX_PATH=<folder>.")
  endif()
  message(STATUS "${package} ${${package}_VERSION}")
endfunction()

set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)
find_package(Threads REQUIRED)
hbmscope_require(fmt 9.0 libfmt-dev)
hbmscope_require(tomlplusplus 3.2 libtomlplusplus-dev)
hbmscope_require(CLI11 2.1 libcli11-dev)
hbmscope_require(nlohmann_json 3.11 nlohmann-json3-dev)
if(HBMSCOPE_TESTS)
  hbmscope_require(GTest 1.12 "libgtest-dev and libgmock-dev")
  hbmscope_require(rapidcheck "" librapidcheck-dev)
endif()
if(HBMSCOPE_BENCH)
  hbmscope_require(benchmark 1.7 libbenchmark-dev)
endif()
