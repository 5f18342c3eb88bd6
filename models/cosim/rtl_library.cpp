#include "cosim/rtl_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <map>
#include <mutex>
#include <set>
#include <utility>

namespace asterism {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& file, const std::string& what) {
  throw RtlError(fmt::format("{}: {}", file.string(), what));
}

// The message of dlopen, without the file's name at its beginning.
std::string loader_words(const fs::path& file) {
  const char* said = dlerror();
  std::string words = said == nullptr ? "no reason given" : said;
  if (const std::string start = file.string() + ": "; words.starts_with(start)) words.erase(0, start.size());
  return words;
}

void check_functions(const fs::path& file, const AsterismRtlBlock& block) {
  const std::pair<const char*, bool> functions[] = {
      {"create", block.create != nullptr},
      {"destroy", block.destroy != nullptr},
      {"port", block.port != nullptr},
      {"settle", block.settle != nullptr},
      {"edge", block.edge != nullptr},
      {"run", block.run != nullptr},
      {"failure", block.failure != nullptr},
      {"save", block.save != nullptr},
      {"restore", block.restore != nullptr},
      {"trace_open", !block.has_trace || block.trace_open != nullptr},
      {"trace", !block.has_trace || block.trace != nullptr},
      {"trace_close", !block.has_trace || block.trace_close != nullptr}};
  for (const auto& [name, there] : functions)
    if (!there) refuse(file, fmt::format("its function {} is a null pointer", name));
}

void check_ports(const fs::path& file, const AsterismRtlBlock& block) {
  if (block.port_count != 0 && block.ports == nullptr) refuse(file, "its ports are a null pointer");
  std::set<std::string_view> roles;
  for (std::uint32_t i = 0; i < block.port_count; ++i) {
    const AsterismRtlPort& port = block.ports[i];
    if (port.name == nullptr || port.role == nullptr)
      refuse(file, fmt::format("its port {} has no name or no role (\"\" is one)", i));
    if (port.direction != ASTERISM_RTL_INPUT && port.direction != ASTERISM_RTL_OUTPUT)
      refuse(file, fmt::format("its port {} has direction {}, expected 0 (input) or 1 (output)", port.name,
                               port.direction));
    if (port.width == 0) refuse(file, fmt::format("its port {} has a width of 0 bits", port.name));
    if (*port.role != '\0' && !roles.insert(port.role).second)
      refuse(file, fmt::format("two of its ports have the role {}, the second is {}", port.role, port.name));
  }
}

void check_parameters(const fs::path& file, const AsterismRtlBlock& block) {
  if (block.parameter_count != 0 && block.parameters == nullptr)
    refuse(file, "its parameters are a null pointer");
  for (std::uint32_t i = 0; i < block.parameter_count; ++i)
    if (block.parameters[i].name == nullptr) refuse(file, fmt::format("its parameter {} has no name", i));
}

void check(const fs::path& file, const AsterismRtlBlock* block) {
  if (block == nullptr) refuse(file, ASTERISM_RTL_SYMBOL "() returns a null pointer");
  if (block->magic != ASTERISM_RTL_MAGIC)
    refuse(file, fmt::format("is not an RTL block: its description begins with {:#010x}, expected {:#010x}",
                             block->magic, ASTERISM_RTL_MAGIC));
  if (block->version != ASTERISM_RTL_VERSION)
    refuse(file, fmt::format("has interface version {}, this program expects {}: build it again",
                             block->version, ASTERISM_RTL_VERSION));
  if (block->block == nullptr || block->contract == nullptr || block->digest == nullptr)
    refuse(file, "its name, contract or digest is a null pointer");
  check_functions(file, *block);
  check_ports(file, *block);
  check_parameters(file, *block);
}

const AsterismRtlBlock* load(const fs::path& file) {
  dlerror();
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr)
    refuse(file, fmt::format("cannot be loaded, a shared library is expected: {}", loader_words(file)));
  try {
    const auto entry = reinterpret_cast<AsterismRtlEntry>(dlsym(handle, ASTERISM_RTL_SYMBOL));
    if (entry == nullptr)
      refuse(file, "has no symbol " ASTERISM_RTL_SYMBOL
                   ": is it made by hand? `asterism rtl build` writes one with the symbol");
    const AsterismRtlBlock* block = entry();
    check(file, block);
    return block;
  } catch (...) {
    dlclose(handle);
    throw;
  }
}

}  // namespace

// ---- library ----

std::shared_ptr<const RtlLibrary> RtlLibrary::open(const fs::path& file) {
  static std::mutex mutex;
  static std::map<fs::path, std::shared_ptr<const RtlLibrary>> open_libraries;

  std::error_code error;
  const fs::path path = fs::canonical(file, error);
  if (error) refuse(file, fmt::format("cannot be loaded, a shared library is expected: {}", error.message()));
  if (!fs::is_regular_file(path)) refuse(file, "is not a file, a shared library is expected");

  const std::lock_guard lock(mutex);
  std::shared_ptr<const RtlLibrary>& library = open_libraries[path];
  if (!library) library.reset(new RtlLibrary(path, load(path)));
  return library;
}

std::optional<std::uint32_t> RtlLibrary::find(std::string_view role) const {
  for (std::uint32_t i = 0; i < block_->port_count; ++i)
    if (block_->ports[i].role == role) return i;
  return std::nullopt;
}

std::uint32_t RtlLibrary::index_of(std::string_view role, std::uint32_t direction) const {
  const char* wanted = direction == ASTERISM_RTL_INPUT ? "input" : "output";
  const auto index = find(role);
  if (!index)
    throw RtlError(fmt::format("{} ({}): it has no port of the role {}, an {} is expected", name(),
                               file_.string(), role, wanted));
  if (ports()[*index].direction != direction)
    throw RtlError(fmt::format("{} ({}): its port {} of the role {} is not an {}", name(), file_.string(),
                               ports()[*index].name, role, wanted));
  return *index;
}

std::uint32_t RtlLibrary::width(std::string_view role) const {
  const auto index = find(role);
  return index ? ports()[*index].width : 0;
}

std::optional<std::uint64_t> RtlLibrary::parameter(std::string_view name) const {
  for (std::uint32_t i = 0; i < block_->parameter_count; ++i)
    if (block_->parameters[i].name == name) return block_->parameters[i].value;
  return std::nullopt;
}

// ---- port ----

RtlPort::RtlPort(void* value, std::uint32_t width)
    : value_(static_cast<unsigned char*>(value)),
      width_(width),
      storage_(width <= 8    ? 1
               : width <= 16 ? 2
               : width <= 32 ? 4
               : width <= 64 ? 8
                             : (width + 31) / 32 * 4),
      last_mask_(width % 64 == 0 ? ~std::uint64_t{0} : (std::uint64_t{1} << width % 64) - 1) {}

// ---- instance ----

RtlInstance::RtlInstance(std::shared_ptr<const RtlLibrary> library, std::string name)
    : library_(std::move(library)),
      name_(std::move(name)),
      block_(&library_->block()),
      instance_(block_->create(name_.c_str())) {
  if (instance_ == nullptr)
    throw RtlError(
        fmt::format("{}: {} ({}) creates no instance", name_, library_->name(), library_->file().string()));
  if (!library_->find("reset")) save(unreset_);
}

RtlInstance::RtlInstance(RtlInstance&& other) noexcept
    : library_(std::move(other.library_)),
      name_(std::move(other.name_)),
      block_(other.block_),
      instance_(std::exchange(other.instance_, nullptr)),
      traced_(std::exchange(other.traced_, false)),
      unreset_(std::move(other.unreset_)) {}

RtlInstance::~RtlInstance() {
  if (instance_ == nullptr) return;
  trace_close();
  block_->destroy(instance_);
}

RtlPort RtlInstance::port(std::string_view role) const {
  const auto index = library_->find(role);
  return index ? port_at(*index) : RtlPort();
}

RtlPort RtlInstance::port_at(std::uint32_t index) const {
  return {block_->port(instance_, index), library_->ports()[index].width};
}

void RtlInstance::reset() {
  const auto reset_input = library_->find("reset");
  if (!reset_input) return restore(unreset_);
  for (std::uint32_t i = 0; i < block_->port_count; ++i) {
    const AsterismRtlPort& port = block_->ports[i];
    if (port.direction != ASTERISM_RTL_INPUT || *port.role == '\0') continue;
    RtlPort input = port_at(i);
    for (std::uint32_t word = 0; word < input.words(); ++word) input.set(0, word);
  }
  RtlPort input = port_at(*reset_input), power_on = port("power_on_reset");
  input.set(block_->reset_active_high ? 1 : 0);
  power_on.set(block_->reset_active_high ? 1 : 0);
  if (block_->has_clock)
    run(block_->reset_cycles);
  else
    settle();
  input.set(block_->reset_active_high ? 0 : 1);
  power_on.set(block_->reset_active_high ? 0 : 1);
}

void RtlInstance::save(Snapshot& snapshot) const {
  const std::uint64_t size = block_->save(instance_, snapshot.data(), snapshot.size());
  const bool fitted = size <= snapshot.size();
  snapshot.resize(size);
  if (!fitted) block_->save(instance_, snapshot.data(), snapshot.size());
}

void RtlInstance::restore(const Snapshot& snapshot) {
  if (block_->restore(instance_, snapshot.data(), snapshot.size()) != 0)
    throw RtlError(fmt::format("{}: does not accept the state that an instance of {} saved", name_,
                               library_->file().string()));
}

void RtlInstance::trace_open(const fs::path& file) {
  trace_close();
  if (!block_->has_trace)
    throw RtlError(fmt::format("{}: {} was built without traces", name_, library_->file().string()));
  if (block_->trace_open(instance_, file.c_str()) != 0)
    throw RtlError(fmt::format("{}: the trace {} cannot be written", name_, file.string()));
  traced_ = true;
}

void RtlInstance::trace_close() {
  if (std::exchange(traced_, false)) block_->trace_close(instance_);
}

void RtlInstance::fail() const {
  const char* reason = block_->failure(instance_);
  throw RtlError(
      fmt::format("{}: {}", name_, reason == nullptr || *reason == '\0' ? "ended itself" : reason));
}

}  // namespace asterism
