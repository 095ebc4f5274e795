# `cmake --install`: the program, its configuration files, and the model as a library: find_package(hbmscope), target
# hbmscope::sim, #include "sim/...".
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/hbmscope)
set_target_properties(hbmscope_sim PROPERTIES EXPORT_NAME sim)
target_include_directories(hbmscope_sim INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/hbmscope>)
target_compile_features(hbmscope_sim INTERFACE cxx_std_20)

install(TARGETS hbmscope_sim hbmscope_warnings EXPORT hbmscope-targets)
install(EXPORT hbmscope-targets NAMESPACE hbmscope:: DESTINATION ${package_dir})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/sim DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/hbmscope
        FILES_MATCHING PATTERN "*.h")
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/hbmscope-config.cmake.in
  ${PROJECT_BINARY_DIR}/hbmscope-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/hbmscope-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/hbmscope-config.cmake ${PROJECT_BINARY_DIR}/hbmscope-config-version.cmake
        DESTINATION ${package_dir})

if(TARGET hbmscope)
  install(TARGETS hbmscope)
endif()
if(EXISTS ${PROJECT_SOURCE_DIR}/configs)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/configs DESTINATION ${CMAKE_INSTALL_DATADIR}/hbmscope)
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
