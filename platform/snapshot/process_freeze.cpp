// freeze(): the stopped copy of a process, and what the copy restores when it continues as another process.
#include <fcntl.h>
#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/rseq.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <utility>

#include "base/sanitizers.h"
#include "platform/snapshot/process_image_parts.h"

// Works like setjmp(3), but saves the control of floating point and obscures no addresses. Returns 0, and 1
// when the registers are loaded.
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
    .popsection
)");

namespace asterism {

using namespace process_image;

namespace {

extern "C" [[gnu::returns_twice]] int asterism_save_registers(Registers* registers);

// A variable of glibc: the end of the heap that brk(2) extends.
extern "C" char* __curbrk;

Context context;

// The word in which glibc keeps the thread's number: the kernel clears the same word when the thread ends.
// Returns nullptr if that word is another one.
pid_t* find_thread_id() {
  pid_t* word = nullptr;
  if (prctl(PR_GET_TID_ADDRESS, &word) != 0 || word == nullptr) return nullptr;
  return *word == static_cast<pid_t>(syscall(SYS_gettid)) ? word : nullptr;
}

void note_own_state() {
  context.thread_pointer = thread_pointer();
  context.thread_id = find_thread_id();
  syscall(SYS_get_robust_list, 0, &context.robust_list, &context.robust_list_bytes);
  for (int signal = 1; signal < NSIG; ++signal) sigaction(signal, nullptr, &context.handlers[signal]);
  sigaltstack(nullptr, &context.handler_stack);
  sigprocmask(SIG_SETMASK, nullptr, &context.mask);
}

// Restores the state that the kernel keeps for a process.
void restore_own_state() {
  *context.thread_id = static_cast<pid_t>(syscall(SYS_set_tid_address, context.thread_id));
  syscall(SYS_set_robust_list, context.robust_list, context.robust_list_bytes);
  constexpr unsigned signature = RSEQ_SIG;
  if (__rseq_size != 0) {
    auto* const area = pointer<struct rseq>(context.thread_pointer + __rseq_offset);
    area->rseq_cs = 0;
    syscall(SYS_rseq, area, sizeof(*area), 0, signature);
  }
  // The kernel would extend the heap of the process that called thaw(). After the first refusal malloc takes
  // its memory from mmap(2).
  __curbrk = pointer<char>(highest - page_bytes);
  for (int signal = 1; signal < NSIG; ++signal)
    if (signal != SIGKILL && signal != SIGSTOP) sigaction(signal, &context.handlers[signal], nullptr);
  sigaltstack(&context.handler_stack, nullptr);
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

std::vector<ProcessImage::Mapping> read_mappings(const FrozenCopy& copy) {
  std::vector<ProcessImage::Mapping> mappings;
  std::ifstream maps(copy.file("maps"));
  for (std::string line; std::getline(maps, line);) {
    if (line.ends_with("[vsyscall]")) continue;
    ProcessImage::Mapping mapping = parse_mapping(line);
    if (is_of_file(mapping)) {
      if (mapping.file.ends_with(" (deleted)"))
        throw ImageError(mapping.file.substr(0, mapping.file.rfind(' ')) +
                         ": has been replaced since the start");
      const File file(mapping.file, O_RDONLY);
      if (!file) fail(mapping.file);
      const FileContents held = hash_of(mapping, file.descriptor());
      mapping.hash = held.hash, mapping.file_bytes = held.bytes;
    } else if (!is_of_kernel(mapping) && !is_of_memory_file(mapping)) {
      if (mapping.file == "[stack]") {
        // The kernel extends it only in this process. It keeps the place below it free.
        constexpr std::uint64_t room = 7 << 20;
        const std::uint64_t below = mappings.empty() ? 0 : mappings.back().end;
        mapping.start = std::max(below, mapping.start - std::min(room, mapping.start));
      }
      mapping.file.clear();  // heap and stack are saved like any other memory
    }
    mappings.push_back(std::move(mapping));
  }
  return mappings;
}

// The pages that belong to the process alone, so that they must be saved.
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

// The memory files that are mapped. A file whose descriptor is closed cannot be saved.
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

void hand_out(const FrozenCopy& copy,
              const std::function<void(const ProcessImage&, const ContentsReader&)>& write) {
  ProcessImage image;
  image.mappings = read_mappings(copy);
  image.pages = read_pages(copy, image.mappings);
  image.descriptors = read_descriptors(copy);
  image.context = reinterpret_cast<std::uint64_t>(&context);
  image.kernel = kernel_name();
  image.processor = processor_features();
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

}  // namespace

std::string why_no_process_image() {
  if (is_sanitized) return "a build with sanitizers";
  if (find_thread_id() == nullptr)
    return fmt::format("a system whose thread number is not where PR_GET_TID_ADDRESS points (glibc {})",
                       gnu_get_libc_version());
  if (__curbrk != sbrk(0))
    return fmt::format("a system whose heap does not end at __curbrk (glibc {})", gnu_get_libc_version());
  return "";
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
    _exit(0);  // the copy must not continue
  }
  restore_own_state();
  std::string message(pointer<const char>(context.message), context.message_bytes);
  munmap(pointer<void>(context.staging), context.staging_bytes);
  sigprocmask(SIG_SETMASK, &context.mask, nullptr);
  return message;
}

}  // namespace asterism
