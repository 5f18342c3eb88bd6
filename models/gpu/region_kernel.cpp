#include "gpu/region_kernel.h"

#include <algorithm>

#include "base/random.h"

namespace asterism {

RegionKernel::RegionKernel(const RegionKernelArguments& arguments, std::uint32_t pipelines)
    : arguments_(arguments), lines_(arguments.bytes / line / pipelines), next_(pipelines) {}

std::size_t RegionKernel::next(std::uint32_t pipeline, std::span<DeviceAccess> accesses) {
  const Random random(arguments_.seed ^ std::uint64_t{pipeline} << 32);
  std::uint64_t& at = next_[pipeline];
  const auto count = std::min<std::uint64_t>(accesses.size(), arguments_.accesses - at);
  for (DeviceAccess& access : accesses.first(count)) {
    const std::uint64_t place =
        arguments_.pattern == RegionKernelArguments::Pattern::random ? random.at(2 * at) : at;
    access.gap = arguments_.gap;
    access.address = arguments_.first + (pipeline * lines_ + place % lines_) * line;
    access.size = line;
    access.write = random.at(2 * at + 1) % 1000 < arguments_.writes;
    ++at;
  }
  return count;
}

}  // namespace asterism
