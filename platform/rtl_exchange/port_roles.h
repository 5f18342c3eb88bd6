// Gives each port of a top module its role in block.json: first the roles that the user names, then those of
// the description, then those that follow from names alone. From a name follows only what no block means
// otherwise: the signals of APB, a clock, a reset with its level, an interrupt line, and the signals of the
// contract. What a port with any other name means is never guessed.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "platform/config/diagnostics.h"
#include "platform/rtl/block_config.h"
#include "platform/rtl/port_list.h"
#include "platform/rtl_exchange/described_block.h"

namespace asterism {

// The claim of "PORT=ROLE"; the origin is the command line. Throws ConfigError.
PortClaim port_claim(const std::string& text);
inline std::string option_of(const PortClaim& claim) { return "--port " + claim.port + "=" + claim.role; }

class PortRoles {
 public:
  PortRoles(const TopModule& top, const DescribedBlock& described) : top_(top), described_(described) {}

  // Ignored if the port has a role already. That the description contradicts itself is a problem.
  void claim(const PortClaim& claim);
  // Claims what follows from names.
  void infer_buses();
  void infer(BlockContract contract);
  // What ports that look like an APB port lack, "psel has no prdata (read_data)"; "" if there are none.
  const std::string& incomplete_bus() const { return incomplete_; }
  bool has_target() const;  // a complete APB port, or a part of one that was claimed

  // Writes clock, reset, idle, next_event and ports to a block, and where each was said. Adds a problem for
  // ports without a role, for several with a role that a block has once, and for a reset without a level.
  void write(nlohmann::ordered_json& block, std::map<std::string, Origin>& said, Diagnostics& problems) const;
  const std::vector<PortClaim>& claims() const { return claims_; }
  // Adds a problem for each bus of a protocol that a block does not have. Returns its ports.
  std::set<std::string> check_foreign_buses(Diagnostics& problems) const;

 private:
  const PortClaim* claim_of(const std::string& port) const;
  bool is_free(const TopPort& port) const { return !claim_of(port.name); }
  void infer_single(const std::string& role, TopPort::Direction direction, const char* names);
  void infer_reset();
  void infer_interrupts();
  bool is_foreign(const std::string& port) const;
  void check(Diagnostics& problems) const;
  void check_that_buses_are_complete(Diagnostics& problems) const;
  void check_that_roles_are_single(Diagnostics& problems) const;

  const TopModule& top_;
  const DescribedBlock& described_;
  std::vector<PortClaim> claims_;
  Diagnostics contradictions_;
  std::string incomplete_;
};

}  // namespace asterism
