// thaw(): turns this process into that of an image.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/rseq.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <map>
#include <utility>

#include "platform/snapshot/process_image_parts.h"

// While the memory of a process is replaced, no code in that memory may run and its stack may not be used. So
// the work is a list of system calls, which the following instructions execute from a region of their own.
//
// struct Step {long call; long arguments[6];}; call -1: copy arguments[2] bytes from [1] to [0]; -2: load the
// registers. After a failure the list of steps for failures is executed.
asm(R"(
    .pushsection .text
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

using namespace process_image;

namespace {

struct Step {
  static constexpr long copy = -1, load_registers = -2;
  long call;
  std::array<long, 6> arguments;
};
static_assert(sizeof(Step) == 56);

extern "C" {
void asterism_play(const Step* steps, const Registers* registers, const Step* failure);
extern const char asterism_play_end[];
}

std::uint64_t pages_up(std::uint64_t bytes) { return (bytes + page_bytes - 1) / page_bytes * page_bytes; }

// Finds an address range that neither this process nor the image uses.
std::uint64_t find_free_range(const ProcessImage& image, std::uint64_t bytes) {
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
  fail("no address space for the memory of the image");
}

std::vector<ProcessImage::Mapping> own_kernel_mappings() {
  std::vector<ProcessImage::Mapping> own;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find("[v") != std::string::npos && !line.ends_with("[vsyscall]"))
      own.push_back(parse_mapping(line));
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

// The descriptors from which files are mapped. Their numbers are not used by the image.
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
    const FileContents held = hash_of(mapping, entry->second);
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

// The main thread's stack may grow below the pages that it has used.
void add_stack_growth(std::vector<ProcessImage::Mapping>& mappings, std::uint64_t stack_pointer) {
  constexpr std::uint64_t growth = 8 << 20;
  for (std::size_t i = 0; i < mappings.size(); ++i) {
    ProcessImage::Mapping& mapping = mappings[i];
    if (stack_pointer < mapping.start || stack_pointer >= mapping.end) continue;
    const std::uint64_t below = i == 0 ? lowest : mappings[i - 1].end;
    mapping.start = std::max(below + page_bytes, mapping.start - growth);
  }
}

// The kernel's own pages (vdso) move to the addresses that they have in the image, which was made with the
// same pages.
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

// The offset of an address in the saved pages.
std::uint64_t offset_of(const ProcessImage& image, std::uint64_t address) {
  std::uint64_t offset = 0;
  for (const ProcessImage::Pages& each : image.pages) {
    const std::uint64_t bytes = each.count * page_bytes;
    if (each.start <= address && address < each.start + bytes) return offset + address - each.start;
    offset += bytes;
  }
  throw ImageError("the image lacks its own description");
}

void forget_restartable_sequences() {
  if (__rseq_size == 0) return;
  auto* const area = pointer<struct rseq>(thread_pointer() + __rseq_offset);
  syscall(SYS_rseq, area, sizeof(*area), RSEQ_FLAG_UNREGISTER, RSEQ_SIG);
}

// Where the parts of the region of its own lie, which begins with the pages of the image.
struct Region {
  std::uint64_t mappings_of_kernel, code, message, registers, steps, bytes;
};

// What turns this process into that of an image: a region of its own with all that is needed, and the plan.
class Loader {
 public:
  Loader(const ProcessImage& image, const ContentsReader& read)
      : image_(image),
        own_of_kernel_(own_kernel_mappings()),
        moves_of_kernel_(moves_of_kernel(image.mappings, own_of_kernel_)) {
    for (const ProcessImage::MemoryFile& each : image.memory_files) files_.make(each, read);
    for (const ProcessImage::Mapping& mapping : image.mappings) {
      if (is_of_file(mapping)) file_at_[mapping.start] = files_.verified(mapping);
      if (is_of_memory_file(mapping)) file_at_[mapping.start] = files_.number(mapping.file);
    }
  }

  void fill_region(const ContentsReader& read, std::string_view message) {
    arrange(message.size());
    read({at(0), bytes_of_pages(image_)});
    std::memcpy(at(region_.code), code(), code_bytes());
    std::memcpy(at(region_.message), message.data(), message.size());
    std::byte* const context_there = at(offset_of(image_, image_.context));
    constexpr std::size_t shared_bytes = offsetof(Context, robust_list);
    static_assert(shared_bytes <= page_bytes);
    std::memcpy(&context_, context_there, shared_bytes);
    context_.staging = base_, context_.staging_bytes = region_.bytes;
    context_.message = base_ + region_.message, context_.message_bytes = message.size();
    std::memcpy(context_there, &context_, shared_bytes);
    std::memcpy(at(region_.registers), &context_.registers, sizeof context_.registers);
  }

  void plan() {
    park_mappings_of_kernel();
    plan_.unmap(lowest, base_);
    plan_.unmap(base_ + region_.bytes, highest);
    plan_mappings();
    place_mappings_of_kernel();
    for (const ProcessImage::MemoryFile& each : image_.memory_files)
      plan_.add(SYS_dup3, {files_.number(each.name), each.descriptor, O_CLOEXEC});
    for (const int descriptor : files_.numbers()) plan_.add(SYS_close, {descriptor});
    constexpr long arch_set_fs = 0x1002;
    plan_.add(SYS_arch_prctl, {arch_set_fs, Plan::signed_(context_.thread_pointer)});
    plan_.add(Step::load_registers, {});
    if (plan_.steps().size() > steps_at_most()) throw ImageError("the image has too many files");
    std::memcpy(at(region_.steps), plan_.steps().data(), plan_.bytes());
  }

  // What is executed after a failure follows the steps.
  void plan_failure(int status) {
    constexpr std::string_view last_words = "the memory of the snapshot cannot be mapped\n";
    const std::uint64_t words = region_.registers + sizeof(Registers);
    std::memcpy(at(words), last_words.data(), last_words.size());
    const std::array<Step, 2> failure{
        {{SYS_write, {STDERR_FILENO, Plan::signed_(base_ + words), static_cast<long>(last_words.size())}},
         {SYS_exit_group, {status}}}};
    std::memcpy(at(region_.steps + plan_.bytes()), failure.data(), sizeof failure);
  }

  [[noreturn]] void play() {
    if (mprotect(at(region_.code), pages_up(code_bytes()), PROT_READ | PROT_EXEC) != 0)
      fail("the loader of the image");
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, nullptr);
    forget_restartable_sequences();
    pointer<decltype(asterism_play)>(base_ + region_.code)(
        pointer<const Step>(base_ + region_.steps), pointer<const Registers>(base_ + region_.registers),
        pointer<const Step>(base_ + region_.steps + plan_.bytes()));
    __builtin_unreachable();
  }

 private:
  static const char* code() { return reinterpret_cast<const char*>(&asterism_play); }
  static std::uint64_t code_bytes() { return static_cast<std::uint64_t>(&asterism_play_end[0] - code()); }
  std::uint64_t steps_at_most() const {
    return 4 * image_.mappings.size() + image_.pages.size() + moves_of_kernel_.size() * 2 + 600;
  }
  std::byte* at(std::uint64_t offset) const { return pointer<std::byte>(base_ + offset); }

  void arrange(std::size_t message_bytes) {
    region_.mappings_of_kernel = bytes_of_pages(image_);
    region_.code = region_.mappings_of_kernel;
    for (const auto& each : own_of_kernel_) region_.code += each.end - each.start;
    region_.message = region_.code + pages_up(code_bytes());
    region_.registers = region_.message + pages_up(message_bytes);
    region_.steps = region_.registers + page_bytes;
    region_.bytes = pages_up(region_.steps + (steps_at_most() + 8) * sizeof(Step));
    base_ = find_free_range(image_, region_.bytes);
  }

  void park_mappings_of_kernel() {
    std::uint64_t parked = base_ + region_.mappings_of_kernel;
    for (const auto& each : own_of_kernel_) {
      plan_.move(each.start, each.end - each.start, parked);
      parked += each.end - each.start;
    }
  }

  void place_mappings_of_kernel() {
    std::uint64_t parked = base_ + region_.mappings_of_kernel;
    for (std::size_t i = 0; i < moves_of_kernel_.size(); ++i) {
      const std::uint64_t size = own_of_kernel_[i].end - own_of_kernel_[i].start;
      plan_.move(parked, size, moves_of_kernel_[i].second);
      parked += size;
    }
  }

  void plan_mappings() {
    std::vector<ProcessImage::Mapping> mappings = image_.mappings;
    add_stack_growth(mappings, context_.registers.rsp);
    auto range = image_.pages.begin();
    std::uint64_t from = base_;
    for (const ProcessImage::Mapping& mapping : mappings) {
      if (is_of_kernel(mapping)) continue;
      const auto file = file_at_.find(mapping.start);
      const int descriptor = file == file_at_.end() ? -1 : file->second;
      const bool holds = range != image_.pages.end() && range->start < mapping.end;
      plan_.map(mapping, holds ? PROT_READ | PROT_WRITE : mapping.protection, descriptor);
      if (!holds) continue;
      // A range of pages may cover several adjacent mappings.
      for (std::uint64_t to = std::max(mapping.start, range->start);
           range != image_.pages.end() && range->start < mapping.end;) {
        const std::uint64_t end = range->start + range->count * page_bytes, upto = std::min(end, mapping.end);
        plan_.copy(to, from, upto - to);
        from += upto - to;
        if (upto != end) break;
        if (++range != image_.pages.end()) to = range->start;
      }
      if (mapping.protection != (PROT_READ | PROT_WRITE)) plan_.protect(mapping);
    }
  }

  const ProcessImage& image_;
  const std::vector<ProcessImage::Mapping> own_of_kernel_;
  const std::vector<std::pair<std::uint64_t, std::uint64_t>> moves_of_kernel_;  // from, to
  Files files_;
  std::map<std::uint64_t, int> file_at_;  // by the start of a mapping
  Region region_{};
  std::uint64_t base_ = 0;  // of the region
  Context context_{};
  Plan plan_;
};

}  // namespace

void thaw(const ProcessImage& image, const ContentsReader& read, std::string_view message,
          int status_of_failure) {
  if (image.kernel != kernel_name())
    throw ImageError(fmt::format("made under the kernel {}, and this is {}", image.kernel, kernel_name()));
  if (!has_features(processor_features(), image.processor))
    throw ImageError("made on a processor with instructions that this one does not have");
  Loader loader(image, read);
  loader.fill_region(read, message);
  loader.plan();
  loader.plan_failure(status_of_failure);
  loader.play();
}

}  // namespace asterism
