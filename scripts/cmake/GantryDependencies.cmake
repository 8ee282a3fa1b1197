# Debian ships these as headers; its own CMake targets for spdlog, fmt and
# toml++ link shared libraries, which a static program cannot use.
function(gantry_header_dependency name header)
  cmake_parse_arguments(arg "" "PACKAGE" "DEFINE" ${ARGN})
  find_path(${name}_dir ${header})
  if(NOT ${name}_dir)
    message(FATAL_ERROR "${header} not found: install ${arg_PACKAGE} (scripts/test does it)")
  endif()
  add_library(${name} INTERFACE)
  target_include_directories(${name} SYSTEM INTERFACE ${${name}_dir})
  target_compile_definitions(${name} INTERFACE ${arg_DEFINE})
endfunction()

gantry_header_dependency(dep_json nlohmann/json.hpp PACKAGE nlohmann-json3-dev)
gantry_header_dependency(dep_toml toml++/toml.h PACKAGE libtomlplusplus-dev
                         # Its other way to a number is a stringstream, which brings up all of
                         # std::locale at every start of the shim.
                         DEFINE TOML_HEADER_ONLY=1 TOML_EXCEPTIONS=0 TOML_FLOAT_CHARCONV=1)
# Its parser asserts what a file may well violate ("[!]") before it reports the same
# as an error, and lets clang's optimiser take it for granted: no shim may abort or
# go astray over that. As options, since CMake drops definitions with parameters.
target_compile_options(dep_toml INTERFACE
  "-DTOML_ASSERT(holds)=static_assert(true)"
  "$<$<CXX_COMPILER_ID:Clang>:-D__builtin_assume(holds)=static_assert(true)>")
gantry_header_dependency(dep_fmt fmt/format.h PACKAGE libfmt-dev DEFINE FMT_HEADER_ONLY=1)
gantry_header_dependency(dep_log spdlog/spdlog.h PACKAGE libspdlog-dev
                         DEFINE SPDLOG_HEADER_ONLY=1 SPDLOG_FMT_EXTERNAL=1 FMT_HEADER_ONLY=1)
gantry_header_dependency(dep_cli CLI/CLI.hpp PACKAGE libcli11-dev)
