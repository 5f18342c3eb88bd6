// An ideal crossbar: every access takes the same latency, nothing contends.
#pragma once

#include "fabric/decoding_interconnect.h"
#include "fabric/fabric_config.h"

namespace asterism {

class Crossbar final : public DecodingInterconnect {
 public:
  Crossbar(const sc_core::sc_module_name& name, const FabricConfig& config);

  void reset(Reset) override {}  // holds no state between accesses

 private:
  void travel(int master, const Entry& entry, tlm::tlm_generic_payload& payload,
              sc_core::sc_time& delay) override;
  void find_nobody(sc_core::sc_time& delay) override { delay += latency_; }

  sc_core::sc_time latency_;
};

}  // namespace asterism
