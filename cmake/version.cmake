# hbmscope::version gives "hbmscope/version.h". The commit is looked up at every build, so it never goes stale, and
# the header is rewritten only when it changed.
set(version_header_dir ${PROJECT_BINARY_DIR}/generated)
set(version_header ${version_header_dir}/hbmscope/version.h)
add_custom_target(hbmscope_version_header
  COMMAND ${CMAKE_COMMAND}
          -D SOURCE_DIR=${PROJECT_SOURCE_DIR} -D VERSION=${PROJECT_VERSION} -D HEADER=${version_header}
          -P ${PROJECT_SOURCE_DIR}/cmake/write_version.cmake
  BYPRODUCTS ${version_header}
  COMMENT "Looking up the version"
  VERBATIM)
add_library(hbmscope_version INTERFACE)
add_library(hbmscope::version ALIAS hbmscope_version)
add_dependencies(hbmscope_version hbmscope_version_header)
target_include_directories(hbmscope_version INTERFACE ${version_header_dir})
