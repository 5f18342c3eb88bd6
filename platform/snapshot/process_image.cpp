#include "platform/snapshot/process_image.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/rseq.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

// What becomes of a process while its memory is exchanged cannot be code of that memory, nor use its stack: it is a list of
// system calls, played by these few instructions out of a region of their own.
//
// struct Step {long call; long arguments[6];}; call -1: copy arguments[2] bytes from [1] to [0]; -2: load the registers.
// Whatever fails goes on with the list of failures.
asm(R"(
    .pushsection .text
    .globl asterism_save_registers
    .type asterism_save_registers, @function
asterism_save_registers:
    mov (%rsp), %rax
    mov %rax, 0(%rdi)
    lea 8(%rsp), %rax
    mov %rax, 8(%rdi)
    mov %rbx, 16(%rdi)
    mov %rbp, 24(%rdi)
    mov %r12, 32(%rdi)
    mov %r13, 40(%rdi)
    mov %r14, 48(%rdi)
    mov %r15, 56(%rdi)
    stmxcsr 64(%rdi)
    fnstcw 68(%rdi)
    xor %eax, %eax
    ret
    .size asterism_save_registers, .-asterism_save_registers

    .globl asterism_play
    .globl asterism_play_end
    .type asterism_play, @function
asterism_play:              # rdi: steps, rsi: registers, rdx: steps of a failure
    mov %rdi, %r12
    mov %rsi, %r13
    mov %rdx, %r14
1:  mov 0(%r12), %rax
    mov 8(%r12), %rdi
    mov 16(%r12), %rsi
    cmp $-1, %rax
    je 2f
    cmp $-2, %rax
    je 3f
    mov 24(%r12), %rdx
    mov 32(%r12), %r10
    mov 40(%r12), %r8
    mov 48(%r12), %r9
    syscall
    cmp $-4095, %rax
    jb 4f
    mov %r14, %r12
    jmp 1b
2:  mov 24(%r12), %rcx
    cld
    rep movsb
4:  add $56, %r12
    jmp 1b
3:  mov %r13, %rdi
    ldmxcsr 64(%rdi)
    fldcw 68(%rdi)
    mov 16(%rdi), %rbx
    mov 24(%rdi), %rbp
    mov 32(%rdi), %r12
    mov 40(%rdi), %r13
    mov 48(%rdi), %r14
    mov 56(%rdi), %r15
    mov 8(%rdi), %rsp
    mov $1, %eax
    jmp *0(%rdi)
asterism_play_end:
    .size asterism_play, .-asterism_play
    .popsection
)");

namespace asterism {
namespace {

struct Registers {
  std::uint64_t rip, rsp, rbx, rbp, r12, r13, r14, r15;
  std::uint32_t mxcsr;
  std::uint16_t control;
};
static_assert(offsetof(Registers, mxcsr) == 64 && offsetof(Registers, control) == 68);

struct Step {
  static constexpr long copy = -1, load_registers = -2;
  long call;
  std::array<long, 6> arguments;
};
static_assert(sizeof(Step) == 56);

extern "C" {
[[gnu::returns_twice]] int asterism_save_registers(Registers* registers);
void asterism_play(const Step* steps, const Registers* registers, const Step* failure);
extern const char asterism_play_end[];
}

// Of the C library: where the heap ends, which the kernel extends.
extern "C" char* __curbrk;

// Of the frozen process, in its own memory.
struct Context {
  Registers registers;
  std::uint64_t thread_pointer;
  void* robust_list;
  std::size_t robust_list_bytes;
  pid_t* thread_id;  // in the thread's control block
  std::array<struct sigaction, NSIG> handlers;
  sigset_t mask;
  // Written by thaw().
  std::uint64_t staging, staging_bytes, message, message_bytes;
};
Context context;

constexpr std::uint64_t page_bytes = ProcessImage::page_bytes;
// Below and above what a process can map.
constexpr std::uint64_t lowest = 0x10000, highest = 0x7ffffffff000;

// Addresses are numbers where they are of another process, or of this one when it will be that.
template <class T>
T* pointer(std::uint64_t address) {
  return reinterpret_cast<T*>(address);  // NOLINT(performance-no-int-to-ptr)
}

std::uint64_t pages_up(std::uint64_t bytes) { return (bytes + page_bytes - 1) / page_bytes * page_bytes; }

[[noreturn]] void fail(const std::string& what) {
  throw ImageError(fmt::format("{}: {}", what, std::strerror(errno)));
}

class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  File(const std::string& path, int flags) : descriptor_(open(path.c_str(), flags | O_CLOEXEC)) {}
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  explicit operator bool() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

// ---- the copy that stands still ----

std::uint64_t thread_pointer() {
  std::uint64_t base = 0;
  constexpr int arch_get_fs = 0x1003;
  syscall(SYS_arch_prctl, arch_get_fs, &base);
  return base;
}

// The C library keeps the thread's number beside it, and gives it to the kernel: nullptr when it does not stand there once.
pid_t* find_thread_id(std::uint64_t thread_pointer) {
  constexpr std::size_t control_block = 0x900;
  const auto self = static_cast<pid_t>(syscall(SYS_gettid));
  auto* const words = pointer<pid_t>(thread_pointer);
  pid_t* found = nullptr;
  for (pid_t* word = words; word != words + control_block / sizeof(pid_t); ++word) {
    if (*word != self) continue;
    if (found != nullptr) return nullptr;
    found = word;
  }
  return found;
}

void note_own_state() {
  context.thread_pointer = thread_pointer();
  context.thread_id = find_thread_id(context.thread_pointer);
  syscall(SYS_get_robust_list, 0, &context.robust_list, &context.robust_list_bytes);
  for (int signal = 1; signal < NSIG; ++signal) sigaction(signal, nullptr, &context.handlers[signal]);
  sigprocmask(SIG_SETMASK, nullptr, &context.mask);
}

// What the kernel keeps of a process, told again.
void take_up_own_state() {
  if (context.thread_id != nullptr) *context.thread_id = static_cast<pid_t>(syscall(SYS_gettid));
  syscall(SYS_set_robust_list, context.robust_list, context.robust_list_bytes);
  constexpr unsigned signature = RSEQ_SIG;
  if (__rseq_size != 0) {
    auto* const area = pointer<struct rseq>(context.thread_pointer + __rseq_offset);
    area->rseq_cs = 0;
    syscall(SYS_rseq, area, sizeof(*area), 0, signature);
  }
  // The kernel knows of another heap, and would extend that. After the first refusal malloc takes memory where it finds it.
  __curbrk = pointer<char>(highest - page_bytes);
  for (int signal = 1; signal < NSIG; ++signal)
    if (signal != SIGKILL && signal != SIGSTOP) sigaction(signal, &context.handlers[signal], nullptr);
}

class FrozenCopy {
 public:
  explicit FrozenCopy(pid_t process) : process_(process) {
    int status = 0;
    if (waitpid(process_, &status, WUNTRACED) < 0 || !WIFSTOPPED(status))
      throw ImageError("the copy of the process did not stand still");
  }
  ~FrozenCopy() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  FrozenCopy(const FrozenCopy&) = delete;
  FrozenCopy& operator=(const FrozenCopy&) = delete;

  std::string file(std::string_view name) const { return fmt::format("/proc/{}/{}", process_, name); }

 private:
  pid_t process_;
};

bool is_of_kernel(const ProcessImage::Mapping& mapping) {
  return mapping.file.starts_with("[vdso") || mapping.file.starts_with("[vvar");
}
bool is_of_memory_file(const ProcessImage::Mapping& mapping) { return mapping.file.starts_with("/memfd:"); }
bool is_of_file(const ProcessImage::Mapping& mapping) {
  return mapping.file.starts_with('/') && !is_of_memory_file(mapping);
}

std::string memory_file_name(std::uint64_t inode) { return fmt::format("/memfd:{}", inode); }

ProcessImage::Mapping parse(const std::string& line) {
  ProcessImage::Mapping mapping;
  char access[5] = {};
  int name = 0;
  unsigned long start = 0, end = 0, offset = 0, inode = 0;
  if (std::sscanf(line.c_str(), "%lx-%lx %4s %lx %*s %lu %n", &start, &end, access, &offset, &inode, &name) <
      5)
    throw ImageError("the kernel's list of mappings cannot be read: " + line);
  mapping.start = start, mapping.end = end, mapping.offset = offset;
  mapping.file = line.substr(static_cast<std::size_t>(name));
  if (is_of_memory_file(mapping)) mapping.file = memory_file_name(inode);
  if (access[0] == 'r') mapping.protection |= PROT_READ;
  if (access[1] == 'w') mapping.protection |= PROT_WRITE;
  if (access[2] == 'x') mapping.protection |= PROT_EXEC;
  if (access[3] == 's')
    throw ImageError("memory that is shared with a file or another process cannot be held: " + mapping.file);
  return mapping;
}

// Of what the file holds at a mapping's place.
struct Held {
  std::uint64_t hash, bytes;
};
Held hash_of(const ProcessImage::Mapping& mapping, int descriptor) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0) fail(mapping.file);
  const auto size = static_cast<std::uint64_t>(status.st_size);
  const std::uint64_t left = size > mapping.offset ? size - mapping.offset : 0,
                      bytes = std::min(mapping.end - mapping.start, left);
  if (bytes == 0) return {0, 0};
  void* const there =
      mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, descriptor, static_cast<off_t>(mapping.offset));
  if (there == MAP_FAILED) fail(mapping.file);
  const Held held{XXH3_64bits(there, bytes), bytes};
  munmap(there, bytes);
  return held;
}

std::vector<ProcessImage::Mapping> read_mappings(const FrozenCopy& copy) {
  std::vector<ProcessImage::Mapping> mappings;
  std::ifstream maps(copy.file("maps"));
  for (std::string line; std::getline(maps, line);) {
    if (line.ends_with("[vsyscall]")) continue;
    ProcessImage::Mapping mapping = parse(line);
    if (is_of_file(mapping)) {
      if (mapping.file.ends_with(" (deleted)"))
        throw ImageError(mapping.file.substr(0, mapping.file.rfind(' ')) +
                         ": has been replaced since the start");
      const File file(mapping.file, O_RDONLY);
      if (!file) fail(mapping.file);
      const Held held = hash_of(mapping, file.descriptor());
      mapping.hash = held.hash, mapping.file_bytes = held.bytes;
    } else if (!is_of_kernel(mapping) && !is_of_memory_file(mapping)) {
      mapping.file.clear();  // heap and stack are memory as any other
    }
    mappings.push_back(std::move(mapping));
  }
  return mappings;
}

// Pages that are the process's own.
std::vector<ProcessImage::Pages> read_pages(const FrozenCopy& copy,
                                            const std::vector<ProcessImage::Mapping>& mappings) {
  const File pagemap(copy.file("pagemap"), O_RDONLY);
  if (!pagemap) fail("the kernel's list of pages");
  constexpr std::uint64_t present = 1ULL << 63, swapped = 1ULL << 62, of_file = 1ULL << 61;
  std::vector<ProcessImage::Pages> all;
  std::vector<std::uint64_t> entries(1 << 16);
  for (const ProcessImage::Mapping& mapping : mappings) {
    if (is_of_kernel(mapping)) continue;
    for (std::uint64_t at = mapping.start; at < mapping.end;) {
      const std::uint64_t count = std::min<std::uint64_t>(entries.size(), (mapping.end - at) / page_bytes);
      const ssize_t got =
          pread(pagemap.descriptor(), entries.data(), count * 8, static_cast<off_t>(at / page_bytes * 8));
      if (got != static_cast<ssize_t>(count * 8)) fail("the kernel's list of pages");
      for (std::uint64_t i = 0; i < count; ++i, at += page_bytes) {
        const std::uint64_t entry = entries[i];
        if ((entry & (present | swapped)) == 0 || (entry & of_file) != 0) continue;
        if (!all.empty() && all.back().start + all.back().count * page_bytes == at)
          ++all.back().count;
        else
          all.push_back({at, 1});
      }
    }
  }
  return all;
}

std::vector<ProcessImage::Descriptor> read_descriptors(const FrozenCopy& copy) {
  std::vector<ProcessImage::Descriptor> all;
  for (const auto& entry : std::filesystem::directory_iterator(copy.file("fd"))) {
    ProcessImage::Descriptor descriptor;
    descriptor.number = std::stoi(entry.path().filename().string());
    descriptor.path = std::filesystem::read_symlink(entry.path()).string();
    std::ifstream info(copy.file("fdinfo/") + entry.path().filename().string());
    for (std::string word; info >> word;) {
      if (word == "pos:") info >> descriptor.position;
      if (word == "flags:") info >> std::oct >> descriptor.flags >> std::dec;
    }
    all.push_back(std::move(descriptor));
  }
  std::ranges::sort(all, {}, &ProcessImage::Descriptor::number);
  return all;
}

// Those that are mapped. One whose descriptor is closed is not found.
std::vector<ProcessImage::MemoryFile> read_memory_files(const FrozenCopy& copy, const ProcessImage& image) {
  std::vector<ProcessImage::MemoryFile> all;
  for (const ProcessImage::Descriptor& each : image.descriptors) {
    if (!each.path.starts_with("/memfd:")) continue;
    struct stat status {};
    if (stat(copy.file(fmt::format("fd/{}", each.number)).c_str(), &status) != 0) fail(each.path);
    all.push_back({memory_file_name(status.st_ino), static_cast<std::uint64_t>(status.st_size), each.number});
  }
  for (const ProcessImage::Mapping& mapping : image.mappings)
    if (is_of_memory_file(mapping) &&
        std::ranges::count(all, mapping.file, &ProcessImage::MemoryFile::name) != 1)
      throw ImageError("a file in memory is mapped that is not open, or is open twice");
  return all;
}

std::string kernel_name() {
  utsname name{};
  uname(&name);
  return fmt::format("{} {}", name.release, name.version);
}

void hand_out(const FrozenCopy& copy,
              const std::function<void(const ProcessImage&, const ContentsReader&)>& write) {
  ProcessImage image;
  image.mappings = read_mappings(copy);
  image.pages = read_pages(copy, image.mappings);
  image.descriptors = read_descriptors(copy);
  image.context = reinterpret_cast<std::uint64_t>(&context);
  image.kernel = kernel_name();
  image.memory_files = read_memory_files(copy, image);

  struct Part {
    std::string file;
    std::uint64_t start, bytes;
  };
  std::vector<Part> parts;
  for (const ProcessImage::MemoryFile& each : image.memory_files)
    parts.push_back({copy.file(fmt::format("fd/{}", each.descriptor)), 0, each.bytes});
  for (const ProcessImage::Pages& each : image.pages)
    parts.push_back({copy.file("mem"), each.start, each.count * page_bytes});
  auto part = parts.begin();
  std::optional<File> file;
  write(image, [&](std::span<std::byte> to) {
    while (!to.empty()) {
      if (!file) file.emplace(part->file, O_RDONLY);
      const ssize_t got =
          pread(file->descriptor(), to.data(), std::min<std::uint64_t>(part->bytes, to.size()),
                static_cast<off_t>(part->start));
      if (got <= 0) fail(fmt::format("{} at {:#x}", part->file, part->start));
      const auto bytes = static_cast<std::uint64_t>(got);
      to = to.subspan(bytes);
      part->start += bytes, part->bytes -= bytes;
      if (part->bytes != 0) continue;
      const auto last = part++;
      if (part == parts.end() || part->file != last->file) file.reset();
    }
  });
}

// ---- the process that takes it on ----

// A place that neither this process nor the image uses.
std::uint64_t find_room(const ProcessImage& image, std::uint64_t bytes) {
  constexpr std::uint64_t first = 0x100000000000, step = 0x10000000000;
  for (std::uint64_t at = first; at + bytes < highest; at += step) {
    if (std::ranges::any_of(image.mappings,
                            [&](const auto& m) { return m.start < at + bytes && at < m.end; }))
      continue;
    void* const there = mmap(pointer<void>(at), bytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (there != MAP_FAILED) return at;
    if (errno != EEXIST) break;
  }
  fail("no room for the memory of the image");
}

std::vector<ProcessImage::Mapping> own_kernel_mappings() {
  std::vector<ProcessImage::Mapping> own;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find("[v") != std::string::npos && !line.ends_with("[vsyscall]")) own.push_back(parse(line));
  return own;
}

class Plan {
 public:
  void add(long call, std::array<long, 6> arguments) { steps_.push_back({call, arguments}); }
  void copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
    add(Step::copy, {signed_(to), signed_(from), signed_(bytes)});
  }
  void unmap(std::uint64_t start, std::uint64_t end) {
    if (start < end) add(SYS_munmap, {signed_(start), signed_(end - start)});
  }
  void map(const ProcessImage::Mapping& mapping, int protection, int descriptor) {
    const bool of_file = descriptor >= 0;
    const int flags = MAP_PRIVATE | MAP_FIXED | (of_file ? 0 : MAP_ANONYMOUS | MAP_NORESERVE);
    add(SYS_mmap, {signed_(mapping.start), signed_(mapping.end - mapping.start), protection, flags,
                   descriptor, of_file ? signed_(mapping.offset) : 0});
  }
  void protect(const ProcessImage::Mapping& mapping) {
    add(SYS_mprotect, {signed_(mapping.start), signed_(mapping.end - mapping.start), mapping.protection});
  }
  void move(std::uint64_t from, std::uint64_t bytes, std::uint64_t to) {
    add(SYS_mremap,
        {signed_(from), signed_(bytes), signed_(bytes), MREMAP_MAYMOVE | MREMAP_FIXED, signed_(to)});
  }
  std::size_t bytes() const { return steps_.size() * sizeof(Step); }
  const std::vector<Step>& steps() const { return steps_; }

  static long signed_(std::uint64_t value) { return static_cast<long>(value); }

 private:
  std::vector<Step> steps_;
};

// Descriptors that mappings of files are made with, of numbers that the image does not use.
class Files {
 public:
  ~Files() {
    for (const auto& [path, descriptor] : open_) close(descriptor);
  }
  int verified(const ProcessImage::Mapping& mapping) {
    const auto [entry, is_new] = open_.try_emplace(mapping.file, -1);
    if (is_new) {
      const File file(mapping.file, O_RDONLY);
      if (file) entry->second = fcntl(file.descriptor(), F_DUPFD_CLOEXEC, lowest_number);
      if (entry->second < 0) throw ImageError(fmt::format("{}: {}", mapping.file, std::strerror(errno)));
    }
    const Held held = hash_of(mapping, entry->second);
    if (held.hash != mapping.hash || held.bytes != mapping.file_bytes)
      throw ImageError(mapping.file + ": is not the file that it was");
    return entry->second;
  }
  int make(const ProcessImage::MemoryFile& file, const ContentsReader& read) {
    std::vector<std::byte> contents(file.bytes);
    read(contents);
    const File made(memfd_create("asterism", MFD_CLOEXEC));
    if (write(made.descriptor(), contents.data(), contents.size()) != static_cast<ssize_t>(contents.size()))
      fail("a file in memory");
    return open_[file.name] = fcntl(made.descriptor(), F_DUPFD_CLOEXEC, lowest_number);
  }
  int number(const std::string& name) const { return open_.at(name); }
  std::vector<int> numbers() const {
    std::vector<int> all;
    for (const auto& [path, descriptor] : open_) all.push_back(descriptor);
    return all;
  }

 private:
  static constexpr int lowest_number = 512;
  std::map<std::string, int> open_;
};

// The main thread's stack has room below what it has used.
void add_room_for_stack(std::vector<ProcessImage::Mapping>& mappings, std::uint64_t stack_pointer) {
  constexpr std::uint64_t room = 8 << 20;
  for (std::size_t i = 0; i < mappings.size(); ++i) {
    ProcessImage::Mapping& mapping = mappings[i];
    if (stack_pointer < mapping.start || stack_pointer >= mapping.end) continue;
    const std::uint64_t below = i == 0 ? lowest : mappings[i - 1].end;
    mapping.start = std::max(below + page_bytes, mapping.start - room);
  }
}

// The kernel's own pages move; the image has been made with the same.
std::vector<std::pair<std::uint64_t, std::uint64_t>> moves_of_kernel(
    const std::vector<ProcessImage::Mapping>& wanted, const std::vector<ProcessImage::Mapping>& own) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> moves;
  auto mine = own.begin();
  for (const ProcessImage::Mapping& each : wanted) {
    if (!is_of_kernel(each)) continue;
    if (mine == own.end() || mine->file != each.file || mine->end - mine->start != each.end - each.start)
      throw ImageError("the kernel's pages in a process are others here");
    moves.emplace_back((mine++)->start, each.start);
  }
  if (mine != own.end()) throw ImageError("the kernel's pages in a process are others here");
  return moves;
}

// Where in the held pages an address stands.
std::uint64_t offset_of(const ProcessImage& image, std::uint64_t address) {
  std::uint64_t offset = 0;
  for (const ProcessImage::Pages& each : image.pages) {
    const std::uint64_t bytes = each.count * page_bytes;
    if (each.start <= address && address < each.start + bytes) return offset + address - each.start;
    offset += bytes;
  }
  throw ImageError("the image lacks its own description");
}

std::uint64_t bytes_of_pages(const ProcessImage& image) {
  std::uint64_t sum = 0;
  for (const ProcessImage::Pages& each : image.pages) sum += each.count * page_bytes;
  return sum;
}

void forget_restartable_sequences() {
  if (__rseq_size == 0) return;
  auto* const area = pointer<struct rseq>(thread_pointer() + __rseq_offset);
  syscall(SYS_rseq, area, sizeof(*area), RSEQ_FLAG_UNREGISTER, RSEQ_SIG);
}

}  // namespace

std::uint64_t ProcessImage::bytes() const {
  std::uint64_t sum = bytes_of_pages(*this);
  for (const MemoryFile& each : memory_files) sum += each.bytes;
  return sum;
}

std::optional<std::string> freeze(
    const std::function<void(const ProcessImage&, const ContentsReader&)>& write) {
  std::fflush(nullptr);
  const pid_t copy = fork();
  if (copy < 0) fail("cannot start a second process");
  if (copy > 0) {
    hand_out(FrozenCopy(copy), write);
    return std::nullopt;
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  note_own_state();
  if (asterism_save_registers(&context.registers) == 0) {
    kill(getpid(), SIGSTOP);
    _exit(0);  // nobody lets it go on
  }
  take_up_own_state();
  std::string message(pointer<const char>(context.message), context.message_bytes);
  munmap(pointer<void>(context.staging), context.staging_bytes);
  sigprocmask(SIG_SETMASK, &context.mask, nullptr);
  return message;
}

void thaw(const ProcessImage& image, const ContentsReader& read, std::string_view message,
          int status_of_failure) {
  if (image.kernel != kernel_name())
    throw ImageError(fmt::format("made under the kernel {}, and this is {}", image.kernel, kernel_name()));
  const std::vector<ProcessImage::Mapping> own_of_kernel = own_kernel_mappings();
  const auto of_kernel = moves_of_kernel(image.mappings, own_of_kernel);
  Files files;
  std::map<std::uint64_t, int> file_at;
  for (const ProcessImage::MemoryFile& each : image.memory_files) files.make(each, read);
  for (const ProcessImage::Mapping& mapping : image.mappings) {
    if (is_of_file(mapping)) file_at[mapping.start] = files.verified(mapping);
    if (is_of_memory_file(mapping)) file_at[mapping.start] = files.number(mapping.file);
  }

  // The region of its own: pages, room for the kernel's mappings, message, code and steps.
  const std::uint64_t page_room = bytes_of_pages(image);
  std::uint64_t kernel_room = 0;
  for (const auto& each : own_of_kernel) kernel_room += each.end - each.start;
  const auto* const code = reinterpret_cast<const char*>(&asterism_play);
  const auto code_bytes = static_cast<std::uint64_t>(&asterism_play_end[0] - code);
  const std::uint64_t steps_at_most =
      4 * image.mappings.size() + image.pages.size() + of_kernel.size() * 2 + 600;
  const std::uint64_t kernel_at = page_room, code_at = kernel_at + kernel_room,
                      message_at = code_at + pages_up(code_bytes);
  const std::uint64_t registers_at = message_at + pages_up(message.size()),
                      steps_at = registers_at + page_bytes;
  const std::uint64_t bytes = pages_up(steps_at + (steps_at_most + 8) * sizeof(Step));
  const std::uint64_t room = find_room(image, bytes);
  auto* const staging = pointer<std::byte>(room);
  read({staging, page_room});
  std::memcpy(staging + code_at, code, code_bytes);
  std::memcpy(staging + message_at, message.data(), message.size());

  Context taken;
  std::byte* const context_there = staging + offset_of(image, image.context);
  std::memcpy(&taken, context_there, sizeof taken);
  taken.staging = room, taken.staging_bytes = bytes;
  taken.message = room + message_at, taken.message_bytes = message.size();
  std::memcpy(context_there, &taken, sizeof taken);
  std::memcpy(staging + registers_at, &taken.registers, sizeof taken.registers);

  Plan plan;
  std::uint64_t parked = room + kernel_at;
  for (const auto& each : own_of_kernel) {
    plan.move(each.start, each.end - each.start, parked);
    parked += each.end - each.start;
  }
  plan.unmap(lowest, room);
  plan.unmap(room + bytes, highest);
  std::vector<ProcessImage::Mapping> mappings = image.mappings;
  add_room_for_stack(mappings, taken.registers.rsp);
  auto range = image.pages.begin();
  std::uint64_t from = room;
  for (const ProcessImage::Mapping& mapping : mappings) {
    if (is_of_kernel(mapping)) continue;
    const auto file = file_at.find(mapping.start);
    const int descriptor = file == file_at.end() ? -1 : file->second;
    const bool holds = range != image.pages.end() && range->start < mapping.end;
    plan.map(mapping, holds ? PROT_READ | PROT_WRITE : mapping.protection, descriptor);
    if (!holds) continue;
    // A range may reach over several mappings that are neighbours.
    for (std::uint64_t at = std::max(mapping.start, range->start);
         range != image.pages.end() && range->start < mapping.end;) {
      const std::uint64_t end = range->start + range->count * page_bytes, upto = std::min(end, mapping.end);
      plan.copy(at, from, upto - at);
      from += upto - at;
      if (upto != end) break;
      if (++range != image.pages.end()) at = range->start;
    }
    if (mapping.protection != (PROT_READ | PROT_WRITE)) plan.protect(mapping);
  }
  parked = room + kernel_at;
  for (std::size_t i = 0; i < of_kernel.size(); ++i) {
    const std::uint64_t size = own_of_kernel[i].end - own_of_kernel[i].start;
    plan.move(parked, size, of_kernel[i].second);
    parked += size;
  }
  for (const ProcessImage::MemoryFile& each : image.memory_files)
    plan.add(SYS_dup3, {files.number(each.name), each.descriptor, O_CLOEXEC});
  for (const int descriptor : files.numbers()) plan.add(SYS_close, {descriptor});
  constexpr long arch_set_fs = 0x1002;
  plan.add(SYS_arch_prctl, {arch_set_fs, Plan::signed_(taken.thread_pointer)});
  plan.add(Step::load_registers, {});
  if (plan.steps().size() > steps_at_most) throw ImageError("the image has too many files");
  std::memcpy(staging + steps_at, plan.steps().data(), plan.bytes());

  constexpr std::string_view last_words = "the memory of the snapshot cannot be mapped\n";
  const std::uint64_t words_at = registers_at + sizeof(Registers), failure_at = steps_at + plan.bytes();
  std::memcpy(staging + words_at, last_words.data(), last_words.size());
  const std::array<Step, 2> failure{
      {{SYS_write, {STDERR_FILENO, Plan::signed_(room + words_at), static_cast<long>(last_words.size())}},
       {SYS_exit_group, {status_of_failure}}}};
  std::memcpy(staging + failure_at, failure.data(), sizeof failure);
  if (mprotect(staging + code_at, pages_up(code_bytes), PROT_READ | PROT_EXEC) != 0)
    fail("the loader of the image");

  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  forget_restartable_sequences();
  pointer<decltype(asterism_play)>(room + code_at)(pointer<const Step>(room + steps_at),
                                                   pointer<const Registers>(room + registers_at),
                                                   pointer<const Step>(room + failure_at));
  __builtin_unreachable();
}

std::string why_no_process_image() {
#ifdef __SANITIZE_ADDRESS__
  return "a build with sanitizers";
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
  return "a build with sanitizers";
#endif
#endif
  return "";
}

}  // namespace asterism
