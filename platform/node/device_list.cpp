#include "platform/node/device_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "core/a64/translation_table_walk.h"
#include "memory/memory_config.h"
#include "platform/config/config_reader.h"
#include "platform/config/nearest_name.h"
#include "platform/node/plugin_watch.h"
#include "platform/node/shape_check.h"
#include "tlm/initiator_extension.h"

namespace asterism {
namespace {

constexpr Bytes alignment = 4_KiB;
constexpr Bytes address_space(std::uint64_t{1} << a64::physical_address_bits);

class Files final : public DeviceFiles {
 public:
  explicit Files(const ConfigLibrary& library) : library_(library) {}
  bool has(std::string_view kind, const std::string& name) const override {
    std::error_code none;
    return library_.find(kind, name) || std::filesystem::is_regular_file(name, none);
  }

 private:
  void read(std::string_view kind, const std::string& name, ObjectValue& contents) override {
    ConfigDocument document = ConfigDocument::load(library_.locate(kind, name));
    Diagnostics problems;
    read_object(contents, document, &library_, problems);
    problems.throw_if_any();
  }
  const ConfigLibrary& library_;
};

std::string text_of(AddressRange range) {
  return fmt::format("{:#x}-{:#x}", range.first.value(), range.last().value());
}

// "one address", "3 addresses".
std::string counted_in_words(std::size_t count, const char* one, const char* many) {
  return count == 1 ? std::string("one ") + one
                    : fmt::format("{} {}", count == 0 ? "no" : std::to_string(count), many);
}

// "a", "a and b", "a, b and c".
std::string listed(const std::vector<std::string>& names) {
  if (names.size() < 2) return fmt::format("{}", fmt::join(names, ""));
  return fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

// Parts of a node that have statistics, logs or files, and earlier keys. The keys of a node are refused where
// it is read.
bool is_reserved(const std::string& name) {
  static const std::set<std::string> names{"address_map", "caches",  "console",
                                           "dram",        "network", "semihosting"};
  const bool is_core = name.starts_with("core") && name.size() > 4 &&
                       name.find_first_not_of("0123456789", 4) == std::string::npos;
  return is_core || names.contains(name);
}

bool has_registers(const DeviceShape& shape) {
  return std::ranges::any_of(shape.targets,
                             [](const DeviceTarget& target) { return target.registers != nullptr; });
}

// Whether a type of devices has a key.
class KeySearch final : public Fields {
 public:
  KeySearch(DeviceConfig& config, std::string_view key) : key_(key) { config.describe(*this); }
  bool is_found() const { return is_found_; }

 private:
  void field(const Line& line, const ShowValue&) override { is_found_ |= line.key == key_; }
  void choice(const Condition&, const std::function<void()>& body) override { body(); }
  void relation(const Relation&, const std::function<bool()>&) override {}
  std::string_view key_;
  bool is_found_ = false;
};

}  // namespace

bool is_device_name(std::string_view name) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz", others = "0123456789_";
  return !name.empty() && letters.find(name.front()) != std::string_view::npos &&
         std::ranges::all_of(name, [&](char c) {
           return letters.find(c) != std::string_view::npos || others.find(c) != std::string_view::npos;
         });
}

std::string PlacedDevice::range_name(std::size_t target) const {
  if (target == 0 && place.instance == main_memory) return "dram";
  return place.instance + shape.targets.at(target).suffix;
}

// The checks of a list, with the places of its keys in the document.
class DeviceList::Checks final {
 public:
  Checks(DeviceList& list, const ConfigDocument& document, std::string path, Diagnostics& problems)
      : list_(list), document_(document), path_(std::move(path)), problems_(problems) {}

  void add(const std::string& instance, const std::string& key, const DeviceEntry& entry, DeviceFiles& files);
  void name(const std::string& instance, const std::string& key);
  void removals();
  void rtl();
  void ranges();
  void interrupts();
  void cores();
  void initiators();
  void host();
  void types();

 private:
  void refuse(const std::string& key, std::string problem, std::string nearest = "") {
    const std::string at = join_path(path_, key);
    problems_.add({.origin = document_.origin_of(at),
                   .path = at,
                   .problem = std::move(problem),
                   .nearest = std::move(nearest)});
  }
  // The key of an element of a list that a file may hold without brackets.
  std::string key_of(const PlacedDevice& device, const char* key, std::size_t index) const {
    const std::string in_list = fmt::format("{}.{}.{}", device.key, key, index);
    return document_.has(join_path(path_, in_list)) ? in_list : fmt::format("{}.{}", device.key, key);
  }
  std::string base_key(const PlacedDevice& device, std::size_t target) const {
    const std::string& own = device.shape.targets[target].own_key;
    return own.empty() ? key_of(device, "base", target - owned_before(device, target))
                       : fmt::format("{}.{}.base", device.key, own);
  }
  static std::size_t owned_before(const PlacedDevice& device, std::size_t target) {
    return static_cast<std::size_t>(std::ranges::count_if(
        device.shape.targets.begin(), device.shape.targets.begin() + static_cast<std::ptrdiff_t>(target),
        [](const DeviceTarget& each) { return !each.own_key.empty(); }));
  }
  std::string interrupt_key(const PlacedDevice& device, std::size_t line) const {
    const std::string& own = device.shape.interrupts[line].own_key;
    return own.empty() ? key_of(device, "interrupt", line) : fmt::format("{}.{}.interrupt", device.key, own);
  }
  // Of two keys that contradict each other, whether the second one is at fault: an override, or the later
  // one.
  bool is_second_at_fault(const std::string& first, const std::string& second) const {
    const auto rank = [&](const std::string& key) {
      const std::string at = join_path(path_, key);
      const Origin origin = document_.origin_of(at);
      return std::tuple(document_.layer_of(at), origin.line, origin.column);
    };
    return rank(first) <= rank(second);
  }
  void load(DeviceConfig& config, const std::string& key, DeviceFiles& files) const;
  // Calls a function of a type. If it is that of a plug-in, what it throws is a mistake of the plug-in;
  // returns false then. It does not return if the plug-in crashes, hangs or ends the process.
  template <class Call>
  bool calls(const std::string& plugin, const std::string& key, const char* function, const Call& call) {
    if (plugin.empty()) return call(), true;
    const std::string at = join_path(path_, key);
    const auto thrown = call_plugin(
        Diagnostic{.origin = document_.origin_of(at), .path = at, .problem = plugin}.text(), function, call);
    if (thrown) refuse(key, fmt::format("{} has thrown in {}: {}", plugin, function, *thrown));
    return !thrown;
  }
  Diagnostics in_device(const Diagnostics& problems, const std::string& key) const;
  bool place(PlacedDevice& device, const DeviceEntry& entry);
  void remember(PlacedDevice& device, const std::string& key) const {
    device.origins[key] = document_.origin_of(join_path(path_, join_path(device.key, key)));
  }

  DeviceList& list_;
  const ConfigDocument& document_;
  const std::string path_;
  Diagnostics& problems_;
};

void DeviceList::Checks::name(const std::string& instance, const std::string& key) {
  if (!is_device_name(instance))
    refuse(key,
           "the name of a device consists of lower-case letters, digits and underscores, and begins with a "
           "letter");
  else if (is_reserved(instance))
    refuse(key, fmt::format("{} is the name of another part of a node", instance));
}

// A misspelt name would otherwise remove nothing.
void DeviceList::Checks::removals() {
  const ConfigValue* devices = &document_.root();
  for (const std::string& key : split_path(join_path(path_, "devices")))
    if (devices) devices = devices->find(key);
  if (!devices || !devices->object()) return;
  std::vector<std::string> names;
  for (const ConfigMember& member : *devices->object())
    if (!member.value.is_null()) names.push_back(member.key);
  for (const ConfigMember& member : *devices->object())
    if (member.value.is_null() && !member.value.removes)
      refuse("devices." + member.key,
             fmt::format("there is no device \"{}\" that null could remove", member.key),
             nearest_name(member.key, names));
}

void DeviceList::Checks::add(const std::string& instance, const std::string& key, const DeviceEntry& entry,
                             DeviceFiles& files) {
  std::shared_ptr<DeviceConfig> config = entry.config->clone();
  const std::string plugin = entry.plugin.value_or("");
  if (!calls(plugin, key, "load()", [&] { load(*config, key, files); })) return;
  std::optional<DeviceShape> shape;
  if (!calls(plugin, key, "shape()", [&] { shape = config->shape({list_.cores_}); })) return;
  if (const std::string mistake = plugin.empty() ? "" : mistake_in(*shape); !mistake.empty())
    return refuse(key, fmt::format("{} has a mistake in shape(): {}", plugin, mistake));
  PlacedDevice device{
      .type = entry.type, .plugin = plugin, .key = key, .config = config, .shape = std::move(*shape)};
  device.place.instance = instance;
  for (const HostUse::File& file : device.shape.host.files) remember(device, file.key);
  if (!plugin.empty()) remember(device, "plugin");
  if (place(device, entry)) list_.devices_.push_back(std::move(device));
}

void DeviceList::Checks::load(DeviceConfig& config, const std::string& key, DeviceFiles& files) const {
  try {
    config.load(files);
  } catch (const InputMissing& error) {
    throw InputMissing(in_device(error.diagnostics(), key));
  } catch (const ConfigError& error) {
    throw ConfigError(in_device(error.diagnostics(), key));
  }
}

// Adds the place to problems of keys of a device, which its type does not know. Problems of the files that
// the keys name have a place.
Diagnostics DeviceList::Checks::in_device(const Diagnostics& problems, const std::string& key) const {
  Diagnostics placed;
  for (Diagnostic problem : problems.all()) {
    if (problem.origin.file.empty() && !problem.path.empty()) {
      problem.path = join_path(path_, join_path(key, problem.path));
      problem.origin = document_.origin_of(problem.path);
    }
    placed.add(std::move(problem));
  }
  return placed;
}

bool DeviceList::Checks::place(PlacedDevice& device, const DeviceEntry& entry) {
  const DeviceShape& shape = device.shape;
  std::vector<std::string> placed, numbered;
  for (std::size_t i = 0; i < shape.targets.size(); ++i)
    if (shape.targets[i].own_key.empty()) placed.push_back(device.range_name(i));
  const std::size_t bases = entry.base.values.size();
  if (bases < placed.size() || bases > placed.size() + shape.spare_bases) {
    const std::string key = device.key + ".base";
    const bool lacks_size =
        placed.empty() && KeySearch(*device.config->clone(), "size").is_found();  // such as `external`
    refuse(document_.has(join_path(path_, key)) ? key : device.key,
           fmt::format(
               "expected {} in base{}, got {}{}", counted_in_words(placed.size(), "address", "addresses"),
               placed.size() > 1 ? fmt::format(" ({})", listed(placed)) : "",
               bases == 0 ? "none" : std::to_string(bases),
               lacks_size ? "; its range of addresses has no size: the key size is missing or 0B" : ""));
    return false;
  }
  const auto lines = static_cast<std::size_t>(std::ranges::count_if(
      shape.interrupts, [](const DeviceInterrupt& line) { return line.own_key.empty(); }));
  const std::size_t numbers = entry.interrupt.values.size();
  if (numbers != 0 && numbers != lines) {
    refuse(device.key + ".interrupt",
           lines == 0
               ? fmt::format("{} has no interrupt line", device.instance())
               : fmt::format("expected {}, got {}", counted_in_words(lines, "number", "numbers"), numbers));
    return false;
  }
  auto base = entry.base.values.begin();
  for (const DeviceTarget& target : shape.targets)
    device.place.ranges.push_back({target.own_key.empty() ? *base++ : target.own_base, target.size});
  auto number = entry.interrupt.values.begin();
  for (const DeviceInterrupt& line : shape.interrupts)
    if (!line.own_key.empty())
      device.place.interrupts.push_back(line.own_number);
    else
      device.place.interrupts.push_back(numbers == 0 ? std::nullopt : std::optional<unsigned>(*number++));
  return true;
}

void DeviceList::Checks::ranges() {
  struct Entry {
    std::string name, key;
    AddressRange range;
  };
  std::vector<Entry> entries;
  for (const PlacedDevice& device : list_.devices_)
    for (std::size_t i = 0; i < device.place.ranges.size(); ++i) {
      Entry entry{device.range_name(i), base_key(device, i), device.place.ranges[i]};
      if (entry.range.first.value() % alignment.count() != 0)
        refuse(entry.key, "a device must start at a 4 KiB boundary");
      else if (entry.range.first.value() >
               address_space.count() - std::min(entry.range.size, address_space).count())
        refuse(entry.key, fmt::format("{} of {:#x} bytes would exceed the physical address space of {} bits",
                                      entry.name, entry.range.size.count(), a64::physical_address_bits));
      else
        entries.push_back(std::move(entry));
    }
  for (std::size_t a = 0; a < entries.size(); ++a)
    for (std::size_t b = a + 1; b < entries.size(); ++b) {
      const bool second = is_second_at_fault(entries[a].key, entries[b].key);
      const Entry &at_fault = entries[second ? b : a], &other = entries[second ? a : b];
      if (at_fault.name == other.name)
        refuse(at_fault.key, fmt::format("two ranges of addresses are named {}", at_fault.name));
      else if (at_fault.range.overlaps(other.range))
        refuse(at_fault.key, fmt::format("{} at {} overlaps {} at {}", at_fault.name, text_of(at_fault.range),
                                         other.name, text_of(other.range)));
    }
}

void DeviceList::Checks::interrupts() {
  const PlacedDevice* const controller = list_.interrupt_controller();
  for (const PlacedDevice& device : list_.devices_)
    if (device.shape.interrupt_controller && &device != controller)
      refuse(device.key,
             fmt::format("the node has an interrupt controller already: {}", controller->instance()));
  struct Line {
    const PlacedDevice* device;
    std::string key;
    unsigned number;
  };
  std::vector<Line> lines, unconnected;
  for (const PlacedDevice& device : list_.devices_)
    for (std::size_t i = 0; i < device.place.interrupts.size(); ++i) {
      const auto number = device.place.interrupts[i];
      if (!number) continue;
      Line line{&device, interrupt_key(device, i), *number};
      const unsigned spis = controller ? controller->shape.interrupt_controller->spis : 0;
      if (!controller)
        unconnected.push_back(std::move(line));
      else if (*number >= spis)
        refuse(line.key, fmt::format("{} has the interrupts 0 to {}, got {}; {}.spis gives it more",
                                     controller->instance(), spis - 1, *number, controller->key));
      else
        lines.push_back(std::move(line));
    }
  if (!unconnected.empty()) {
    std::vector<std::string> names;
    for (const Line& line : unconnected)
      if (std::ranges::count(names, line.device->instance()) == 0) names.push_back(line.device->instance());
    refuse(unconnected.front().key,
           fmt::format("the node has no interrupt controller for {}", listed(names)));
  }
  for (std::size_t a = 0; a < lines.size(); ++a)
    for (std::size_t b = a + 1; b < lines.size(); ++b) {
      if (lines[a].number != lines[b].number) continue;
      const bool second = is_second_at_fault(lines[a].key, lines[b].key);
      const Line &at_fault = lines[second ? b : a], &other = lines[second ? a : b];
      const std::string name = at_fault.device->instance();
      refuse(at_fault.key, at_fault.device == other.device
                               ? fmt::format("{} uses interrupt {} twice", name, at_fault.number)
                               : fmt::format("{} and {} both use interrupt {}", name,
                                             other.device->instance(), at_fault.number));
    }
}

void DeviceList::Checks::cores() {
  const PlacedDevice* const controller = list_.interrupt_controller();
  if (!controller) return;
  const unsigned most = controller->shape.interrupt_controller->max_cores;
  if (list_.cores_ > most)
    refuse("cores.count", fmt::format("{} is a {}, which serves at most {} cores, got {}",
                                      controller->instance(), controller->type, most, list_.cores_));
}

void DeviceList::Checks::initiators() {
  std::vector<std::string> memories;
  for (const PlacedDevice& device : list_.devices_)
    if (device.shape.is_memory) memories.push_back(device.instance());
  for (const PlacedDevice& device : list_.devices_)
    for (const DeviceInitiator& initiator : device.shape.initiators)
      if (!initiator.memory.empty() && std::ranges::count(memories, initiator.memory) == 0)
        refuse(join_path(device.key, initiator.key),
               fmt::format("there is no memory \"{}\"; this node has {}", initiator.memory, listed(memories)),
               nearest_name(initiator.memory, memories));
}

// What only one device can have of the host.
void DeviceList::Checks::host() {
  std::map<std::filesystem::path, std::string> kept;
  std::string terminal;
  for (const PlacedDevice& device : list_.devices_) {
    const HostUse& host = device.shape.host;
    for (const HostUse::File& file : host.files)
      if (file.is_kept && !kept.emplace(file.file.lexically_normal(), device.instance()).second)
        refuse(fmt::format("{}.{}", device.key, file.key),
               fmt::format("{} keeps its state in this file already", kept.at(file.file.lexically_normal())));
    if (host.input != HostUse::Input::terminal) continue;
    if (!terminal.empty())
      refuse(fmt::format("{}.{}", device.key, host.input_key),
             fmt::format("what is typed is the input of {} already", terminal));
    terminal = device.instance();
  }
}

void DeviceList::Checks::rtl() {
  for (PlacedDevice& device : list_.devices_) {
    calls(device.plugin, device.key, "rtl()", [&] { device.rtl = device.config->rtl(list_); });
    for (const RtlUse& use : device.rtl) remember(device, join_path(use.key, use.file_key));
  }
}

void DeviceList::Checks::types() {
  class Problems final : public DeviceProblems {
   public:
    Problems(Checks& checks, const std::string& key) : checks_(checks), key_(key) {}
    void add(const std::string& key, const std::string& problem) override {
      checks_.refuse(join_path(key_, key), problem);
    }

   private:
    Checks& checks_;
    const std::string& key_;
  };
  for (const PlacedDevice& device : list_.devices_) {
    Problems problems(*this, device.key);
    calls(device.plugin, device.key, "check()", [&] { device.config->check(list_, device.place, problems); });
    if (device.plugin.empty()) continue;
    // Otherwise it would throw only while the node is built.
    std::vector<DeviceTreeNode> nodes;
    calls(device.plugin, device.key, "device_tree()",
          [&] { nodes = device.config->device_tree(list_, device.place); });
    if (const std::string mistake = mistake_in(nodes); !mistake.empty())
      refuse(device.key, fmt::format("{} has a mistake in device_tree(): {}", device.plugin, mistake));
  }
}

DeviceList::DeviceList(const NodeConfig& node, const ConfigLibrary& library, const ConfigDocument& document,
                       const std::string& path, Diagnostics& problems)
    : cores_(node.cores.count) {
  Checks checks(*this, document, path, problems);
  Files files(library);
  const std::size_t before = problems.size();
  checks.removals();
  checks.add(main_memory, main_memory, node.memory.entry(), files);
  for (const auto& [instance, entry] : node.devices) {
    const std::string key = "devices." + instance;
    checks.name(instance, key);
    checks.add(instance, key, entry, files);
  }
  if (problems.size() != before) return;  // without places there is nothing to check
  const auto order = [](const PlacedDevice& device) {
    const int kind = device.instance() == main_memory                         ? 0
                     : device.shape.is_memory || !has_registers(device.shape) ? 2
                                                                              : 1;
    return std::tuple(kind, device.place.ranges.empty() ? Address() : device.place.range().first);
  };
  std::ranges::stable_sort(devices_, {}, order);
  unsigned master = InitiatorExtension::first_device_master;
  for (PlacedDevice& device : devices_)
    for (std::size_t i = 0; i < device.shape.initiators.size(); ++i) device.masters.push_back(master++);
  checks.ranges();
  checks.interrupts();
  checks.cores();
  checks.initiators();
  checks.host();
  if (problems.size() != before) return;
  checks.rtl();
  checks.types();
}

const PlacedDevice* DeviceList::device(const std::string& instance) const {
  const auto found = std::ranges::find(devices_, instance, &PlacedDevice::instance);
  return found == devices_.end() ? nullptr : &*found;
}

const PlacedDevice* DeviceList::interrupt_controller() const {
  return first([](const DeviceShape& shape) { return shape.interrupt_controller.has_value(); });
}

const PlacedDevice* DeviceList::rom() const {
  return first([](const DeviceShape& shape) { return shape.is_rom; });
}

std::vector<DeviceList::KeptFile> DeviceList::kept_files() const {
  std::vector<KeptFile> files;
  for (const PlacedDevice& device : devices_)
    for (const HostUse::File& file : device.shape.host.files)
      if (file.is_kept) files.push_back({fmt::format("node.{}.{}", device.key, file.key), file.file});
  return files;
}

std::vector<std::string> DeviceList::keys_of_input(HostUse::Input input) const {
  std::vector<std::string> keys;
  for (const PlacedDevice& device : devices_)
    if (device.shape.host.input == input)
      keys.push_back(fmt::format("node.{}.{}", device.key, device.shape.host.input_key));
  return keys;
}

unsigned DeviceList::ports_of(const PlacedDevice& memory) const {
  unsigned ports = 1;
  for (const PlacedDevice& device : devices_)
    for (const DeviceInitiator& initiator : device.shape.initiators)
      ports += initiator.memory == memory.instance();
  return ports;
}

std::optional<NodeView::Peer> DeviceList::find(const std::string& instance) const {
  const PlacedDevice* const found = device(instance);
  if (!found) return std::nullopt;
  return Peer{found->place, found->type, found->shape};
}

}  // namespace asterism
