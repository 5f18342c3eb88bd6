#include "devices/external.h"

#include <fmt/format.h>

#include <utility>

#include "tlm/log.h"

namespace asterism {
namespace {

constexpr std::uint32_t most_masters = 16, most_lines = 64;

const RegisteredDevice<External> external_type{
    "external", "The place of a module that a program with the node in its own sc_main binds from outside."};

template <class Socket>
bool is_connected(Socket& socket) {
  return socket.get_base_port().get_interface() != nullptr;
}

}  // namespace

static_assert(member_count<ExternalConfig>() == 4);
void describe(Fields& f, ExternalConfig& c) {
  f("size", c.size, "The range of addresses that the module answers; 0B: it has none, and no base.",
    within(0_B, 1_TiB));
  f("masters", c.masters, "How many buses it has on which it accesses the node's interconnect.",
    within(0, most_masters));
  f("lines", c.lines, "How many interrupt lines it drives.", within(0, most_lines));
  f("compatible", c.compatible,
    "What it is compatible with in the device tree. Without it, software does not find it there.");
  f.check(c.size.count() % 4096 == 0, "size", "is a multiple of 4 KiB");
}

DeviceShape External::shape(const Config& config, const NodeFacts&) {
  DeviceShape shape;
  if (config.size != 0_B) shape.targets.push_back({.size = config.size});
  shape.initiators.resize(config.masters);
  shape.interrupts.resize(config.lines);
  return shape;
}

std::vector<DeviceTreeNode> External::device_tree(const Config& config, const DevicePlace& place) {
  if (config.compatible.empty()) return {};
  return {device_tree_node(place.instance, config.compatible, place)};
}

External::External(const sc_core::sc_module_name& name, const Config& config, const DeviceContext& context)
    : sc_module(name),
      masters("master", config.masters),
      lines("line", config.lines),
      to_node_("to_node", config.masters),
      interrupts_("interrupt", config.lines),
      buses_(context.masters.begin(), context.masters.end()),
      own_accesses_(config.masters) {
  if (config.size != 0_B) {
    from_node_.emplace("from_node");
    from_node_->register_b_transport(this, &External::accept);
    from_node_->register_transport_dbg(this, &External::debug);
    from_node_->register_get_direct_mem_ptr(this, &External::grant);
  }
  target.register_invalidate_direct_mem_ptr(this, &External::invalidate);
  for (unsigned i = 0; i < config.masters; ++i) {
    const int tag = static_cast<int>(i);
    masters[i].register_b_transport(this, &External::access, tag);
    masters[i].register_transport_dbg(this, &External::access_for_debug, tag);
    masters[i].register_get_direct_mem_ptr(this, &External::ask_for_grant, tag);
    to_node_[i].register_invalidate_direct_mem_ptr(this, &External::withdraw, tag);
  }
  sc_core::sc_spawn_options options;
  options.spawn_method();
  options.dont_initialize();
  for (const auto& line : lines) options.set_sensitivity(&line.value_changed_event());
  if (config.lines > 0)
    sc_core::sc_spawn([this] { pass_on_lines(); }, sc_core::sc_gen_unique_name("lines"), &options);
}

std::vector<tlm::tlm_target_socket<>*> External::targets() {
  if (!from_node_) return {};
  return {&*from_node_};
}

std::vector<sc_core::sc_out<bool>*> External::interrupts() {
  std::vector<sc_core::sc_out<bool>*> all;
  for (auto& interrupt : interrupts_) all.push_back(&interrupt);
  return all;
}

std::vector<tlm::tlm_initiator_socket<>*> External::initiators() {
  std::vector<tlm::tlm_initiator_socket<>*> all;
  for (auto& master : to_node_) all.push_back(&master);
  return all;
}

void External::report(Statistics& statistics) const {
  if (from_node_) statistics.add("accesses", accesses_);
  for (std::size_t i = 0; i < own_accesses_.size(); ++i)
    statistics.add(fmt::format("master{}_accesses", i), own_accesses_[i]);
}

void External::pass_on_lines() {
  for (std::size_t i = 0; i < lines.size(); ++i) interrupts_[i].write(lines[i].read());
}

// ---- from the node to the module ----

void External::accept(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  ++accesses_;
  if (is_connected(target)) return module_.access(*target.operator->(), payload, delay);
  if (!std::exchange(has_warned_, true)) log(this->name()).warn("nothing is bound to it");
  payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

unsigned External::debug(tlm::tlm_generic_payload& payload) {
  return is_connected(target) ? target->transport_dbg(payload) : 0;
}

bool External::grant(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  return is_connected(target) && target->get_direct_mem_ptr(payload, dmi);
}

void External::invalidate(sc_dt::uint64 first, sc_dt::uint64 last) {
  if (from_node_) (*from_node_)->invalidate_direct_mem_ptr(first, last);
}

// ---- from the module to the node ----

void External::access(int master, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  ++own_accesses_[static_cast<std::size_t>(master)];
  const auto index = static_cast<std::size_t>(master);
  buses_[index].access(*to_node_[index].operator->(), payload, delay);
}

unsigned External::access_for_debug(int master, tlm::tlm_generic_payload& payload) {
  return to_node_[static_cast<std::size_t>(master)]->transport_dbg(payload);
}

bool External::ask_for_grant(int master, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  return to_node_[static_cast<std::size_t>(master)]->get_direct_mem_ptr(payload, dmi);
}

void External::withdraw(int master, sc_dt::uint64 first, sc_dt::uint64 last) {
  Master& bound = masters[static_cast<std::size_t>(master)];
  if (is_connected(bound)) bound->invalidate_direct_mem_ptr(first, last);
}

}  // namespace asterism
