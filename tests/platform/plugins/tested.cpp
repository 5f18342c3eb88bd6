// A plug-in with a type `tested`, which can fail wherever the code of a plug-in is executed: while it is
// loaded, as TESTED_PLUGIN in the environment says, and later as the keys say.
#include <asterism/device.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

namespace {

using namespace asterism;

int fill_stack(const volatile int* above) {
  const volatile int here = *above + 1;
  return here == 0 ? 0 : fill_stack(&here) + here;
}

[[noreturn]] void fail(std::string_view how) {
  if (how == "throws") throw std::runtime_error("it cannot do that");
  if (how == "ends") std::_Exit(0);
  if (how == "exits") std::exit(0);
  if (how == "exits in a thread") std::thread([] { std::exit(0); }).join();
  if (how == "crashes") std::raise(SIGSEGV);
  if (const volatile int first = 0; how == "overflows") fill_stack(&first);
  for (volatile bool is_hanging = true; is_hanging;) continue;
  std::abort();
}

// What TESTED_PLUGIN says.
std::string while_loaded() {
  const char* const given = std::getenv("TESTED_PLUGIN");
  return given ? given : "";
}

struct Nested {
  std::uint32_t depth = 1;
};
void describe(Fields& f, Nested& nested) {
  f("depth", nested.depth, "A number.",
    at_least(while_loaded() == "describes a nested default badly" ? 2 : 1));
}

struct Keys {
  std::string fails_in;
  std::string how = "throws";
  std::optional<Address> touch;
  std::uint32_t level = 1;
  std::optional<Nested> nested;
  void fail_if(std::string_view place) const {
    if (fails_in == place) fail(how);
  }
};
static_assert(member_count<Keys>() == 5);
void describe(Fields& f, Keys& keys) {
  f("fails_in", keys.fails_in, "Where it fails.");
  f("how", keys.how, "How it fails.");
  f("touch", keys.touch, "An address that it reads a microsecond after the start.");
  const std::string mistake = while_loaded();
  f(mistake == "describes a key badly" ? "Level" : "level", keys.level,
    "A number. A larger one changes nothing.", within(mistake == "describes a default badly" ? 2 : 1, 8));
  f(mistake == "describes a key of all" ? "base" : "nested", keys.nested, "A number in an object.");
  if (mistake == "describes a key twice") f("level", keys.level, "The number again.");
  if (mistake.starts_with("describe ")) fail(mistake.substr(9));
  keys.fail_if("describe");
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
  std::optional<Register> wrong;
  Registers() : RegisterBank("TESTED", 4_KiB, "A device of a test.") {
    const auto add = [this](std::uint32_t offset, const char* name, std::vector<Field> fields = {}) {
      wrong.emplace(*this, offset, name, Access::read_only, 0, "Wrong", std::move(fields));
    };
    const std::string mistake = while_loaded();
    if (mistake == "has a bad register") add(8, "2ND");
    if (mistake == "has a register twice") add(8, "scratch");
    if (mistake == "has registers that overlap") add(4, "OTHER");
    if (mistake == "has a register between words") add(10, "OTHER");
    if (mistake == "has a register outside") add(0x1000, "OTHER");
    if (mistake == "has a register of the header") add(8, "BASE");
    if (mistake == "has a bad field") add(8, "OTHER", {{"a-b", 0, 1, "Wrong"}});
    if (mistake == "has a field twice") add(8, "OTHER", {{"a", 0, 1, "One"}, {"A", 1, 1, "Two"}});
    if (mistake == "has fields that overlap") add(8, "OTHER", {{"a", 0, 2, "One"}, {"b", 1, 1, "Two"}});
    if (mistake == "has a field outside") add(8, "OTHER", {{"a", 31, 2, "One"}});
    if (mistake == "has a bad value") add(8, "OTHER", {{"a", 0, 1, "One", {{"two", 2}}}});
  }
};

class Tested final : public sc_core::sc_module, public Device {
 public:
  using Config = Keys;
  static DeviceShape shape(const Keys& keys, const NodeFacts&) {
    keys.fail_if("shape");
    DeviceShape shape{.targets = {{.registers = std::make_shared<Registers>()}},
                      .initiators = std::vector<DeviceInitiator>(keys.fails_in == "sockets" ? 2 : 1)};
    if (keys.fails_in == "role") shape.is_rom = true;
    if (keys.fails_in == "interrupt") shape.interrupts.emplace_back();
    return shape;
  }
  static void check(const Keys& keys, const NodeView&, const DevicePlace&, DeviceProblems& problems) {
    keys.fail_if("check");
    if (keys.level == 5) problems.add("level", "five is no level of this device");
  }
  static std::vector<DeviceTreeNode> device_tree(const Keys& keys, const DevicePlace& place) {
    keys.fail_if("device_tree");
    DeviceTreeNode node = device_tree_node("tested", {"acme,tested"}, place);
    if (keys.fails_in == "reg") node.properties.back().second = DeviceTreeNode::Cells{1};
    if (keys.fails_in == "compatible") return {device_tree_node("tested", {""}, place)};
    return {node};
  }

  Tested(const sc_core::sc_module_name& name, const Keys& keys, const DeviceContext& context)
      : sc_module(name), keys_(keys), memory_("memory", context.memories.at(0)) {
    keys.fail_if("constructor");
    memory_.identify(context.masters.at(0));
    registers_.count.computed([this] {
      keys_.fail_if("access");
      if (keys_.fails_in == "stop in access") sc_core::sc_stop();
      if (keys_.fails_in == "spawned")
        sc_core::sc_spawn([this] { sc_core::wait(1, sc_core::SC_NS), fail(keys_.how); });
      if (keys_.fails_in == "spawned deltas") sc_core::sc_spawn([this] { turn(); });
      return ++accesses_;
    });
    const bool begins = keys.touch || keys.fails_in == "process" || keys.fails_in == "stop";
    start_.arm(begins ? std::optional(1_us) : std::nullopt);
    SC_HAS_PROCESS(Tested);
    if (keys.fails_in == "port") unbound_.emplace("unbound");
    if (keys.fails_in == "deltas") SC_THREAD(turn);
    if (keys.fails_in == "nothing, slowly") SC_THREAD(take_long);
  }
  ~Tested() override { keys_.fail_if("destructor"); }

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
    if (keys_.fails_in == "statistics") statistics.add(keys_.how, std::uint64_t{1});
    if (keys_.fails_in == "nested statistics") statistics.group("nested").add(keys_.how, std::uint64_t{1});
  }

 private:
  void begin() {
    keys_.fail_if("process");
    if (keys_.fails_in == "stop") sc_core::sc_stop();
    if (keys_.touch) memory_.channel().read(now(), *keys_.touch, 4_B, [](const AccessEnd&) {});
  }
  void turn() {
    wait(sc_core::sc_time(1, sc_core::SC_US));
    for (;;) wait(sc_core::SC_ZERO_TIME);
  }

  // A good process, which takes two seconds of the host for a tenth of a microsecond.
  void take_long() {
    for (int i = 0; i < 100; ++i) {
      wait(sc_core::sc_time(1, sc_core::SC_NS));
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
  void end_of_elaboration() override { keys_.fail_if("callback"); }

  const Keys keys_;
  Registers registers_;
  RegisterSocket target_{"target", registers_};
  DmaInitiator memory_;
  Alarm start_{"start", [this](Picoseconds) { begin(); }};
  std::uint32_t accesses_ = 0;
  std::optional<sc_core::sc_in<bool>> unbound_;
};

struct Registered {
  Registered() {
    const std::string what = while_loaded();
    if (what == "registers nothing") return;
    static const RegisteredDevice<Tested> tested{"tested", "A device of a test."};
    if (what == "registers a known type") static const RegisteredDevice<Tested> uart{"pl011", "No UART."};
    if (what == "registers a bad name") static const RegisteredDevice<Tested> bad{"Acme 1", "A device."};
    if (what.find(' ') == std::string::npos && !what.empty()) fail(what);
  }
} const registered;

}  // namespace
