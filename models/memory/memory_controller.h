// The memory controller: serves any number of masters from one DRAM, each access after a fixed latency.
//
// Ports are sockets of equal rank (the fabric, the DIMM-SSD, ...); addresses are offsets into the DRAM.
// Direct memory access covers the whole DRAM. Contents live in the engine (memory/dram.h) and follow its
// reset contract; after a reset that loses them, pointers granted earlier stay valid and show the new
// contents. While power is off (between reset(power_loss) and power_up) accesses answer GENERIC_ERROR.
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <systemc>
#include <tlm>

#include "base/statistics.h"
#include "memory/dram.h"
#include "memory/memory_config.h"

namespace asterism {

class MemoryController : public sc_core::sc_module {
 public:
  using Port = tlm_utils::simple_target_socket<MemoryController>;
  sc_core::sc_vector<Port> ports{"port"};

  MemoryController(const sc_core::sc_module_name& name, const MemoryConfig& config, std::uint64_t seed,
                   unsigned port_count);

  void reset(Reset kind);
  void power_up() { powered_ = true; }
  Dram& dram() { return dram_; }
  void report(Statistics& statistics) const;

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& payload);
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
  void transfer(tlm::tlm_generic_payload& payload);

  Dram dram_;
  sc_core::sc_time latency_;
  bool powered_ = true;
  std::uint64_t reads_ = 0, writes_ = 0, bytes_read_ = 0, bytes_written_ = 0;
};

}  // namespace asterism
