# gantry-probe: a static part that works in any image, and inside it a dynamic
# part that runs under the image's own loader. Neither links the C++ library.
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  message(FATAL_ERROR "gantry-probe starts itself by assembly: x86-64 only so far "
                      "(lib/probe/inside/dynamic/start.S)")
endif()
# Also keeps CMake from adding libstdc++ to a target that C links.
set(CMAKE_CXX_IMPLICIT_LINK_LIBRARIES "")

set(inside ${CMAKE_SOURCE_DIR}/lib/probe/inside)
file(GLOB probe_shared CONFIGURE_DEPENDS ${inside}/*.cpp)
file(GLOB probe_static CONFIGURE_DEPENDS ${inside}/static/*.cpp)
file(GLOB probe_dynamic CONFIGURE_DEPENDS ${inside}/dynamic/*.cpp)

add_library(gantry_probe_part INTERFACE)
target_include_directories(gantry_probe_part INTERFACE ${CMAKE_SOURCE_DIR}/lib)
target_compile_options(gantry_probe_part INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions;-fno-rtti;-fno-threadsafe-statics>)

# The libraries are named one by one: before 2.34 dlopen is in libdl, and a
# program that did not start with libpthread makes some vendor libraries fail.
add_executable(gantry-probe-dynamic ${probe_shared} ${probe_dynamic} ${inside}/dynamic/start.S)
target_link_libraries(gantry-probe-dynamic PRIVATE gantry_probe_part gantry_flags gantry_kernels)
# A sanitizer's library is in no image.
target_compile_options(gantry-probe-dynamic PRIVATE -fno-sanitize=all -fPIE)
target_link_options(gantry-probe-dynamic PRIVATE
  -fno-sanitize=all -pie -nostartfiles -s
  -Wl,--no-as-needed -l:libdl.so.2 -l:libpthread.so.0 -Wl,--as-needed)
set(dynamic_folder ${CMAKE_CURRENT_BINARY_DIR}/inside)
set_target_properties(gantry-probe-dynamic PROPERTIES
  LINKER_LANGUAGE C RUNTIME_OUTPUT_DIRECTORY ${dynamic_folder})

add_executable(gantry-probe gantry_probe.cpp ${probe_shared} ${probe_static}
               ${inside}/static/embedded.S)
target_link_libraries(gantry-probe PRIVATE gantry_probe_part gantry_flags)
# Static in every build: a loader of its own would obey the LD_ variables that it
# is there to clear, and a sanitizer needs that loader.
target_compile_options(gantry-probe PRIVATE -fno-sanitize=all -fPIE)
target_link_options(gantry-probe PRIVATE -fno-sanitize=all -static-pie)
target_compile_definitions(gantry-probe PRIVATE
  GANTRY_DYNAMIC_PART="${dynamic_folder}/gantry-probe-dynamic")
set_source_files_properties(${inside}/static/embedded.S PROPERTIES
  OBJECT_DEPENDS ${dynamic_folder}/gantry-probe-dynamic)
add_dependencies(gantry-probe gantry-probe-dynamic)
set_target_properties(gantry-probe PROPERTIES LINKER_LANGUAGE C)
