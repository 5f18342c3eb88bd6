// The memory controllers as a device of a node: what its configuration says before it is built.
#include <fmt/format.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <filesystem>
#include <stdexcept>

#include "base/counted.h"
#include "memory/dram_system.h"
#include "memory/memory_controller.h"

namespace asterism {
namespace {

const RegisteredDevice<MemoryController> memory_type{
    "memory", "A memory: DRAM behind its controllers, with an error-correcting code."};

// Faults are modelled for ranks of 18 chips of four bits and of DDR5 only; "" for such a part.
std::string fault_limit(const MemoryConfig& config, const DramPart& part) {
  if (suits_code(config.ecc, part)) return "";
  return fmt::format(
      "{} has {} of {} bits in a rank, but memory faults are modelled only for 18 chips of 4 bits, and for "
      "ranks of DDR5 with ecc_rank_code",
      config.dram.part, counted(part.chips_per_rank(), "chip"), part.width);
}

// What is wrong with the curves of a contended memory; "" if nothing is.
std::string curves_problem(const MemoryConfig& config, const MemoryController::Parts& parts) {
  if (config.fidelity != MemoryFidelity::contended) return "";
  const std::string name = curves_name(config),
                    part = std::filesystem::path(config.dram.part).stem().string();
  if (!parts.curves)
    return fmt::format(
        "fidelity=contended needs the curves of {0}, and there is no configs/dram_curves/{1}.json: "
        "`asterism fit {2} --out configs/dram_curves/{1}.json` makes them",
        part, name, config.dram.part);
  if (parts.curves->part != part)
    return fmt::format("configs/dram_curves/{}.json has the curves of {}, and the part is {}", name,
                       parts.curves->part, part);
  if (parts.curves->digest == curves_digest(parts.dram)) return "";
  return fmt::format(
      "the part {0} has changed since the curves in configs/dram_curves/{1}.json were fitted: `asterism fit "
      "{0} --out FILE` makes them again",
      config.dram.part, name);
}

}  // namespace

struct MemoryController::Unconnected {
  tlm_utils::simple_initiator_socket<Unconnected> initiator{"unconnected_registers"};
  sc_core::sc_signal<bool, sc_core::SC_UNCHECKED_WRITERS> wire{"unconnected_interrupt"};
};

MemoryController::~MemoryController() = default;

MemoryController::Parts MemoryController::load(const MemoryConfig& config, DeviceFiles& files) {
  Parts parts{.dram = files.load<DramPart>("dram", config.dram.part), .curves = {}};
  if (config.fidelity == MemoryFidelity::contended && files.has("dram_curves", curves_name(config)))
    parts.curves = files.load<DramCurves>("dram_curves", curves_name(config));
  return parts;
}

DeviceShape MemoryController::shape(const MemoryConfig& config, const NodeFacts&) {
  const DramConfig& dram = config.dram;
  DeviceShape shape{.targets = {{.size = config.size}},
                    .is_memory = true,
                    .is_offered = config.is_offered,
                    .parts = {fmt::format("{} of {}", counted(dram.controllers, "controller"),
                                          counted(dram.channels, "channel")),
                              dram.part, fmt::format("ECC {}", to_text(config.ecc.mode))}};
  if (!config.registers) return shape;
  shape.targets.push_back({.suffix = "_controller",
                           .registers = std::make_shared<MemoryRegisters>(),
                           .own_key = "registers",
                           .own_base = config.registers->base});
  shape.interrupts = {{"registers", config.registers->interrupt}};
  return shape;
}

std::vector<RtlUse> MemoryController::rtl(const MemoryConfig& config, const NodeView&) {
  RtlUse use{.block = "codec",
             .key = "codec",
             .contract = "codec",
             .swap = swap_settings(config.codec),
             .parameters = {{"Profile", static_cast<std::uint64_t>(config.ecc.profile)}}};
  if (config.ecc.rank_code) {
    use.contract = "rank_codec";
    use.parameters = {{"Code", static_cast<std::uint64_t>(*config.ecc.rank_code)}};
  }
  return {std::move(use)};
}

void MemoryController::check(const MemoryConfig& config, const Parts& parts, const NodeView&,
                             const DevicePlace& place, DeviceProblems& problems) {
  const DramPart& part = parts.dram;
  if (const std::string problem = curves_problem(config, parts); !problem.empty())
    problems.add(config.curves ? "curves" : "part", problem);
  if (config.fabric_nodes == ControllerNodes::each && place.instance != "memory")
    problems.add("fabric_nodes", "is one except in the main memory");
  if (!config.is_offered && place.instance == main_memory)
    problems.add("in_device_tree", "is true for the main memory");
  const std::string no_faults = fault_limit(config, part);
  if (config.ecc.fit_per_device != 0 && !no_faults.empty()) problems.add("fit_per_device", no_faults);
  if (const auto problem = part_problem(config.dram, part)) {
    problems.add(std::string(problem->key), problem->words);
    return;
  }
  try {
    const DramSystem system(config.dram, part, config.size);
    if (const auto problem = ecc_problem(config.ecc, config.dram.part, part, system.mapping().geometry()))
      problems.add(std::string(problem->key), problem->words);
  } catch (const std::invalid_argument& error) {
    problems.add("size", error.what());
  }
}

std::optional<FaultCheck<MemoryFault>::Problem> MemoryController::problem_of(const MemoryConfig& config,
                                                                             const Parts& parts,
                                                                             const MemoryFault& fault) {
  const DramPart& part = parts.dram;
  using Problem = FaultCheck<MemoryFault>::Problem;
  if (const std::string limit = fault_limit(config, part); !limit.empty()) return Problem{"", limit};
  const DramSystem system(config.dram, part, config.size);
  const std::string problem =
      fault_problem(fault, system.mapping().geometry(), part.rows(), config.ecc.shape());
  if (problem.empty()) return std::nullopt;
  return Problem{"", "the fault " + problem + ", counted from 0"};
}

std::vector<DeviceTreeNode> MemoryController::device_tree(const MemoryConfig& config,
                                                          const DevicePlace& place) {
  DeviceTreeNode memory{dt::node_name("memory", place.range())};
  memory.set("device_type", {"memory"}).set("reg", dt::reg(place.range()));
  std::vector<DeviceTreeNode> nodes;
  if (config.is_offered) nodes.push_back(std::move(memory));
  if (!config.registers) return nodes;
  const DevicePlace registers{place.instance, {place.ranges.at(1)}, place.interrupts};
  nodes.push_back(device_tree_node("memory-controller", {"asterism,memory-controller"}, registers));
  return nodes;
}

MemoryController::MemoryController(const sc_core::sc_module_name& name, const MemoryConfig& config,
                                   const Parts& parts, const DeviceContext& context)
    : MemoryController(name,
                       {.config = config,
                        .part = parts.dram,
                        .base = context.place.range().first,
                        .seed = context.seed,
                        .curves = parts.curves},
                       context.ports, context.events) {
  if (config.registers) return;
  unconnected_ = std::make_unique<Unconnected>();
  unconnected_->initiator.bind(target);
  interrupt.bind(unconnected_->wire);
}

std::vector<tlm::tlm_target_socket<>*> MemoryController::targets() {
  if (!config_.registers) return {&ports[0]};
  return {&ports[0], &target};
}

std::vector<sc_core::sc_out<bool>*> MemoryController::interrupts() {
  if (!config_.registers) return {};
  return {&interrupt};
}

}  // namespace asterism
