// @NAME@ adds up the words of a range of memory, which it reads by DMA, and then raises an interrupt.
#include <asterism/device.h>

namespace {

using namespace asterism;

// Its keys in a node, beside type, plugin, base and interrupt.
struct Keys {
  Picoseconds latency = 100_ns;
};
void describe(Fields& f, Keys& keys) {
  f("latency", keys.latency, "The time from the start of a sum to the first access.", within(0_ps, 1_ms));
}

// What firmware sees. The C header, the page, the SVD and the debugger's view are made from this.
struct Registers : RegisterBank {
  Register address{*this, 0x00, "ADDRESS", Access::read_write, 0, "First byte of the range"};
  Register length{*this,
                  0x04,
                  "LENGTH",
                  Access::read_write,
                  0,
                  "Length of the range",
                  {{"bytes", 0, 20, "A multiple of 4"}}};
  Register control{*this,
                   0x08,
                   "CONTROL",
                   Access::write_only,
                   0,
                   "Control",
                   {{"start", 0, 1, "Begins a sum, unless one is in progress"}}};
  struct Status : Register {
    using Register::Register;
    FieldOf<bool> busy{*this, {"busy", 0, 1, "A sum is in progress"}};
    FieldOf<bool> done{*this, {"done", 1, 1, "A sum has ended, and the interrupt is pending"}};
    FieldOf<bool> error{*this, {"error", 2, 1, "A part of the range could not be read"}};
  } status{*this, 0x0c, "STATUS", Access::read_only, 0, "State"};
  Register clear{*this, 0x10, "CLEAR", Access::write_only, 0, "Any write clears DONE and ERROR"};
  Register sum{*this, 0x14, "SUM", Access::read_only, 0, "Sum of the words, modulo 2^32"};
  Registers() : RegisterBank("@NAME@", 4_KiB, "Adds up the words of a range of memory.") {}
};

class Model final : public sc_core::sc_module, public Device {
 public:
  using Config = Keys;
  // What the device has: a range of addresses, an interrupt line, and a bus master.
  static DeviceShape shape(const Keys&, const NodeFacts&) {
    return {
        .targets = {{.registers = std::make_shared<Registers>()}}, .interrupts = {{}}, .initiators = {{}}};
  }
  // How software finds it.
  static std::vector<DeviceTreeNode> device_tree(const Keys&, const DevicePlace& place) {
    return {device_tree_node("@NAME@", {"acme,@NAME@"}, place)};
  }

  Model(const sc_core::sc_module_name& name, const Keys& keys, const DeviceContext& context)
      : sc_module(name), latency_(keys.latency), memory_("memory", context.memories.at(0)) {
    memory_.identify(context.masters.at(0));
    registers_.warn = [this](const std::string& line) { log(this->name()).warn(line); };
    registers_.control.on_write([this](std::uint32_t value) {
      if (value != 0 && !busy_) start();
    });
    registers_.clear.on_write([this](std::uint32_t) { set_done(false, false); });
    // An access to what is computed waits until the time of the core that makes it, which runs ahead.
    registers_.sum.computed([this] { return sum_; });
    registers_.status.computed([this] {
      const auto& status = registers_.status;
      return status.busy.bits(busy_) | status.done.bits(done_) | status.error.bits(error_);
    });
  }

  std::vector<tlm::tlm_target_socket<>*> targets() override { return {&target_}; }
  std::vector<sc_core::sc_out<bool>*> interrupts() override { return {&interrupt_}; }
  std::vector<tlm::tlm_initiator_socket<>*> initiators() override { return {&memory_}; }
  ResetPhase phase() const override { return ResetPhase::masters; }  // begins accesses, so it is reset first

  // Nothing survives, neither a reset nor a loss of power.
  void reset(Reset kind) override {
    memory_.reset(kind);
    begin_.arm(std::nullopt);
    registers_.reset();
    busy_ = false;
    sum_ = 0;
    set_done(false, false);
  }
  void report(Statistics& statistics) const override {  // in stats.json
    statistics.add("sums", sums_);
    statistics.add("read", bytes_);
  }

 private:
  // Software may write the next range while this one is read.
  void start() {
    busy_ = true;
    set_done(false, false);
    range_ = {Address(registers_.address.value()), Bytes(registers_.length.value() & 0xf'fffc)};
    begin_.arm(now() + latency_);
  }
  void read() {
    memory_.channel().read(now(), range_.first, range_.size, [this](const AccessEnd& end) { finish(end); });
  }
  void finish(const AccessEnd& end) {
    const auto data = end.ok ? end.data : std::span<const std::byte>();
    sum_ = 0;
    for (std::size_t i = 0; i < data.size(); ++i)
      sum_ += std::to_integer<std::uint32_t>(data[i]) << 8 * (i % 4);
    ++sums_;
    bytes_ += Bytes(data.size());
    busy_ = false;
    set_done(true, !end.ok);
  }
  void set_done(bool done, bool error) {
    done_ = done;
    error_ = error;
    interrupt_.write(done);
  }

  const Picoseconds latency_;
  Registers registers_;
  RegisterSocket target_{"target", registers_};
  DmaInitiator memory_;
  sc_core::sc_out<bool> interrupt_{"interrupt"};
  Alarm begin_{"begin", [this](Picoseconds) { read(); }};
  AddressRange range_ = {};
  bool busy_ = false, done_ = false, error_ = false;
  std::uint32_t sum_ = 0;
  std::uint64_t sums_ = 0;
  Bytes bytes_ = 0_B;
};

const RegisteredDevice<Model> type{"@NAME@", "Adds up the words of a range of memory."};

}  // namespace
