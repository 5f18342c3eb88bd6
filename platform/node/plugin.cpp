#include "platform/node/plugin.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <system_error>

#include "platform/config/diagnostics.h"
#include "platform/config/nearest_name.h"
#include "platform/host/hang_limit.h"
#include "platform/host/installed_files.h"
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

// The copy of this process in which a plug-in is loaded first.
class Trial {
 public:
  explicit Trial(const fs::path& file) {
    if (pipe2(pipe_.data(), O_CLOEXEC) != 0) throw_last_error("pipe");
    process_ = fork();
    if (process_ < 0) throw_last_error("fork");
    if (process_ == 0) load_and_end(file);
    close(pipe_[1]);
  }
  ~Trial() { close(pipe_[0]); }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  // What is wrong with the plug-in, "" if nothing is.
  std::string wait(std::chrono::seconds limit) {
    pollfd ended{.fd = pipe_[0], .events = POLLIN, .revents = 0};
    int ready = 0;
    do ready = poll(&ended, 1, static_cast<int>(std::chrono::milliseconds(limit).count()));
    while (ready < 0 && errno == EINTR);
    if (ready == 0) kill(process_, SIGKILL);
    std::string words;
    std::array<char, 4096> part;
    while (ready != 0) {
      const ssize_t count = read(pipe_[0], part.data(), part.size());
      if (count <= 0 && errno != EINTR) break;
      if (count == 0) break;
      if (count > 0) words.append(part.data(), static_cast<std::size_t>(count));
    }
    int status = 0;
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) continue;
    if (ready == 0)
      return fmt::format("has not returned for {} s while it was loaded, from a static initializer",
                         limit.count());
    if (WIFSIGNALED(status))
      return fmt::format("has crashed while it was loaded, in a static initializer: SIG{}",
                         sigabbrev_np(WTERMSIG(status)));
    if (words.empty())  // the child writes words whenever load_here() returns
      return fmt::format("has ended the process while it was loaded, with status {}", WEXITSTATUS(status));
    return words == loaded ? "" : words;
  }

 private:
  [[noreturn]] static void throw_last_error(const char* call) {
    throw std::system_error(errno, std::generic_category(), call);
  }

  // What the plug-in prints is printed once, by the process that loads it after this.
  [[noreturn]] void load_and_end(const fs::path& file) const {
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    const std::string problem = load_here(file), words = problem.empty() ? loaded : problem;
    _exit(write(pipe_[1], words.data(), words.size()) > 0 ? 0 : 1);
  }

  static constexpr const char* loaded = "loaded";
  std::array<int, 2> pipe_{};
  pid_t process_ = -1;
};

std::vector<std::string> load(const fs::path& file) {
  check_plugin_file(file);
  if (const std::string problem = Trial(file).wait(hang_limit()); !problem.empty())
    throw TypeFileError(problem);
  const std::vector<std::string> before = DeviceTypes::names();
  if (const std::string problem = load_here(file); !problem.empty()) throw TypeFileError(problem);
  std::vector<std::string> added = DeviceTypes::names();
  std::erase_if(added, [&](const std::string& name) { return std::ranges::count(before, name) != 0; });
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

std::string provide_device_type(const std::string& type, const std::string& given, const fs::path& beside) {
  if (!given.empty()) return load_for(type, locate(given, beside));
  const auto found = type.find('/') == std::string::npos ? in_search_path(name_of(type)) : std::nullopt;
  if (!DeviceTypes::find(type)) return found ? load_for(type, *found) : "";
  // Whether the type is known must not depend on the devices that were read before.
  for (const auto& [file, loaded] : all_loaded()) {
    if (std::ranges::count(loaded.types, type) == 0) continue;
    if (!found)
      throw TypeFileError(fmt::format("expected the key plugin, since {} has this type", file.string()));
    return load_for(type, *found);
  }
  return "";
}

void load_all_plugins() {
  std::vector<fs::path> files;
  std::error_code none;
  for (const fs::path& folder : InstalledFiles::plugin_folders())
    for (const auto& entry : fs::directory_iterator(folder, none))
      if (entry.path().extension() == ".so" && is_plugin(entry.path())) files.push_back(entry.path());
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
