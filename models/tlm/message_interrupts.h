// What a controller of message-signalled interrupts and the devices that send them agree on.
#pragma once

#include <cstdint>

namespace asterism {

// Of the range of a controller in which a device writes the number of an interrupt (DeviceTarget::suffix).
inline constexpr const char* message_frame_suffix = "v2m";

namespace dt {

inline constexpr std::uint32_t message_frame = 0x8002;  // the phandle of this range's node

}  // namespace dt
}  // namespace asterism
