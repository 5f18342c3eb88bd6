#include "nic/nic_module.h"

#include <algorithm>
#include <string>
#include <utility>

#include "tlm/log.h"
#include "tlm/time.h"

namespace asterism {
namespace {

constexpr std::uint32_t none = ~0u;

std::uint64_t pair(const Register& low, const Register& high) {
  return std::uint64_t{high.value()} << 32 | low.value();
}

const RegisteredDevice<NicModule> nic_type{"nic", "A network interface with rings of frames in memory."};

}  // namespace

DeviceShape NicModule::shape(const NicConfig& config, const NodeFacts&) {
  return {.targets = {{.registers = std::make_shared<NicRegisters>()}},
          .interrupts = {{}},
          .initiators = {{.memory = config.dma, .key = "dma"}},
          .network = config.network};
}

std::vector<DeviceTreeNode> NicModule::device_tree(const NicConfig& config, const NodeView& node,
                                                   const DevicePlace& place) {
  return {device_tree_node("nic", {"asterism,nic"}, place, node, config.dma)};
}

NicModule::NicModule(const sc_core::sc_module_name& name, const NicConfig&, const DeviceContext& context)
    : NicModule(name, context.memories.at(0)) {
  memory.identify(context.masters.at(0));
  if (ActivityLog* const activity = context.events.activity_log()) {
    memory.record_in(*activity, 0, "dma_read");
    memory.record_in(*activity, 1, "dma_write");
  }
}

NicModule::NicModule(const sc_core::sc_module_name& name, AddressRange memory_range)
    : sc_module(name),
      memory("memory", memory_range, 2),
      engine_(memory.channel(0), memory.channel(1), static_cast<NicEngine::Sink&>(*this)),
      alarm_("alarm", [this](Picoseconds now) { act([&] { engine_.advance_to(now); }); }) {
  memory.after_access = [this] { alarm_.arm(engine_.next_event()); };
  connect_registers();
}

void NicModule::attach(const Place& place) {
  place_.emplace(place);
  engine_.set_nodes(place.network.count());
  for (const SendQueue queue : {SendQueue::application, SendQueue::checkpoint})
    tickets_[static_cast<std::size_t>(queue)] = place.network.tickets(place.node, queue);
  place.network.attach(place.node, peer_);
  if (place.management) place.management->attach(place.node, peer_);
}

void NicModule::start_of_simulation() {
  if (!place_)
    sc_core::sc_report_handler::report(sc_core::SC_FATAL, name(), "the NIC is attached to no network",
                                       "nic_module.cpp", __LINE__);
  update_interrupt();
}

// Runs an action that may send frames or change the engine's next event.
void NicModule::act(const std::function<void()>& action) {
  place_->clock.at_now(action);
  alarm_.arm(engine_.next_event());
}

// ---- registers ----

void NicModule::connect_registers() {
  using Ring = NicEngine::Ring;
  NicRegisters& r = registers;
  r.warn = [this](const std::string& line) { log(this->name()).warn(line); };
  connect_ring(Ring::application, r.send0_base_low, r.send0_base_high, r.send0_entries);
  connect_send(SendQueue::application, r.send0_head, r.send0_tail, r.application_tickets);
  connect_ring(Ring::checkpoint, r.send1_base_low, r.send1_base_high, r.send1_entries);
  connect_send(SendQueue::checkpoint, r.send1_head, r.send1_tail, r.checkpoint_tickets);
  connect_ring(Ring::receive, r.receive_base_low, r.receive_base_high, r.receive_entries);
  r.receive_head.computed([this] { return engine_.head(Ring::receive); });
  r.receive_tail.computed([this] { return engine_.tail(Ring::receive); });
  r.receive_tail.on_write([this](std::uint32_t value) { act([&] { engine_.set_tail(now(), value); }); });
  r.interrupt_status.on_write([this](std::uint32_t) { update_interrupt(); });
  r.interrupt_enable.on_write([this](std::uint32_t) { update_interrupt(); });
  r.status.computed([this] { return status(); });
  r.report.on_write([this](std::uint32_t value) { report_rank(registers.report.what.get(value)); });
  r.mark.on_write([this](std::uint32_t value) { mark(registers.mark.what.get(value)); });

  r.node.computed([this] { return place_->node; });
  r.nodes.computed([this] { return place_->network.count(); });
  r.storage_node.computed([this] { return place_->storage.value_or(none); });
  const auto show_management = [this](Register& reg, std::uint32_t otherwise, auto value) {
    reg.computed([this, otherwise, value] {
      return place_->management ? std::uint32_t{value(*place_->management)} : otherwise;
    });
  };
  show_management(r.epoch, 0, [](const Management& m) { return m.membership().epoch; });
  show_management(r.rank, none, [this](const Management& m) { return m.membership().rank_of(place_->node); });
  show_management(r.ranks, 0, [](const Management& m) { return m.membership().ranks(); });
  show_management(r.rank_node, none, [this](const Management& m) {
    const auto& nodes = m.membership().node_of_rank;
    const Rank rank = registers.rank_select.value();
    return rank < nodes.size() ? nodes[rank] : none;
  });
  show_management(r.run, 0, [](const Management& m) { return m.outcome().has_value(); });
}

void NicModule::connect_ring(NicEngine::Ring ring, Register& base_low, const Register& base_high,
                             Register& entries) {
  base_low.on_write([this, ring](std::uint32_t) { act([&] { engine_.clear(now(), ring); }); });
  entries.computed([this, ring] { return engine_.entries(ring); });
  entries.on_write([this, ring, &base_low, &base_high](std::uint32_t value) {
    act([&] { engine_.open(now(), ring, Address(pair(base_low, base_high)), value); });
  });
}

void NicModule::connect_send(SendQueue queue, Register& head, Register& tail, Register& tickets) {
  const auto ring = static_cast<NicEngine::Ring>(queue);
  head.computed([this, ring] { return engine_.head(ring); });
  head.on_write([this, queue](std::uint32_t value) { act([&] { engine_.set_head(now(), queue, value); }); });
  tail.computed([this, ring] { return engine_.tail(ring); });
  tickets.computed([this, queue] { return place_->network.tickets(place_->node, queue); });
  tickets.on_write([this, queue](std::uint32_t value) {
    act([&] { set_tickets(queue, std::max(value, std::uint32_t{1})); });
  });
}

void NicModule::set_tickets(SendQueue queue, std::uint32_t tickets) {
  Network& network = place_->network;
  if (queue == SendQueue::application)
    network.set_tickets(place_->node, tickets, network.tickets(place_->node, SendQueue::checkpoint));
  else
    network.set_tickets(place_->node, network.tickets(place_->node, SendQueue::application), tickets);
}

std::uint32_t NicModule::status() const {
  using Ring = NicEngine::Ring;
  const NicRegisters::Status& status = registers.status;
  return status.error.bits(engine_.error()) |
         status.send0_stopped.bits(engine_.is_stopped(Ring::application)) |
         status.send1_stopped.bits(engine_.is_stopped(Ring::checkpoint)) |
         status.receive_stopped.bits(engine_.is_stopped(Ring::receive));
}

void NicModule::report_rank(NicRegisters::Report::What what) {
  using What = NicRegisters::Report::What;
  Management* const management = place_->management;
  const std::uint64_t result = pair(registers.result_low, registers.result_high);
  if (!management) {
    log(name()).warn("guest wrote REPORT, but this node belongs to no cluster: ignored");
  } else if (what == What::finished) {
    act([&] { management->finished(place_->node, result); });
  } else if (what == What::not_recoverable) {
    std::string reason = "no checkpoint is left of every rank";
    const char* before = ": none at all of rank ";
    for (unsigned rank = 0; rank < 64; ++rank)
      if ((result >> rank & 1) != 0) reason += std::exchange(before, ", ") + std::to_string(rank);
    act([&] { management->not_recoverable(place_->node, reason); });
  } else {
    log(name()).warn("guest wrote {} to REPORT, which is no event: ignored",
                     static_cast<std::uint32_t>(what));
  }
}

void NicModule::mark(RankMark what) {
  const bool is_known =
      std::ranges::any_of(enum_names(RankMark{}), [&](const auto& known) { return known.value == what; });
  if (!is_known) {
    log(name()).warn("guest wrote {} to MARK, which is no mark: ignored", static_cast<std::uint32_t>(what));
  } else if (Management* const management = place_->management) {
    const std::uint64_t number = pair(registers.result_low, registers.result_high);
    act([&] { management->mark(place_->node, what, number); });
  }
}

void NicModule::raise(const FieldOf<bool>& cause) {
  registers.interrupt_status.set(registers.interrupt_status.value() | cause.bits(true));
  update_interrupt();
}

void NicModule::update_interrupt() {
  if (sc_core::sc_get_status() < sc_core::SC_START_OF_SIMULATION) return;  // ports are not bound
  interrupt.write((registers.interrupt_status.value() & registers.interrupt_enable.value()) != 0);
}

// ---- network and management ----

void NicModule::update() {
  engine_.update(now());
  alarm_.arm(engine_.next_event());
}

void NicModule::Peer::receive(Frame frame) {
  nic_.engine_.receive(now(), std::move(frame));
  nic_.alarm_.arm(nic_.engine_.next_event());
}

void NicModule::overflowed() {
  log(name()).warn("{} frames wait for free slots of the receive ring: further frames are dropped",
                   NicEngine::max_waiting);
}

// Frames that waited for the link may have been lost with it.
void NicModule::Peer::membership(const Membership&) {
  nic_.update();
  nic_.raise(nic_.registers.interrupt_status.membership);
}

void NicModule::transmit(SendQueue queue, NodeNumber destination, std::vector<std::byte> payload) {
  place_->network.send({place_->node, destination, std::move(payload)}, queue);
}

std::size_t NicModule::waiting(SendQueue queue) const { return place_->network.waiting(place_->node, queue); }

// ---- reset ----

void NicModule::reset(Reset kind) {
  act([&] {
    place_->network.clear(place_->node);
    place_->network.set_tickets(place_->node, tickets_[0], tickets_[1]);
    memory.reset(kind);
    engine_.reset(kind);
    registers.reset();
    update_interrupt();
    on_reset(kind);
  });
}

}  // namespace asterism
