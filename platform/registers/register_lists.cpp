#include "platform/registers/register_lists.h"

#include "devices/gic400.h"
#include "devices/gicv3_module.h"
#include "devices/pl011.h"
#include "devices/pl031.h"
#include "devices/power_controller.h"
#include "dimm_ssd/dimm_ssd_registers.h"
#include "gpu/gpu_registers.h"
#include "memory/memory_registers.h"
#include "nic/nic_registers.h"
#include "pcram/pcram_registers.h"

namespace asterism {

RegisterLists register_lists(unsigned gpus) {
  return {
      {"gicd", std::make_shared<GicDistributorRegisters>()},
      {"gicc", std::make_shared<GicCpuRegisters>()},
      {"gicv3d", std::make_shared<GicV3DistributorRegisters>()},
      {"gicr", std::make_shared<GicV3RedistributorRegisters>()},
      {"gicr2", std::make_shared<GicV3RedistributorRegisters>()},
      {"uart0", std::make_shared<Pl011Registers>()},
      {"rtc", std::make_shared<Pl031Registers>()},
      {"power", std::make_shared<PowerRegisters>()},
      {"memory_controller", std::make_shared<MemoryRegisters>()},
      {"dimm_ssd", std::make_shared<DimmSsdRegisters>()},
      {"gpu", std::make_shared<GpuRegisters>(gpus)},
      {"pcram", std::make_shared<PcramRegisters>()},
      {"nic", std::make_shared<NicRegisters>()},
  };
}

}  // namespace asterism
