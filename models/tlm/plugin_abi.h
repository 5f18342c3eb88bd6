// What a plug-in was compiled with, which has to be what the program was compiled with. It is a section of
// the plug-in's file, so that the program can compare it before any code of the plug-in is executed.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <systemc>
#include <vector>

#include "base/fields.h"
#include "base/statistics.h"
#include "tlm/device.h"
#include "tlm/register.h"

namespace asterism {

struct PluginAbi {
  std::array<char, 16> magic;
  std::uint32_t interface;     // counts the incompatible changes of asterism/device.h
  std::uint32_t compiler;      // __GXX_ABI_VERSION
  std::uint32_t strings;       // _GLIBCXX_USE_CXX11_ABI
  std::uint32_t systemc;       // SYSTEMC_VERSION: a date
  std::uint32_t systemc_mode;  // SC_CPLUSPLUS
  std::array<std::uint32_t, 6> sizes;
};

inline constexpr const char* plugin_section = ".asterism_plugin";
inline constexpr std::array plugin_abi_structures{"DeviceType",   "DeviceShape", "DeviceContext",
                                                  "RegisterBank", "Register",    "Statistics"};
inline constexpr PluginAbi plugin_abi{
    .magic = {'a', 's', 't', 'e', 'r', 'i', 's', 'm', ' ', 'p', 'l', 'u', 'g', '-', 'i', 'n'},
    .interface = 1,
    .compiler = __GXX_ABI_VERSION,
    .strings = _GLIBCXX_USE_CXX11_ABI,
    .systemc = SYSTEMC_VERSION,
    .systemc_mode = SC_CPLUSPLUS,
    .sizes = {sizeof(DeviceType), sizeof(DeviceShape), sizeof(DeviceContext), sizeof(RegisterBank),
              sizeof(Register), sizeof(Statistics)}};

// The types of devices that were registered under a name that another type has. They are not added; whoever
// loads a library with such types finds them here, because nothing may be thrown while it is loaded.
std::vector<std::string> types_registered_twice();

}  // namespace asterism
