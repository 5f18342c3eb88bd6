#include "virtio/virtio_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tlm/log.h"
#include "tlm/time.h"

namespace asterism {
namespace {

constexpr std::uint64_t indirect_descriptors = std::uint64_t{1} << 28, version_1 = std::uint64_t{1} << 32;

// Replaces 32 bits of 64: the upper ones, or the lower ones.
std::uint64_t with_half(std::uint64_t whole, bool upper, std::uint32_t value) {
  return upper ? (whole & 0xFFFFFFFFu) | std::uint64_t{value} << 32 : (whole >> 32 << 32) | value;
}

}  // namespace

DeviceShape VirtioDevice::shape(std::shared_ptr<const RegisterBank> registers) {
  return {.targets = {{.registers = std::move(registers)}},
          .interrupts = {{}},
          .initiators = {{.memory = main_memory}}};
}

std::vector<DeviceTreeNode> VirtioDevice::device_tree(const DevicePlace& place) {
  DeviceTreeNode node = device_tree_node("virtio_mmio", {"virtio,mmio"}, place);
  node.set("dma-coherent");
  return {node};
}

VirtioDevice::VirtioDevice(const sc_core::sc_module_name& name, std::unique_ptr<VirtioRegisters> registers,
                           std::uint32_t features, unsigned queues, AddressRange memory_range)
    : sc_module(name),
      target("target", *registers, 10_ns),
      memory("memory", memory_range),
      registers_(std::move(registers)),
      offered_(features | indirect_descriptors | version_1),
      queues_(queues) {
  connect_registers();
  sc_core::sc_spawn_options thread;
  thread.set_stack_size(256 << 10);  // RTL of a target may be executed on it
  sc_core::sc_spawn([this] { run(); }, "serve", &thread);
}

VirtioDevice::VirtioDevice(const sc_core::sc_module_name& name, std::unique_ptr<VirtioRegisters> registers,
                           std::uint32_t features, unsigned queues, const DeviceContext& context)
    : VirtioDevice(name, std::move(registers), features, queues, context.memories.at(0)) {
  memory.identify(context.masters.at(0));
  if (ActivityLog* const activity = context.events.activity_log()) memory.record_in(*activity, 0, "dma");
}

// ---- registers ----

void VirtioDevice::connect_registers() {
  VirtioRegisters& r = *registers_;
  r.warn = [this](const std::string& line) { log(this->name()).warn(line); };
  r.device_features.computed([this, &r] {
    const std::uint32_t half = r.device_features_sel.value();
    return half > 1 ? 0 : static_cast<std::uint32_t>(offered_ >> 32 * half);
  });
  r.driver_features.on_write([this, &r](std::uint32_t value) {
    const std::uint32_t half = r.driver_features_sel.value();
    if (half <= 1) accepted_ = with_half(accepted_, half == 1, value);
  });
  const auto selected = [this, &r]() -> Queue* {
    const std::uint32_t number = r.queue_sel.value();
    return number < queues_.size() ? &queues_[number] : nullptr;
  };
  r.queue_num_max.computed([selected] { return selected() ? std::uint32_t{SplitQueue::max_size} : 0; });
  r.queue_num.on_write([selected](std::uint32_t value) {
    // A size that does not fit is found when the queue is made ready.
    if (Queue* const queue = selected())
      queue->setup.size = static_cast<std::uint16_t>(std::min<std::uint32_t>(value, 0xFFFF));
  });
  r.queue_ready.computed([selected] { return std::uint32_t{selected() && selected()->ring.is_ready()}; });
  r.queue_ready.on_write([this](std::uint32_t value) { set_ready(value & 1); });
  const auto address = [selected](Register& low, Register& high, Address SplitQueue::Setup::*member) {
    for (const bool upper : {false, true})
      (upper ? high : low).on_write([selected, upper, member](std::uint32_t value) {
        if (Queue* const queue = selected())
          queue->setup.*member = Address(with_half((queue->setup.*member).value(), upper, value));
      });
  };
  address(r.queue_desc_low, r.queue_desc_high, &SplitQueue::Setup::descriptors);
  address(r.queue_driver_low, r.queue_driver_high, &SplitQueue::Setup::available);
  address(r.queue_device_low, r.queue_device_high, &SplitQueue::Setup::used);
  r.queue_notify.on_write([this](std::uint32_t value) { notify(value); });
  r.interrupt_ack.on_write([this, &r](std::uint32_t value) {
    r.interrupt_status.set(r.interrupt_status.value() & ~value);
    update();
  });
  r.status.on_write([this](std::uint32_t value) { set_status(value); });
}

void VirtioDevice::set_status(std::uint32_t value) {
  if (value == 0) return reset_device();
  VirtioRegisters::Status& status = registers_->status;
  const bool is_agreed = (accepted_ & version_1) && !(accepted_ & ~offered_);
  if (status.features_ok.get(value) && !is_agreed) {
    log(name()).warn(
        "STATUS: the driver has accepted the features {:#x} of {:#x}; VIRTIO_F_VERSION_1 (bit 32) is "
        "required",
        accepted_, offered_);
    status.set(value & ~status.features_ok.mask());
  }
}

void VirtioDevice::set_ready(bool ready) {
  const std::uint32_t number = registers_->queue_sel.value();
  if (number >= queues_.size()) return;
  Queue& queue = queues_[number];
  if (!ready) return queue.ring.stop();
  const std::string problem = SplitQueue::problem_of(queue.setup);
  if (!problem.empty()) return log(name()).warn("QUEUE_READY: queue {} cannot be used: {}", number, problem);
  queue.ring.start(queue.setup);
}

void VirtioDevice::notify(std::uint32_t queue) {
  const VirtioRegisters::Status& status = registers_->status;
  if (queue >= queues_.size()) return log(name()).warn("QUEUE_NOTIFY: there is no queue {}", queue);
  if (!status.driver_ok.get(status.value()))
    return log(name()).warn("QUEUE_NOTIFY: queue {} before STATUS.driver_ok: ignored", queue);
  attend(queue);
}

bool VirtioDevice::is_running() const {
  const VirtioRegisters::Status& status = registers_->status;
  return status.driver_ok.get(status.value()) && !status.needs_reset.get(status.value());
}

void VirtioDevice::attend(unsigned queue) {
  if (!is_running()) return;
  notified_.insert(queue);
  work_.notify(sc_core::SC_ZERO_TIME);
}

void VirtioDevice::configuration_changed() {
  registers_->config_generation.set(registers_->config_generation.value() + 1);
  if (is_running()) raise(configuration_change);
}

void VirtioDevice::reset_device() {
  memory.reset(Reset::warm);
  ++resets_;
  dropped_.notify(sc_core::SC_ZERO_TIME);
  notified_.clear();
  accepted_ = 0;
  for (Queue& queue : queues_) queue = {};
  registers_->reset();
  update();
  was_reset();
}

void VirtioDevice::reset(Reset) { reset_device(); }

void VirtioDevice::report(Statistics& statistics) const {
  statistics.add("chains", chains_);
  statistics.add("breakdowns", breakdowns_);
}

// ---- the thread ----

void VirtioDevice::run() {
  for (;;) {
    if (notified_.empty()) {
      sc_core::wait(work_);
      continue;
    }
    const unsigned queue = notified_.extract(notified_.begin()).value();
    resets_before_service_ = resets_;
    try {
      serve_all(queue);
    } catch (const Dropped&) {
    } catch (const QueueError& error) {
      break_down(queue, error.what());
    }
  }
}

void VirtioDevice::serve_all(unsigned queue) {
  SplitQueue& ring = queues_[queue].ring;
  while (is_due(queue)) {
    const std::optional<DescriptorChain> chain = ring.pop(*this);
    if (!chain) return ran_dry(queue);
    BufferSequence readable(*this, chain->readable), writable(*this, chain->writable);
    const std::uint32_t written = serve(queue, readable, writable);
    ++chains_;
    if (ring.push(*this, chain->head, written)) raise(used_buffers);
  }
}

void VirtioDevice::break_down(unsigned queue, const std::string& why) {
  ++breakdowns_;
  log(name()).warn("queue {}: {}: the device serves nothing until it is reset", queue, why);
  notified_.clear();
  VirtioRegisters::Status& status = registers_->status;
  status.set(status.value() | status.needs_reset.mask());
  raise(configuration_change);
}

void VirtioDevice::raise(Interrupt cause) {
  registers_->interrupt_status.set(registers_->interrupt_status.value() | cause);
  update();
}

void VirtioDevice::expect_not_dropped() const {
  if (resets_ != resets_before_service_) throw Dropped();
}

void VirtioDevice::pass(Picoseconds time) {
  const Picoseconds end = now() + time;
  for (expect_not_dropped(); now() < end; expect_not_dropped())
    sc_core::wait(to_sc_time(end - now()), dropped_);
}

void VirtioDevice::wait_for(const sc_core::sc_event& event) {
  expect_not_dropped();
  sc_core::wait(event | dropped_);
  expect_not_dropped();
}

template <class Begin>
void VirtioDevice::access(Address first, Begin begin, std::span<std::byte> read_into) {
  expect_not_dropped();
  std::optional<AccessEnd> end;
  begin([&](const AccessEnd& result) {
    end = {result.at, result.ok, {}};
    if (result.ok) std::ranges::copy(result.data, read_into.begin());
    ended_.notify(sc_core::SC_ZERO_TIME);
  });
  while (!end) wait_for(ended_);
  if (end->at > now()) pass(end->at - now());
  if (!end->ok) throw QueueError(fmt::format("memory does not answer at {:#x}", first.value()));
}

void VirtioDevice::read(Address first, std::span<std::byte> data) {
  access(
      first,
      [&](OnAccessEnd ended) { memory.channel().read(now(), first, Bytes(data.size()), std::move(ended)); },
      data);
}

void VirtioDevice::write(Address first, std::span<const std::byte> data) {
  access(first, [&](OnAccessEnd ended) { memory.channel().write(now(), first, data, std::move(ended)); }, {});
}

}  // namespace asterism
