#include "apps/memory_timing/traffic.h"

// In assembly: a compiler would leave out the loads, whose values nothing uses.
#define LOAD "ldp q0, q1, [%[at]], #32\nldp q2, q3, [%[at]], #32\n"
#define STORE "stp q4, q4, [%[at], #-64]\nstp q4, q4, [%[at], #-32]\n"
#define DELAY "mov x9, %[delay]\n2: nop\nsubs x9, x9, #1\nb.ne 2b\n"

// `group` lines by `code`, and `delayed_code` with delays.
#define TRAFFIC(name, group, code, delayed_code)                                                  \
  static void name##_at_once(void* first, uint64_t lines, uint64_t value, uint64_t passes) {      \
    void* at;                                                                                     \
    uint64_t left;                                                                                \
    __asm__ volatile(                                                                             \
        "dup v4.2d, %[value]\n1:\nmov %[at], %[first]\nmov %[left], %[lines]\n"                   \
        "2:\n.rept 12 / " #group "\n" code                                                        \
        ".endr\nsubs %[left], %[left], #12\nb.ne 2b\n"                                            \
        "subs %[passes], %[passes], #1\nb.ne 1b\n"                                                \
        : [at] "=&r"(at), [left] "=&r"(left), [passes] "+&r"(passes)                              \
        : [first] "r"(first), [lines] "r"(lines), [value] "r"(value)                              \
        : "v0", "v1", "v2", "v3", "v4", "cc", "memory");                                          \
  }                                                                                               \
  static void name##_delayed(void* at, uint64_t lines, uint64_t value, uint64_t delay) {          \
    __asm__ volatile("dup v4.2d, %[value]\n1:\n" delayed_code "subs %[lines], %[lines], #" #group \
                     "\nb.ne 1b\n"                                                                \
                     : [at] "+&r"(at), [lines] "+&r"(lines)                                       \
                     : [value] "r"(value), [delay] "r"(delay)                                     \
                     : "x9", "v0", "v1", "v2", "v3", "v4", "cc", "memory");                       \
  }

TRAFFIC(reads, 1, LOAD, LOAD DELAY)
TRAFFIC(three_to_one, 3, LOAD LOAD LOAD STORE, LOAD DELAY LOAD DELAY LOAD STORE DELAY)
TRAFFIC(two_to_one, 2, LOAD LOAD STORE, LOAD DELAY LOAD STORE DELAY)
TRAFFIC(one_to_one, 1, LOAD STORE, LOAD STORE DELAY)

const Mix mix_of[mixes] = {
    {"1:0", 0, reads_at_once, reads_delayed},
    {"3:1", 3, three_to_one_at_once, three_to_one_delayed},
    {"2:1", 2, two_to_one_at_once, two_to_one_delayed},
    {"1:1", 1, one_to_one_at_once, one_to_one_delayed},
};
