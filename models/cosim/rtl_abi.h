/* The plain C interface between Asterism and an RTL block in a shared library.
 *
 * `asterism rtl build` writes a library that implements it around a Verilated model; rtl_library.h loads it.
 * A library exports one symbol, a function `const AsterismRtlBlock* asterism_rtl_block(void)`, and depends on
 * nothing of Asterism. Any number of instances of any number of libraries live in one process; an instance is
 * used by one thread at a time.
 *
 * A clock cycle consists of two calls; between cycles the clock is high:
 *
 *   the inputs of the cycle are written to port()
 *   settle()   the clock is low; combinational outputs follow the inputs: the outputs of this cycle
 *   edge()     the rising edge; registers and the logic behind them change
 *
 * A block without a clock only settles. Any change of the meaning or the layout of this interface increments
 * ASTERISM_RTL_VERSION.
 */
#ifndef ASTERISM_COSIM_RTL_ABI_H
#define ASTERISM_COSIM_RTL_ABI_H

#include <stdint.h>

#define ASTERISM_RTL_MAGIC UINT32_C(0x4C545241) /* "ARTL" */
#define ASTERISM_RTL_VERSION UINT32_C(1)
#define ASTERISM_RTL_SYMBOL "asterism_rtl_block"

#ifdef __cplusplus
extern "C" {
#endif

enum { ASTERISM_RTL_INPUT = 0, ASTERISM_RTL_OUTPUT = 1 };

typedef struct {
  const char* name; /* in the top module */
  const char*
      role; /* in the block's contract: "request", "bus.address", "in.valid", "interrupt.0"; "" for the
                         clock and for ports without a role */
  uint32_t direction; /* ASTERISM_RTL_INPUT or ASTERISM_RTL_OUTPUT */
  uint32_t width;     /* bits */
} AsterismRtlPort;

typedef struct {
  const char* name; /* of the SystemVerilog parameter */
  uint64_t value;
} AsterismRtlParameter;

typedef struct {
  uint32_t magic, version; /* the position of these two never changes */

  const char* block;          /* name in block.json */
  const char* contract;       /* "arbiter", "bus_device", "stream_switch", "codec" */
  const char* digest;         /* of everything from which the library was built */
  uint32_t reset_active_high; /* the role "reset", and "power_on_reset" if a block has two */
  uint32_t reset_cycles;      /* for which the reset input is asserted */
  uint32_t has_clock, has_trace, has_assertions;
  uint32_t port_count, parameter_count;
  const AsterismRtlPort* ports;
  const AsterismRtlParameter* parameters;

  /* Creates an instance with all inputs zero, without reset or evaluation. Returns NULL if there is no
     memory. */
  void* (*create)(const char* name);
  void (*destroy)(void* instance);

  /* The value of a port, valid as long as the instance exists: 1, 2, 4 or 8 bytes for up to 8, 16, 32 or 64
     bits, then a multiple of 4; the host's byte order within each, the lowest word first. Bits above the width
     are zero. */
  void* (*port)(void* instance, uint32_t index);

  /* Each returns 0, or another value if the model has ended itself ($stop, $fatal, a failed assertion, no
     fixed point of a combinational loop): failure() says why, and the instance must not be evaluated again. */
  int (*settle)(void* instance);
  int (*edge)(void* instance);
  int (*run)(void* instance, uint64_t cycles); /* repeats settle() and edge() with the present inputs */
  const char* (*failure)(void* instance);

  /* The complete state, including ports. save() returns its size in bytes and writes it if `capacity`
     suffices; restore() accepts the state that an instance of the same library has saved, and returns 0. */
  uint64_t (*save)(void* instance, void* buffer, uint64_t capacity);
  int (*restore)(void* instance, const void* buffer, uint64_t size);

  /* Writes an FST file of everything below the top module; one at a time per instance. trace_open returns 0,
     or another value if the file cannot be written. trace() adds the present values at a time in picoseconds,
     which never decreases. */
  int (*trace_open)(void* instance, const char* file);
  void (*trace)(void* instance, uint64_t picoseconds);
  void (*trace_close)(void* instance);
} AsterismRtlBlock;

typedef const AsterismRtlBlock* (*AsterismRtlEntry)(void);

#ifdef __cplusplus
}
#endif

#endif
