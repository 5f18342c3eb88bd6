#include "user_space/user_space.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "asterism/platform.h"
#include "boot/device_address.h"
#include "boot/guarded_copy.h"
#include "boot/interrupts.h"
#include "drivers/device_tree.h"
#include "drivers/gic.h"
#include "drivers/mmio.h"

static const char compatible[] = "asterism,dimm-ssd";
static const char huge_pages[] = "/dev/hugepages", memory_file[] = "/dev/hugepages/asterism";
static const uint64_t no_address = UINT64_MAX - page_bytes + 1;

static struct {
  uint8_t* first;  // NULL: none yet
  size_t bytes;
  size_t used;
  size_t frame_bytes;
  uint64_t* frames;  // the physical address of each huge page
} memory;

static Device device;  // base is where the registers are mapped; 0: none
static InterruptHandler handler;
static char problem[200];

// ---- errors ----

const char* user_space_problem(void) { return problem; }

static CheckpointStatus fail(CheckpointStatus status, const char* what, const char* reason) {
  snprintf(problem, sizeof problem, "%s: %s", what, reason);
  return status;
}

static CheckpointStatus failed_by_system(const char* what) {
  return fail(checkpoint_no_device, what, strerror(errno));
}

// ---- the device ----

// The linker gives the calls of device_tree_find() to __wrap_device_tree_find(), and the function itself the
// other name (--wrap). Thus the drivers find no device but the one that the process has mapped.
bool __real_device_tree_find(const char* wanted, Device* found);
bool __wrap_device_tree_find(const char* wanted, Device* found);
bool __wrap_device_tree_find_instance(const char* wanted, unsigned instance, Device* found);

bool __wrap_device_tree_find(const char* wanted, Device* found) {
  if (device.base == 0 || strcmp(wanted, compatible) != 0) return false;
  *found = device;
  return true;
}
bool __wrap_device_tree_find_instance(const char* wanted, unsigned instance, Device* found) {
  return instance == 0 && __wrap_device_tree_find(wanted, found);
}

static CheckpointStatus read_device_tree(void) {
  static const char name[] = "/sys/firmware/fdt";
  const int file = open(name, O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0) return failed_by_system(name);
  // The parser keeps pointers into it.
  void* const tree =
      mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const bool is_read = tree != MAP_FAILED && read(file, tree, (size_t)status.st_size) == status.st_size;
  close(file);
  if (!is_read) return failed_by_system(name);
  device_tree_initialize((uintptr_t)tree);
  return checkpoint_ok;
}

static CheckpointStatus map_registers(int physical_memory) {
  Device found;
  if (!__real_device_tree_find(compatible, &found))
    return fail(checkpoint_no_device, "the device tree", "it has no DIMM-SSD");
  void* const registers =
      mmap(NULL, found.size, PROT_READ | PROT_WRITE, MAP_SHARED, physical_memory, (off_t)found.base);
  if (registers == MAP_FAILED) return failed_by_system("the registers of the DIMM-SSD");
  device = found;
  device.base = (uintptr_t)registers;
  return checkpoint_ok;
}

static void pause_briefly(void) { nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL); }

// Waits for what an earlier process has begun, and then makes the device forget the list and the shadow
// memory of that process.
static void take_over(void) {
  while ((mmio_read(device.base + DIMM_SSD_STATUS) & DIMM_SSD_STATUS_BUSY_MASK) != 0 ||
         mmio_read(device.base + DIMM_SSD_OPEN) != 0)
    pause_briefly();
  mmio_write(device.base + DIMM_SSD_SHADOW_PAGES, 0);
  mmio_write(device.base + DIMM_SSD_COMMAND, (uint32_t)dimm_ssd_abort << DIMM_SSD_COMMAND_OPERATION_SHIFT);
  while ((mmio_read(device.base + DIMM_SSD_STATUS) & DIMM_SSD_STATUS_BUSY_MASK) != 0) pause_briefly();
}

void gic_enable(uint32_t interrupt, InterruptHandler wanted) {
  (void)interrupt;  // the process has only one device
  handler = wanted;
}

void wait_for_interrupt(void) {
  pause_briefly();
  if (handler != NULL) handler();
}

void sleep_until(volatile bool* flag) {
  if (handler != NULL) handler();
  while (!*flag) wait_for_interrupt();
}

// ---- the memory ----

// The lock ends with the process.
static CheckpointStatus open_memory(int* file) {
  struct statfs system;
  if (statfs(huge_pages, &system) != 0) return failed_by_system(huge_pages);
  if (system.f_type != HUGETLBFS_MAGIC)
    return fail(checkpoint_no_device, huge_pages, "no hugetlbfs is mounted there");
  memory.frame_bytes = (size_t)system.f_bsize;
  *file = open(memory_file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (*file < 0) return failed_by_system(memory_file);
  if (flock(*file, LOCK_EX | LOCK_NB) == 0) return checkpoint_ok;
  return fail(checkpoint_busy, memory_file, "another process uses the DIMM-SSD");
}

static CheckpointStatus map_memory(int file, size_t bytes) {
  const size_t count = (bytes + CHECKPOINT_OWN_BYTES + memory.frame_bytes - 1) / memory.frame_bytes;
  if (ftruncate(file, (off_t)(count * memory.frame_bytes)) != 0) return failed_by_system(memory_file);
  void* const first =
      mmap(NULL, count * memory.frame_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, 0);
  if (first == MAP_FAILED)
    return fail(checkpoint_too_large, "/proc/sys/vm/nr_hugepages", "there are too few huge pages");
  memory.first = first;
  memory.bytes = count * memory.frame_bytes;
  return checkpoint_ok;
}

// Registered buffers of io_uring are pinned for a long term: the kernel does not migrate their pages, not
// even within a range for contiguous allocations. The ring is not used otherwise.
static CheckpointStatus pin_memory(void) {
  struct io_uring_params parameters = {0};
  const struct iovec all = {memory.first, memory.bytes};
  const long ring = syscall(SYS_io_uring_setup, 1, &parameters);
  if (ring < 0 || syscall(SYS_io_uring_register, ring, IORING_REGISTER_BUFFERS, &all, 1) != 0)
    return failed_by_system("io_uring");
  return checkpoint_ok;
}

static CheckpointStatus find_frames(void) {
  static const char name[] = "/proc/self/pagemap";
  const int file = open(name, O_RDONLY | O_CLOEXEC);
  memory.frames = calloc(memory.bytes / memory.frame_bytes, sizeof *memory.frames);
  if (file < 0 || memory.frames == NULL) return failed_by_system(name);
  for (size_t i = 0; i < memory.bytes / memory.frame_bytes; ++i) {
    uint64_t entry;
    const uintptr_t page = ((uintptr_t)memory.first + i * memory.frame_bytes) / page_bytes;
    if (pread(file, &entry, sizeof entry, (off_t)(page * sizeof entry)) != sizeof entry)
      return failed_by_system(name);
    memory.frames[i] = (entry & ((UINT64_C(1) << 55) - 1)) * page_bytes;
    if (memory.frames[i] == 0)
      return fail(checkpoint_no_device, name, "it hides physical addresses from this process");
  }
  close(file);
  return checkpoint_ok;
}

uint64_t device_address(const void* pointer, size_t bytes) {
  const uintptr_t first = (uintptr_t)memory.first, at = (uintptr_t)pointer;
  if (at < first || at - first > memory.bytes || bytes > memory.bytes - (at - first)) return no_address;
  const size_t frame = (at - first) / memory.frame_bytes,
               last = (at - first + (bytes > 0 ? bytes - 1 : 0)) / memory.frame_bytes;
  for (size_t i = frame; i < last; ++i)
    if (memory.frames[i + 1] != memory.frames[i] + memory.frame_bytes) return no_address;
  return memory.frames[frame] + (at - first) % memory.frame_bytes;
}

void* memory_allocate(size_t bytes) {
  const size_t whole = (bytes + page_bytes - 1) / page_bytes * page_bytes;
  if (whole < bytes || whole > memory.bytes - memory.used) return NULL;
  void* const allocated = memory.first + memory.used;
  memory.used += whole;
  return allocated;
}

uint64_t memory_end(void) { return (uintptr_t)memory.first + memory.bytes; }
void memory_keep_from(uint64_t first) { memory.bytes = first - (uintptr_t)memory.first; }

// Linux ends a process that reads lost memory by SIGBUS.
bool memory_copy_guarded(void* destination, const void* source, size_t bytes) {
  memcpy(destination, source, bytes);
  return true;
}

CheckpointStatus user_space_open(size_t bytes) {
  if (device.base != 0) return fail(checkpoint_busy, memory_file, "this process has opened it already");
  static const char name[] = "/dev/mem";
  const int physical_memory = open(name, O_RDWR | O_SYNC | O_CLOEXEC);
  if (physical_memory < 0) return failed_by_system(name);
  int file = -1;
  CheckpointStatus status = read_device_tree();
  if (status == checkpoint_ok) status = map_registers(physical_memory);
  close(physical_memory);
  if (status == checkpoint_ok) status = open_memory(&file);
  if (status == checkpoint_ok) take_over();
  if (status == checkpoint_ok) status = map_memory(file, bytes);
  if (status == checkpoint_ok) status = pin_memory();
  if (status == checkpoint_ok) status = find_frames();
  if (status == checkpoint_ok) status = checkpoint_select(0, memory_allocate(CHECKPOINT_OWN_BYTES));
  if (status == checkpoint_ok) return status;
  device.base = 0;
  if (file >= 0) close(file);
  return status;
}
