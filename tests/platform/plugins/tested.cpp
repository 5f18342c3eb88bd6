// A plug-in with a type `tested`, which can fail wherever the code of a plug-in is executed: while it is
// loaded, as TESTED_PLUGIN in the environment says, and later as the keys say.
#include <asterism/device.h>

#include <csignal>
#include <cstdlib>

namespace {

using namespace asterism;

[[noreturn]] void fail(std::string_view how) {
  if (how == "throws") throw std::runtime_error("it cannot do that");
  if (how == "ends") std::_Exit(0);
  if (how == "crashes") std::raise(SIGSEGV);
  for (volatile bool is_hanging = true; is_hanging;) continue;
  std::abort();
}

struct Keys {
  std::string fails_in;
  std::string how = "throws";
  std::optional<Address> touch;
  std::uint32_t level = 1;
  void fail_if(std::string_view place) const {
    if (fails_in == place) fail(how);
  }
};
static_assert(member_count<Keys>() == 4);
void describe(Fields& f, Keys& keys) {
  f("fails_in", keys.fails_in, "Where it fails.");
  f("how", keys.how, "How it fails.");
  f("touch", keys.touch, "An address that it reads a microsecond after the start.");
  f("level", keys.level, "A number. A larger one changes nothing.", within(1, 8));
}

struct Registers : RegisterBank {
  Register scratch{*this, 0, "SCRATCH", Access::read_write, 7, "Holds what is written"};
  Register count{*this,
                 4,
                 "COUNT",
                 Access::read_only,
                 varies,
                 "Accesses of this register",
                 {{"low", 0, 8, "Eight bits"}}};
  Registers() : RegisterBank("TESTED", 4_KiB, "A device of a test.") {}
};

class Tested final : public sc_core::sc_module, public Device {
 public:
  using Config = Keys;
  static DeviceShape shape(const Keys& keys, const NodeFacts&) {
    keys.fail_if("shape");
    return {.targets = {{.registers = std::make_shared<Registers>()}},
            .initiators = std::vector<DeviceInitiator>(keys.fails_in == "sockets" ? 2 : 1)};
  }
  static void check(const Keys& keys, const NodeView&, const DevicePlace&, DeviceProblems& problems) {
    keys.fail_if("check");
    if (keys.level == 5) problems.add("level", "five is no level of this device");
  }
  static std::vector<DeviceTreeNode> device_tree(const Keys& keys, const DevicePlace& place) {
    keys.fail_if("device_tree");
    return {device_tree_node("tested", {"acme,tested"}, place)};
  }

  Tested(const sc_core::sc_module_name& name, const Keys& keys, const DeviceContext& context)
      : sc_module(name), keys_(keys), memory_("memory", context.memories.at(0)) {
    keys.fail_if("constructor");
    memory_.identify(context.masters.at(0));
    registers_.count.computed([this] {
      keys_.fail_if("access");
      return ++accesses_;
    });
    start_.arm(keys.touch || keys.fails_in == "process" || keys.fails_in == "deltas" ? std::optional(1_us)
                                                                                     : std::nullopt);
    SC_HAS_PROCESS(Tested);
    if (keys.fails_in == "deltas") SC_THREAD(turn);
  }

  std::vector<tlm::tlm_target_socket<>*> targets() override { return {&target_}; }
  std::vector<tlm::tlm_initiator_socket<>*> initiators() override { return {&memory_}; }
  void reset(Reset kind) override {
    keys_.fail_if("reset");
    memory_.reset(kind);
    registers_.reset();
  }
  void power_up() override { keys_.fail_if("power_up"); }
  void report(Statistics& statistics) const override {
    statistics.add("level", std::uint64_t{keys_.level});
    keys_.fail_if("report");
    statistics.add("accesses", accesses_);
  }

 private:
  void begin() {
    keys_.fail_if("process");
    if (keys_.touch) memory_.channel().read(now(), *keys_.touch, 4_B, [](const AccessEnd&) {});
  }
  void turn() {
    wait(sc_core::sc_time(1, sc_core::SC_US));
    for (;;) wait(sc_core::SC_ZERO_TIME);
  }

  const Keys keys_;
  Registers registers_;
  RegisterSocket target_{"target", registers_};
  DmaInitiator memory_;
  Alarm start_{"start", [this](Picoseconds) { begin(); }};
  std::uint32_t accesses_ = 0;
};

const std::string while_loaded = std::getenv("TESTED_PLUGIN") ? std::getenv("TESTED_PLUGIN") : "";

struct Registered {
  Registered() {
    if (while_loaded == "registers nothing") return;
    static const RegisteredDevice<Tested> tested{"tested", "A device of a test."};
    if (while_loaded == "registers a known type")
      static const RegisteredDevice<Tested> uart{"pl011", "No UART."};
    if (while_loaded.ends_with("s") && !while_loaded.starts_with("registers")) fail(while_loaded);
  }
} const registered;

}  // namespace
