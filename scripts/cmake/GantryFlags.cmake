# Warnings and hardening, as one interface target.
add_library(gantry_flags INTERFACE)
target_compile_options(gantry_flags INTERFACE
  -Wall -Wextra -Wpedantic
  # gcc 12 sees overlapping copies in every std::string + std::string (its bug 105329).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wshadow=local>
  # std::stable_sort of gcc 12's library uses what C++17 deprecated, and clang says so here.
  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-deprecated-declarations>
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual>
  $<$<BOOL:${GANTRY_WERROR}>:-Werror>
  -fstack-protector-strong -fstack-clash-protection
  -ffunction-sections -fdata-sections)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_compile_options(gantry_flags INTERFACE -fcf-protection)
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Release" OR CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo")
  target_compile_options(gantry_flags INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
endif()
target_link_options(gantry_flags INTERFACE
  -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack -Wl,--gc-sections)

# Programs that engines run with privilege carry everything with them: they
# work in any mount namespace and no library path can reach into them.
add_library(gantry_program INTERFACE)
target_link_libraries(gantry_program INTERFACE gantry_flags)
if(GANTRY_STATIC)
  target_link_options(gantry_program INTERFACE -static-pie)
endif()
