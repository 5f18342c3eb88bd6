#include "devices/semihosting.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace asterism {
namespace {

constexpr std::size_t piece_size = 4096;
constexpr std::uint64_t longest_path = 4095, longest_string = 1 << 20;
constexpr std::uint64_t left_in_x0 = 0xDEADBEEF;  // by calls without a result
// SYS_EXIT_EXTENDED, and standard error beside standard output.
constexpr std::string_view features("SHFB\x03", 5);

// fopen's modes in the order of SYS_OPEN, each twice: as text and as binary.
constexpr std::array open_flags = {O_RDONLY,
                                   O_RDWR,
                                   O_WRONLY | O_CREAT | O_TRUNC,
                                   O_RDWR | O_CREAT | O_TRUNC,
                                   O_WRONLY | O_CREAT | O_APPEND,
                                   O_RDWR | O_CREAT | O_APPEND};

std::span<std::byte> bytes_of(std::span<char> text) { return std::as_writable_bytes(text); }

}  // namespace

class Semihosting::Call {
 public:
  Call(Semihosting& host, Picoseconds now, GuestMemory& memory) : host_(host), now_(now), memory_(memory) {}
  SemihostingResult run(std::uint32_t operation, std::uint64_t argument);

 private:
  using Value = std::uint64_t;
  struct Entry {
    std::uint32_t operation;
    const char* name;
    unsigned words;  // words of the argument block that are read before the call
    Value (Call::*serve)();
  };
  static const Entry* find(std::uint32_t operation);

  Value open();
  Value close();
  Value write_character();
  Value write_string();
  Value write();
  Value read();
  Value read_character();
  Value is_error() { return static_cast<std::int64_t>(words_[0]) < 0; }
  Value is_terminal();
  Value seek();
  Value file_length();
  Value temporary_name();
  Value remove();
  Value rename();
  Value clock() { return now_ / 10_ms; }
  Value time() { return host_.machine_.start_seconds + now_ / 1_s; }
  Value system() { return fail(EACCES, "commands are not run on the host"); }
  Value last_error() { return static_cast<Value>(host_.errno_); }
  Value command_line();
  Value heap_information();
  Value exit();
  Value elapsed();
  Value tick_frequency() { return 1'000'000'000; }

  Value fail(int error) { return host_.errno_ = error, failure; }
  Value fail(int error, const std::string& why);
  Value bad_pointer(Value address) {
    return fail(EFAULT, fmt::format("there is no memory at address {:#x}", address));
  }
  Value finish(const HostDirectory::Outcome& outcome, const std::string& name);
  Value open_handle(Handle handle);
  Handle* handle(Value number);
  std::optional<std::string> path(Value address, Value length);
  bool range_is_there(Value address, Value length);
  std::size_t put(Handle& handle, std::string_view text);
  std::size_t take(Handle& handle, std::span<char> text);
  bool store(Value address, std::span<const Value> words);

  Semihosting& host_;
  const Picoseconds now_;
  GuestMemory& memory_;
  const char* name_ = "";
  Value argument_ = 0;
  std::array<Value, 4> words_ = {};
  std::optional<GuestExit> exit_;
};

const Semihosting::Call::Entry* Semihosting::Call::find(std::uint32_t operation) {
  static constexpr Entry entries[] = {
      {sys_open, "SYS_OPEN", 3, &Call::open},
      {sys_close, "SYS_CLOSE", 1, &Call::close},
      {sys_writec, "SYS_WRITEC", 0, &Call::write_character},
      {sys_write0, "SYS_WRITE0", 0, &Call::write_string},
      {sys_write, "SYS_WRITE", 3, &Call::write},
      {sys_read, "SYS_READ", 3, &Call::read},
      {sys_readc, "SYS_READC", 0, &Call::read_character},
      {sys_iserror, "SYS_ISERROR", 1, &Call::is_error},
      {sys_istty, "SYS_ISTTY", 1, &Call::is_terminal},
      {sys_seek, "SYS_SEEK", 2, &Call::seek},
      {sys_flen, "SYS_FLEN", 1, &Call::file_length},
      {sys_tmpnam, "SYS_TMPNAM", 3, &Call::temporary_name},
      {sys_remove, "SYS_REMOVE", 2, &Call::remove},
      {sys_rename, "SYS_RENAME", 4, &Call::rename},
      {sys_clock, "SYS_CLOCK", 0, &Call::clock},
      {sys_time, "SYS_TIME", 0, &Call::time},
      {sys_system, "SYS_SYSTEM", 0, &Call::system},
      {sys_errno, "SYS_ERRNO", 0, &Call::last_error},
      {sys_get_cmdline, "SYS_GET_CMDLINE", 2, &Call::command_line},
      {sys_heapinfo, "SYS_HEAPINFO", 1, &Call::heap_information},
      {sys_exit, "SYS_EXIT", 2, &Call::exit},
      {sys_exit_extended, "SYS_EXIT_EXTENDED", 2, &Call::exit},
      {sys_elapsed, "SYS_ELAPSED", 0, &Call::elapsed},
      {sys_tickfreq, "SYS_TICKFREQ", 0, &Call::tick_frequency},
  };
  const auto* found = std::find_if(std::begin(entries), std::end(entries),
                                   [operation](const Entry& entry) { return entry.operation == operation; });
  return found == std::end(entries) ? nullptr : found;
}

SemihostingResult Semihosting::Call::run(std::uint32_t operation, std::uint64_t argument) {
  const Entry* entry = find(operation);
  if (!entry) {
    host_.warn(fmt::format("guest called the unknown semihosting operation {:#x}", operation));
    return {fail(ENOSYS), {}};
  }
  name_ = entry->name;
  argument_ = argument;
  const auto block = std::as_writable_bytes(std::span(words_).first(entry->words));
  if (!block.empty() && (!range_is_there(argument, block.size()) || !memory_.read(Address(argument), block)))
    return {bad_pointer(argument), {}};
  const Value value = (this->*entry->serve)();
  return {value, exit_};
}

Semihosting::Call::Value Semihosting::Call::fail(int error, const std::string& why) {
  host_.warn(fmt::format("guest's {} fails: {}", name_, why));
  return fail(error);
}

// Whether [address, address + length) does not wrap and its last byte exists: this finds most bad lengths
// before anything was moved.
bool Semihosting::Call::range_is_there(Value address, Value length) {
  std::byte last;
  return length == 0 || (address + (length - 1) >= address &&
                         memory_.read(Address(address + (length - 1)), std::span(&last, 1)));
}

bool Semihosting::Call::store(Value address, std::span<const Value> words) {
  return range_is_there(address, words.size_bytes()) && memory_.write(Address(address), std::as_bytes(words));
}

// ---- handles ----

Semihosting::Handle* Semihosting::Call::handle(Value number) {
  auto& handles = host_.handles_;
  if (number >= 1 && number <= handles.size() && handles[number - 1].kind != Handle::Kind::closed)
    return &handles[number - 1];
  fail(EBADF, fmt::format("{:#x} is not an open handle", number));
  return nullptr;
}

Semihosting::Call::Value Semihosting::Call::open_handle(Handle opened) {
  auto& handles = host_.handles_;
  auto free = std::find_if(handles.begin(), handles.end(),
                           [](const Handle& handle) { return handle.kind == Handle::Kind::closed; });
  if (free == handles.end()) {
    if (handles.size() == max_handles) return fail(EMFILE, fmt::format("{} handles are open", max_handles));
    free = handles.emplace(handles.end());
  }
  *free = std::move(opened);
  return static_cast<Value>(free - handles.begin()) + 1;
}

std::optional<std::string> Semihosting::Call::path(Value address, Value length) {
  if (length > longest_path) {
    fail(ENAMETOOLONG, fmt::format("a path of {} bytes", length));
    return std::nullopt;
  }
  std::string text(length, '\0');
  if (length && (!range_is_there(address, length) || !memory_.read(Address(address), bytes_of(text)))) {
    bad_pointer(address);
    return std::nullopt;
  }
  text.resize(std::strlen(text.c_str()));
  return text;
}

Semihosting::Call::Value Semihosting::Call::finish(const HostDirectory::Outcome& outcome,
                                                   const std::string& name) {
  if (outcome.refused.empty()) return outcome.error ? fail(outcome.error) : 0;
  ++host_.refused_paths_;
  return fail(outcome.error, fmt::format("'{}' is refused: {}", name, outcome.refused));
}

Semihosting::Call::Value Semihosting::Call::open() {
  const auto [address, mode, length, unused] = words_;
  const auto name = path(address, length);
  if (!name) return failure;
  if (mode >= 2 * open_flags.size()) return fail(EINVAL, fmt::format("there is no mode {}", mode));
  if (*name == ":tt")
    return open_handle({mode < 4   ? Handle::Kind::console_input
                        : mode < 8 ? Handle::Kind::console_output
                                   : Handle::Kind::console_error});
  if (*name == ":semihosting-features")
    return mode < 2 ? open_handle({Handle::Kind::features}) : fail(EACCES);
  HostDirectory::Outcome outcome = host_.directory_.open(*name, open_flags[mode / 2]);
  if (outcome.error) return finish(outcome, *name);
  return open_handle({Handle::Kind::file, std::move(outcome.file)});
}

Semihosting::Call::Value Semihosting::Call::close() {
  Handle* closing = handle(words_[0]);
  if (!closing) return failure;
  *closing = Handle{};
  return 0;
}

Semihosting::Call::Value Semihosting::Call::is_terminal() {
  const Handle* asked = handle(words_[0]);
  if (!asked) return failure;
  return asked->kind != Handle::Kind::file && asked->kind != Handle::Kind::features;
}

Semihosting::Call::Value Semihosting::Call::seek() {
  Handle* moved = handle(words_[0]);
  if (!moved) return failure;
  if (moved->kind == Handle::Kind::features) return moved->position = words_[1], 0;
  if (moved->kind != Handle::Kind::file) return fail(ESPIPE);
  return ::lseek(moved->file.descriptor(), static_cast<off_t>(words_[1]), SEEK_SET) < 0 ? fail(errno) : 0;
}

Semihosting::Call::Value Semihosting::Call::file_length() {
  const Handle* asked = handle(words_[0]);
  if (!asked) return failure;
  if (asked->kind == Handle::Kind::features) return features.size();
  if (asked->kind != Handle::Kind::file) return fail(ESPIPE);
  struct stat status;
  return ::fstat(asked->file.descriptor(), &status) < 0 ? fail(errno) : static_cast<Value>(status.st_size);
}

// ---- data ----

// Returns how much of the text was written; less than all means an error, given by errno.
std::size_t Semihosting::Call::put(Handle& handle, std::string_view text) {
  switch (handle.kind) {
    case Handle::Kind::console_output:
      host_.console_output(text);
      return text.size();
    case Handle::Kind::console_error:
      host_.console_error(text);
      return text.size();
    case Handle::Kind::file: {
      const ssize_t count = ::write(handle.file.descriptor(), text.data(), text.size());
      if (count < 0) fail(errno);
      return count < 0 ? 0 : static_cast<std::size_t>(count);
    }
    default:
      fail(EBADF);
      return 0;
  }
}

// Returns how much was read; less than requested means the end or an error.
std::size_t Semihosting::Call::take(Handle& handle, std::span<char> text) {
  switch (handle.kind) {
    case Handle::Kind::console_input:
      return std::min(host_.console_input(text), text.size());
    case Handle::Kind::features: {
      const std::string_view rest = features.substr(std::min<Value>(handle.position, features.size()));
      const std::size_t count = rest.copy(text.data(), text.size());
      handle.position += count;
      return count;
    }
    case Handle::Kind::file: {
      const ssize_t count = ::read(handle.file.descriptor(), text.data(), text.size());
      if (count < 0) fail(errno);
      return count < 0 ? 0 : static_cast<std::size_t>(count);
    }
    default:
      fail(EBADF);
      return 0;
  }
}

Semihosting::Call::Value Semihosting::Call::write() {
  const auto [number, address, length, unused] = words_;
  Handle* target = handle(number);
  if (!target) return length;
  if (!range_is_there(address, length)) return bad_pointer(address), length;
  std::array<char, piece_size> piece;
  for (Value done = 0; done < length;) {
    const auto data = std::span(piece).first(std::min<Value>(length - done, piece_size));
    if (!memory_.read(Address(address + done), bytes_of(data)))
      return bad_pointer(address + done), length - done;
    const std::size_t count = put(*target, {data.data(), data.size()});
    host_.bytes_written_ += count;
    done += count;
    if (count < data.size()) return length - done;
  }
  return 0;
}

Semihosting::Call::Value Semihosting::Call::read() {
  const auto [number, address, length, unused] = words_;
  Handle* source = handle(number);
  if (!source) return length;
  if (!range_is_there(address, length)) return bad_pointer(address), length;
  std::array<char, piece_size> piece;
  for (Value done = 0; done < length;) {
    const auto space = std::span(piece).first(std::min<Value>(length - done, piece_size));
    const std::size_t count = take(*source, space);
    if (count && !memory_.write(Address(address + done), std::as_bytes(space.first(count))))
      return bad_pointer(address + done), length - done;
    host_.bytes_read_ += count;
    done += count;
    if (count < space.size()) return length - done;
  }
  return 0;
}

Semihosting::Call::Value Semihosting::Call::write_character() {
  char character;
  if (!memory_.read(Address(argument_), std::as_writable_bytes(std::span(&character, 1))))
    return bad_pointer(argument_);
  host_.console_output({&character, 1});
  ++host_.bytes_written_;
  return left_in_x0;
}

// In aligned pieces, so that a string at the very end of memory is read completely.
Semihosting::Call::Value Semihosting::Call::write_string() {
  std::array<char, 64> piece;
  for (Value address = argument_; address - argument_ < longest_string;) {
    const auto data = std::span(piece).first(piece.size() - address % piece.size());
    if (!memory_.read(Address(address), bytes_of(data))) return bad_pointer(address);
    const auto end = std::find(data.begin(), data.end(), '\0');
    const auto count = static_cast<std::size_t>(end - data.begin());
    if (count) host_.console_output({data.data(), count});
    host_.bytes_written_ += count;
    if (end != data.end()) return left_in_x0;
    address += data.size();
  }
  return fail(E2BIG, fmt::format("the string at {:#x} has no end within 1 MiB", argument_));
}

Semihosting::Call::Value Semihosting::Call::read_character() {
  char character;
  if (host_.console_input(std::span(&character, 1)) == 0) return failure;
  ++host_.bytes_read_;
  return static_cast<unsigned char>(character);
}

// ---- names, time, surroundings ----

Semihosting::Call::Value Semihosting::Call::temporary_name() {
  const auto [address, id, length, unused] = words_;
  const std::string name = fmt::format("semihosting-{:02x}.tmp", id & 0xFF);
  const auto text = std::span(name.c_str(), name.size() + 1);
  if (text.size() > length) return fail(EINVAL);
  return memory_.write(Address(address), std::as_bytes(text)) ? 0 : bad_pointer(address);
}

Semihosting::Call::Value Semihosting::Call::remove() {
  const auto name = path(words_[0], words_[1]);
  return name ? finish(host_.directory_.remove(*name), *name) : failure;
}

Semihosting::Call::Value Semihosting::Call::rename() {
  const auto from = path(words_[0], words_[1]);
  const auto to = from ? path(words_[2], words_[3]) : std::nullopt;
  return to ? finish(host_.directory_.rename(*from, *to), *from + "' to '" + *to) : failure;
}

Semihosting::Call::Value Semihosting::Call::command_line() {
  const auto [address, size, unused1, unused2] = words_;
  const std::string& line = host_.config_.command_line;
  if (line.size() + 1 > size) return fail(E2BIG);
  const Value length = line.size();
  if (!memory_.write(Address(address), std::as_bytes(std::span(line.c_str(), line.size() + 1))))
    return bad_pointer(address);
  return store(argument_ + 8, std::span(&length, 1)) ? 0 : bad_pointer(argument_ + 8);
}

Semihosting::Call::Value Semihosting::Call::heap_information() {
  const SemihostingMachine& m = host_.machine_;
  const Value places[] = {m.heap_base.value(), m.heap_limit.value(), m.stack_base.value(),
                          m.stack_limit.value()};
  return store(words_[0], places) ? 0 : bad_pointer(words_[0]);
}

Semihosting::Call::Value Semihosting::Call::exit() {
  exit_ = GuestExit{words_[0], words_[0] == application_exit ? words_[1] : 1};
  return 0;
}

Semihosting::Call::Value Semihosting::Call::elapsed() {
  const Value ticks = now_ / 1_ns;
  return store(argument_, std::span(&ticks, 1)) ? 0 : bad_pointer(argument_);
}

// ---- the engine ----

Semihosting::Semihosting(SemihostingConfig config, SemihostingMachine machine)
    : config_(std::move(config)), machine_(machine), directory_(config_.directory) {}

SemihostingResult Semihosting::call(std::uint32_t operation, std::uint64_t argument, Picoseconds now,
                                    GuestMemory& memory) {
  ++calls_;
  return Call(*this, now, memory).run(operation, argument);
}

void Semihosting::reset(Reset) {
  handles_.clear();
  errno_ = 0;
}

void Semihosting::report(Statistics& statistics) const {
  statistics.add("calls", calls_);
  statistics.add("written", Bytes(bytes_written_));
  statistics.add("read", Bytes(bytes_read_));
  statistics.add("refused_paths", refused_paths_);
}

}  // namespace asterism
