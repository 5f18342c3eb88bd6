#include "platform/node/plugin.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <system_error>

#include "platform/config/config_documentation.h"
#include "platform/config/diagnostics.h"
#include "platform/config/nearest_name.h"
#include "platform/host/forked_trial.h"
#include "platform/host/hang_limit.h"
#include "platform/host/installed_files.h"
#include "platform/node/device_list.h"
#include "platform/node/devices_config.h"
#include "platform/node/plugin_file.h"
#include "tlm/device.h"
#include "tlm/plugin_abi.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

// The words of the loader, without the name of the file, and with symbols as C++ has them.
std::string words_of_loader(const fs::path& file) {
  std::string words = dlerror();
  if (const std::string start = file.string() + ": "; words.starts_with(start)) words.erase(0, start.size());
  constexpr std::string_view undefined = "undefined symbol: ";
  if (!words.starts_with(undefined)) return words;
  const std::string symbol = words.substr(undefined.size());
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
  return fmt::format("it needs {}, which neither the program nor a library that it links has",
                     name ? name.get() : symbol);
}

// Executes the static initializers, in which types register themselves. Returns what is wrong, "" if nothing
// is.
std::string load_here(const fs::path& file) {
  dlerror();
  const std::size_t twice = types_registered_twice().size();
  // The header says that dlopen throws nothing, so that the compiler would omit the handlers.
  void* (*volatile const load)(const char*, int) = dlopen;
  try {
    if (!load(file.c_str(), RTLD_NOW | RTLD_LOCAL))
      return fmt::format("cannot be loaded: {}", words_of_loader(file));
  } catch (const std::exception& error) {
    return fmt::format("has thrown while it was loaded, in a static initializer: {}", error.what());
  } catch (...) {
    return "has thrown while it was loaded, in a static initializer";
  }
  if (const auto names = types_registered_twice(); names.size() > twice)
    return fmt::format("has a type {}, and there is another one of this name", names.back());
  return "";
}

// The keys of an object.
class KeyNames final : public Fields {
 public:
  std::vector<std::string> names = {};

 private:
  void field(const Line& line, const ShowValue&) override { names.emplace_back(line.key); }
  void choice(const Condition&, const std::function<void()>& body) override { body(); }
  void relation(const Relation&, const std::function<bool()>&) override {}
};

// The keys that a type has beside those of every device.
class KeysOfType final : public ObjectValue {
 public:
  explicit KeysOfType(const std::string& type) : config_(DeviceTypes::find(type)->config()) {}
  void walk(Fields& fields) override { config_->describe(fields); }

 private:
  std::unique_ptr<DeviceConfig> config_;
};

// What is wrong with a type of a plug-in, "" if nothing is.
std::string mistake_in_type(const std::string& type) try {
  if (!is_device_name(type))
    return fmt::format(
        "has a type \"{}\": the name of a type consists of lower-case letters, digits and underscores, and "
        "begins with a letter",
        type);
  KeysOfType keys(type);
  document_object(keys);  // walks nested descriptions, too
  KeyNames own, of_all;
  keys.walk(own);
  DeviceEntry entry;
  entry.become(type);
  describe_common_keys(of_all, entry);
  for (const std::string& key : own.names)
    if (std::ranges::count(of_all.names, key) != 0)
      return fmt::format("has a type \"{}\" with a key \"{}\", which every device has", type, key);
  return "";
} catch (const std::exception& error) {
  return fmt::format("has a mistake in describe() of the type \"{}\": {}", type, error.what());
}

std::vector<std::string> types_beside(const std::vector<std::string>& before) {
  std::vector<std::string> added = DeviceTypes::names();
  std::erase_if(added, [&](const std::string& name) { return std::ranges::count(before, name) != 0; });
  return added;
}

// Loads the plug-in in a copy of this process, and returns what is wrong with it, "" if nothing is. What it
// prints is printed once, by the process that loads it after this.
std::string try_to_load(const fs::path& file) {
  struct Progress {
    std::atomic<std::uint64_t> beats = 0;
    std::array<char, 256> type{};  // whose description is being read
  };
  const SharedObject<Progress> progress;
  const std::chrono::seconds limit = hang_limit();
  std::string problem;
  const TrialEnd end = run_forked(
      [&](const TrialPipe& pipe) {
        const std::vector<std::string> before = DeviceTypes::names();
        std::string found = load_here(file);
        if (found.empty())
          for (const std::string& type : types_beside(before)) {
            ++progress->beats;
            type.copy(progress->type.data(), progress->type.size() - 1);
            if (found = mistake_in_type(type); !found.empty()) break;
            progress->type.fill(0);
          }
        pipe.send(found);
      },
      [&](std::string_view words) { problem += words; }, progress->beats, limit);
  const std::string type = progress->type.data();
  const std::string in = type.empty() ? " while it was loaded, in a static initializer"
                                      : fmt::format(" in describe() of the type \"{}\"", type);
  const std::string words = end.last_words.empty() ? "" : "; its last words: " + end.last_words;
  switch (end.how) {
    case TrialEnd::How::stopped:
      return fmt::format("has not returned for {} s{}{}", limit.count(), in, words);
    case TrialEnd::How::crashed:
      return fmt::format("has crashed{}: SIG{}{}", in, sigabbrev_np(end.number), words);
    case TrialEnd::How::exited:
      return fmt::format("has ended the process{}, with status {}{}", in, end.number, words);
    case TrialEnd::How::returned:
      break;
  }
  return problem;
}

std::vector<std::string> load(const fs::path& file) {
  check_plugin_file(file);
  if (const std::string problem = try_to_load(file); !problem.empty()) throw TypeFileError(problem);
  const std::vector<std::string> before = DeviceTypes::names();
  if (const std::string problem = load_here(file); !problem.empty()) throw TypeFileError(problem);
  std::vector<std::string> added = types_beside(before);
  if (added.empty()) throw TypeFileError("registers no type of devices (RegisteredDevice)");
  return added;
}

// A plug-in that was loaded, or why it was not.
struct Loaded {
  std::vector<std::string> types;
  std::optional<TypeFileError> error;
};
std::map<fs::path, Loaded>& all_loaded() {
  static std::map<fs::path, Loaded> loaded;
  return loaded;
}

std::mutex& loading() {
  static std::mutex mutex;
  return mutex;
}

std::string name_of(const std::string& type) { return "lib" + type + ".so"; }

bool is_file(const fs::path& file) {
  std::error_code none;
  return fs::is_regular_file(file, none);
}

std::optional<fs::path> in_search_path(const std::string& name) {
  for (const fs::path& folder : InstalledFiles::plugin_folders())
    if (is_file(folder / name)) return fs::absolute(folder / name).lexically_normal();
  return std::nullopt;
}

fs::path locate(const std::string& given, const fs::path& beside) {
  fs::path path = fs::absolute(beside / given).lexically_normal();
  std::error_code none;
  if (is_file(path)) return path;
  if (fs::exists(path, none)) throw TypeFileError(fmt::format("{} is no file", path.string()));
  if (given.find('/') != std::string::npos)
    throw TypeFileError(fmt::format("there is no file {}", path.string()), true);
  if (auto found = in_search_path(given)) return *found;
  std::string places = path.parent_path().string();
  for (const fs::path& folder : InstalledFiles::plugin_folders()) places += ", " + folder.string();
  throw TypeFileError(fmt::format("there is no file {}; searched in {}", given, places), true);
}

// Loads the plug-in that should have a type.
std::string load_for(const std::string& type, const fs::path& file) {
  std::vector<std::string> types;
  try {
    types = load_plugin(file);
  } catch (const TypeFileError& error) {
    throw TypeFileError(fmt::format("{} {}", file.string(), error.what()), error.is_missing);
  }
  if (std::ranges::count(types, type) == 0) {
    const std::string nearest = nearest_name(type, types);
    throw TypeFileError(fmt::format(
        "{} has no type \"{}\", but {}{}", file.string(), type, fmt::join(types, ", "),
        nearest.empty() || types.size() == 1 ? "" : fmt::format("; did you mean \"{}\"?", nearest)));
  }
  return file.string();
}

}  // namespace

std::vector<std::string> load_plugin(const fs::path& file) {
  std::error_code none;
  const fs::path path = fs::canonical(file, none);
  if (none) throw TypeFileError("does not exist", true);
  const std::lock_guard lock(loading());
  auto known = all_loaded().find(path);
  if (known == all_loaded().end()) {
    Loaded loaded;
    try {
      loaded.types = load(path);
    } catch (const TypeFileError& error) {
      loaded.error = error;
    }
    known = all_loaded().emplace(path, std::move(loaded)).first;
  }
  if (known->second.error) throw TypeFileError(*known->second.error);
  return known->second.types;
}

std::string plugin_with(const std::string& type) {
  for (const auto& [file, loaded] : all_loaded())
    if (std::ranges::count(loaded.types, type) != 0) return file.string();
  return "";
}

std::string provide_device_type(const std::string& type, const std::string& given, const fs::path& beside) {
  if (!given.empty()) return load_for(type, locate(given, beside));
  const auto found = type.find('/') == std::string::npos ? in_search_path(name_of(type)) : std::nullopt;
  if (!DeviceTypes::find(type)) return found ? load_for(type, *found) : "";
  // Whether the type is known must not depend on the devices that were read before.
  const std::string file = plugin_with(type);
  if (file.empty()) return "";
  if (!found) throw TypeFileError(fmt::format("expected the key plugin, since {} has this type", file));
  return load_for(type, *found);
}

void load_all_plugins() {
  std::vector<fs::path> files;
  std::error_code none;
  for (const fs::path& folder : InstalledFiles::plugin_folders())
    for (const auto& entry : fs::directory_iterator(folder, none))
      if (entry.path().extension() == ".so" && is_file(entry.path()) && is_plugin(entry.path()))
        files.push_back(entry.path());
  std::ranges::sort(files);
  Diagnostics problems;
  for (const fs::path& file : files) try {
      load_plugin(file);
    } catch (const TypeFileError& error) {
      problems.add(Diagnostic::of_file(file.string(), error.what()));
    }
  problems.throw_if_any();
}

}  // namespace asterism
