// A sequential program on the host, without parts, ranks and cores, that trains what the app `training` does.
#pragma once

#include <cstdint>
#include <string>

namespace asterism {

// The bits of the losses of all steps, as result.txt has them, with the seed 1.
std::string losses_on_the_host(std::uint64_t steps, unsigned ranks, std::uint32_t samples,
                               std::uint32_t hidden);

}  // namespace asterism
