# hbmscope::warnings: what every target of ours compiles with. BUILD_INTERFACE keeps it out of the installed package.
add_library(hbmscope_warnings INTERFACE)
add_library(hbmscope::warnings ALIAS hbmscope_warnings)
set_target_properties(hbmscope_warnings PROPERTIES EXPORT_NAME warnings)
target_compile_options(hbmscope_warnings INTERFACE
  "$<BUILD_INTERFACE:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion;-Wsign-conversion;-Werror>"
  # Designated initialisers leave out the fields that keep their default.
  "$<BUILD_INTERFACE:-Wno-missing-field-initializers>")

# Sanitizers must be in every object and in the link, so they are set for the whole tree.
if(HBMSCOPE_SANITIZE)
  add_compile_options(-fsanitize=${HBMSCOPE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${HBMSCOPE_SANITIZE})
  # Sanitizers make g++ report what is initialised; its manual says so under -fsanitize.
  target_compile_options(hbmscope_warnings INTERFACE
    "$<BUILD_INTERFACE:$<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>>")
endif()
