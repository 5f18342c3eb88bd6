// Runs on qemu-aarch64: executes single instructions on given operands, and prints what became of them.
//
//   stdin    the number of instructions, their words, then cases until the end (struct Case in cases.h)
//   stdout   a struct Outcome for each case
//
// No libc: a few system calls and one piece of assembly.
typedef unsigned int u32;
typedef unsigned long u64;

struct Case {
  u32 instruction, fpcr, fpsr, nzcv;
  u64 x[2];
  u64 v[4][2];
};
struct Outcome {
  u64 v[2];
  u64 x;
  u32 fpsr, nzcv;
};

enum {
  sys_read = 63,
  sys_write = 64,
  sys_exit = 93,
  sys_mprotect = 226,
  max_instructions = 65536,
  batch = 256
};

static long system_call(long number, long a, long b, long c) {
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
  return x0;
}

static long read_all(void* to, long size) {
  long done = 0;
  while (done < size) {
    const long got = system_call(sys_read, 0, (long)to + done, size - done);
    if (got <= 0) break;
    done += got;
  }
  return done;
}
static void write_all(const void* from, long size) {
  for (long done = 0; done < size;) {
    const long put = system_call(sys_write, 1, (long)from + done, size - done);
    if (put <= 0) system_call(sys_exit, 2, 0, 0);
    done += put;
  }
}

// Each instruction and a RET.
static u32 code[2 * max_instructions] __attribute__((aligned(65536)));

static void execute(const struct Case* in, struct Outcome* out) {
  register const struct Case* given __asm__("x19") = in;
  register struct Outcome* result __asm__("x20") = out;
  register const u32* at __asm__("x21") = &code[2 * in->instruction];
  __asm__ volatile(
      "ldp w10, w11, [x19, #4]\n"
      "ldr w12, [x19, #12]\n"
      "ldp x0, x1, [x19, #16]\n"
      "ldp q0, q1, [x19, #32]\n"
      "ldp q2, q3, [x19, #64]\n"
      "msr fpcr, x10\n"
      "msr fpsr, x11\n"
      "msr nzcv, x12\n"
      "blr x21\n"
      "mrs x11, fpsr\n"
      "mrs x12, nzcv\n"
      "str q0, [x20]\n"
      "str x0, [x20, #16]\n"
      "stp w11, w12, [x20, #24]\n"
      :
      : "r"(given), "r"(result), "r"(at)
      : "x0", "x1", "x10", "x11", "x12", "x30", "v0", "v1", "v2", "v3", "cc", "memory");
}

void _start(void) {
  static struct Case in[batch];
  static struct Outcome out[batch];
  u32 count;
  if (read_all(&count, sizeof count) != sizeof count || count > max_instructions)
    system_call(sys_exit, 1, 0, 0);
  for (u32 i = 0; i < count; ++i) {
    read_all(&code[2 * i], sizeof code[0]);
    code[2 * i + 1] = 0xd65f03c0;  // ret
  }
  if (system_call(sys_mprotect, (long)code, sizeof code, 5) != 0) system_call(sys_exit, 3, 0, 0);
  for (long got; (got = read_all(in, sizeof in) / (long)sizeof in[0]) > 0;) {
    for (long i = 0; i < got; ++i) execute(&in[i], &out[i]);
    write_all(out, got * (long)sizeof out[0]);
  }
  system_call(sys_exit, 0, 0, 0);
}
