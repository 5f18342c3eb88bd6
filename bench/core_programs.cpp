#include "core_programs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/temporary_folder.h"
#include "figures.h"

namespace asterism {
namespace {

// Sets the registers that the loops use.
std::vector<std::uint32_t> prologue(std::uint64_t source, std::uint64_t target, std::uint64_t iterations) {
  std::vector<std::uint32_t> words;
  const auto set = [&](std::uint32_t reg, std::uint64_t value) {
    for (std::uint32_t part = 0; part < 4; ++part) {  // movz, movk, movk, movk
      const auto half = static_cast<std::uint32_t>(value >> (16 * part) & 0xffff);
      words.push_back((part == 0 ? 0xd280'0000 : 0xf280'0000) | part << 21 | half << 5 | reg);
    }
  };
  set(9, iterations);
  set(10, source);
  set(11, target);
  return words;
}

}  // namespace

const std::vector<Program> loops = {
    {"integer",
     {
         0xd28da561,  // mov x1, #0x6d2b
         0xd28b0a25,  // mov x5, #0x5851
         0xca013421,  // loop: eor x1, x1, x1, lsl #13
         0xca411c21,  // eor x1, x1, x1, lsr #7
         0xca014421,  // eor x1, x1, x1, lsl #17
         0x9b050822,  // madd x2, x1, x5, x2
         0x8b428063,  // add x3, x3, x2, lsr #32
         0xf240003f,  // tst x1, #1
         0x9a840484,  // csinc x4, x4, x4, eq
         0x36000049,  // tbz x9, #0, even
         0x8b0100c6,  // add x6, x6, x1
         0xf1000529,  // even: subs x9, x9, #1
         0x54fffec1,  // b.ne loop
     },
     10.5},
    {"copy",
     {
         0xd282000c,  // outer: mov x12, #4096
         0xaa0a03ed,  // mov x13, x10
         0xaa0b03ee,  // mov x14, x11
         0xa8c109a1,  // loop: ldp x1, x2, [x13], #16
         0xa8c111a3,  // ldp x3, x4, [x13], #16
         0xa88109c1,  // stp x1, x2, [x14], #16
         0xa88111c3,  // stp x3, x4, [x14], #16
         0xf100818c,  // subs x12, x12, #32
         0x54ffff61,  // b.ne loop
         0xf1000529,  // subs x9, x9, #1
         0x54fffec1,  // b.ne outer
     },
     3 + 128 * 6 + 2},
    {"daxpy",
     {
         0x1e6f1000,  // fmov d0, #1.5
         0xd280400c,  // outer: mov x12, #512
         0xaa0a03ed,  // mov x13, x10
         0xaa0b03ee,  // mov x14, x11
         0xfc4085a1,  // loop: ldr d1, [x13], #8
         0xfd4001c2,  // ldr d2, [x14]
         0x1f400822,  // fmadd d2, d1, d0, d2
         0xfc0085c2,  // str d2, [x14], #8
         0xf100058c,  // subs x12, x12, #1
         0x54ffff61,  // b.ne loop
         0xf1000529,  // subs x9, x9, #1
         0x54fffec1,  // b.ne outer
     },
     3 + 512 * 6 + 2},
};

// clang-format off
const std::vector<Program> classes = {
    {"branches",
     {
         0xd2800001,  // mov x1, #0
         0x14000002,  // loop: b 1f
         0xd503201f,  // nop
         0xb4000029,  // 1: cbz x9, 2f
         0xb5000049,  // 2: cbnz x9, 3f
         0xd503201f,  // nop
         0x37180021,  // 3: tbnz x1, #3, 4f
         0x36180041,  // 4: tbz x1, #3, 5f
         0xd503201f,  // nop
         0x34000041,  // 5: cbz w1, 6f
         0xd503201f,  // nop
         0xf1000529,  // 6: subs x9, x9, #1
         0x54fffea1,  // b.ne loop
     }},
    {"calls",
     {
         0x94000007,  // loop: bl 1f
         0x94000007,  // bl 2f
         0x94000005,  // bl 1f
         0x94000005,  // bl 2f
         0xf1000529,  // subs x9, x9, #1
         0x54ffff61,  // b.ne loop
         0x14000003,  // b 3f
         0xd65f03c0,  // 1: ret
         0xd65f03c0,  // 2: ret
         0xd503201f,  // 3: nop
     }},
    {"indirect jumps",
     {
         0x100000c1,  // adr x1, 1f
         0x10000082,  // adr x2, 2f
         0x10000103,  // adr x3, 3f
         0x10000084,  // adr x4, 4f
         0xd61f0020,  // loop: br x1
         0xd61f0060,  // 2: br x3
         0xd61f0040,  // 1: br x2
         0xf1000529,  // 4: subs x9, x9, #1
         0x54ffff81,  // b.ne loop
         0x14000002,  // b 5f
         0xd61f0080,  // 3: br x4
         0xd503201f,  // 5: nop
     }},
    {"loads",
     {
         0x39400141,  // loop: ldrb w1, [x10]
         0x79400542,  // ldrh w2, [x10, #2]
         0xb9400543,  // ldr w3, [x10, #4]
         0xf9400544,  // ldr x4, [x10, #8]
         0xb9801145,  // ldrsw x5, [x10, #16]
         0x39c05146,  // ldrsb w6, [x10, #20]
         0xf8415147,  // ldur x7, [x10, #21]
         0xf8667948,  // ldr x8, [x10, x6, lsl #3]
         0xa9420941,  // ldp x1, x2, [x10, #32]
         0x3dc00d40,  // ldr q0, [x10, #48]
         0xf1000529,  // subs x9, x9, #1
         0x54fffea1,  // b.ne loop
     }},
    {"stores",
     {
         0x39000161,  // loop: strb w1, [x11]
         0x79000562,  // strh w2, [x11, #2]
         0xb9000563,  // str w3, [x11, #4]
         0xf9000564,  // str x4, [x11, #8]
         0xf8011165,  // stur x5, [x11, #17]
         0xf83f7966,  // str x6, [x11, xzr, lsl #3]
         0xa9022167,  // stp x7, x8, [x11, #32]
         0x29060961,  // stp w1, w2, [x11, #48]
         0x3d801160,  // str q0, [x11, #64]
         0xfd002960,  // str d0, [x11, #80]
         0xf1000529,  // subs x9, x9, #1
         0x54fffea1,  // b.ne loop
     }},
    {"pushes and pops",
     {
         0x9100017f,  // mov sp, x11
         0xa9be7bfd,  // loop: stp x29, x30, [sp, #-32]!
         0xa90153f3,  // stp x19, x20, [sp, #16]
         0x910003fd,  // mov x29, sp
         0x91000673,  // add x19, x19, #1
         0xa94153f3,  // ldp x19, x20, [sp, #16]
         0xa8c27bfd,  // ldp x29, x30, [sp], #32
         0xf1000529,  // subs x9, x9, #1
         0x54ffff21,  // b.ne loop
     }},
    {"moves and logic",
     {
         0xaa0903e1,  // loop: mov x1, x9
         0x52824682,  // movz w2, #0x1234
         0x72aacf02,  // movk w2, #0x5678, lsl #16
         0x92401c23,  // and x3, x1, #0xff
         0xaa020064,  // orr x4, x3, x2
         0xca010085,  // eor x5, x4, x1
         0x0a2300a6,  // bic w6, w5, w3
         0x8b0600a7,  // add x7, x5, x6
         0xd10044e8,  // sub x8, x7, #17
         0x8b224901,  // add x1, x8, w2, uxtw #2
         0xcb0103e2,  // neg x2, x1
         0x2a2203e3,  // mvn w3, w2
         0xf1000529,  // subs x9, x9, #1
         0x54fffe61,  // b.ne loop
     }},
    {"bit fields",
     {
         0xd3442d21,  // loop: ubfx x1, x9, #4, #8
         0x93432522,  // sbfx x2, x9, #3, #7
         0xb3701d23,  // bfi x3, x9, #16, #8
         0xd373c924,  // lsl x4, x9, #13
         0xd347fc85,  // lsr x5, x4, #7
         0x13037c86,  // asr w6, w4, #3
         0x53001d27,  // uxtb w7, w9
         0x93407c88,  // sxtw x8, w4
         0x93c55081,  // extr x1, x4, x5, #20
         0x13842082,  // ror w2, w4, #8
         0x9ac12123,  // lsl x3, x9, x1
         0xdac00d24,  // rev x4, x9
         0xdac01125,  // clz x5, x9
         0xf1000529,  // subs x9, x9, #1
         0x54fffe41,  // b.ne loop
     }},
    {"multiply",
     {
         0xd28da561,  // mov x1, #0x6d2b
         0x9b017d22,  // loop: mul x2, x9, x1
         0x9b010c43,  // madd x3, x2, x1, x3
         0x9b217c44,  // smull x4, w2, w1
         0x9bc17c45,  // umulh x5, x2, x1
         0x1b018c46,  // msub w6, w2, w1, w3
         0x9ba11c47,  // umaddl x7, w2, w1, x7
         0xf1000529,  // subs x9, x9, #1
         0x54ffff21,  // b.ne loop
     }},
    {"divide",
     {
         0xd28da561,  // mov x1, #0x6d2b
         0x9ac10922,  // loop: udiv x2, x9, x1
         0x9ac10d23,  // sdiv x3, x9, x1
         0x1ac10924,  // udiv w4, w9, w1
         0x1ac10d25,  // sdiv w5, w9, w1
         0xf1000529,  // subs x9, x9, #1
         0x54ffff61,  // b.ne loop
     }},
    {"select",
     {
         0xf101913f,  // loop: cmp x9, #100
         0x9a823121,  // csel x1, x9, x2, lo
         0x1a9f97e3,  // cset w3, hi
         0x6b01013f,  // cmp w9, w1
         0x9a810442,  // csinc x2, x2, x1, eq
         0xfa431924,  // ccmp x9, #3, #4, ne
         0xda82a424,  // csneg x4, x1, x2, ge
         0x7200013f,  // tst w9, #1
         0x9a8504a5,  // cinc x5, x5, ne
         0xab0900c6,  // adds x6, x6, x9
         0x9a1f00e7,  // adc x7, x7, xzr
         0xf1000529,  // subs x9, x9, #1
         0x54fffe81,  // b.ne loop
     }},
    {"scalar floating point",
     {
         0x1e6f1000,  // fmov d0, #1.5
         0x1e6c1001,  // fmov d1, #0.5
         0x1e612802,  // loop: fadd d2, d0, d1
         0x1e610843,  // fmul d3, d2, d1
         0x1e603864,  // fsub d4, d3, d0
         0x1f410045,  // fmadd d5, d2, d1, d0
         0x1e6218a6,  // fdiv d6, d5, d2
         0x1e6020c0,  // fcmp d6, d0
         0x1e60ccc7,  // fcsel d7, d6, d0, gt
         0x9e620130,  // scvtf d16, x9
         0x9e7800a1,  // fcvtzs x1, d5
         0x1e330a51,  // fmul s17, s18, s19
         0xf1000529,  // subs x9, x9, #1
         0x54fffea1,  // b.ne loop
     }},
    {"vector floating point",
     {
         0x6f03f700,  // fmov v0.2d, #1.5
         0x6f03f401,  // fmov v1.2d, #0.5
         0x4f02f602,  // fmov v2.4s, #0.25
         0x4e61d403,  // loop: fadd v3.2d, v0.2d, v1.2d
         0x6e61dc64,  // fmul v4.2d, v3.2d, v1.2d
         0x4e61cc05,  // fmla v5.2d, v0.2d, v1.2d
         0x4e22d446,  // fadd v6.4s, v2.4s, v2.4s
         0x6e22dcc7,  // fmul v7.4s, v6.4s, v2.4s
         0x4e22cc50,  // fmla v16.4s, v2.4s, v2.4s
         0x6ea2e4f1,  // fcmgt v17.4s, v7.4s, v2.4s
         0xf1000529,  // subs x9, x9, #1
         0x54ffff01,  // b.ne loop
     }},
    {"vector integers",
     {
         0x4f00e460,  // movi v0.16b, #3
         0x4f0084a1,  // movi v1.8h, #5
         0x4e208442,  // loop: add v2.16b, v2.16b, v0.16b
         0x6ea18443,  // sub v3.4s, v2.4s, v1.4s
         0x4e619c44,  // mul v4.8h, v2.8h, v1.8h
         0x6e231c85,  // eor v5.16b, v4.16b, v3.16b
         0x6f7d04a6,  // ushr v6.2d, v5.2d, #3
         0x6e208c47,  // cmeq v7.16b, v2.16b, v0.16b
         0x6e616490,  // umax v16.8h, v4.8h, v1.8h
         0x4e033851,  // zip1 v17.16b, v2.16b, v3.16b
         0x4eb1b872,  // addv s18, v3.4s
         0x4e000053,  // tbl v19.16b, {v2.16b}, v0.16b
         0x4e040d34,  // dup v20.4s, w9
         0x0e073c41,  // umov w1, v2.b[3]
         0xf1000529,  // subs x9, x9, #1
         0x54fffe61,  // b.ne loop
     }},
    {"vector loads and stores",
     {
         0x4c40a140,  // loop: ld1 {v0.16b, v1.16b}, [x10]
         0x4c00a160,  // st1 {v0.16b, v1.16b}, [x11]
         0x4c408942,  // ld2 {v2.4s, v3.4s}, [x10]
         0x4c008962,  // st2 {v2.4s, v3.4s}, [x11]
         0x4d40c544,  // ld1r {v4.8h}, [x10]
         0x0d409145,  // ld1 {v5.s}[1], [x10]
         0xf1000529,  // subs x9, x9, #1
         0x54ffff21,  // b.ne loop
     }},
    {"exclusives",
     {
         0xc85ffd61,  // loop: ldaxr x1, [x11]
         0x91000421,  // add x1, x1, #1
         0xc802fd61,  // stlxr w2, x1, [x11]
         0x35ffffa2,  // cbnz w2, loop
         0xc8dffd63,  // ldar x3, [x11]
         0xc89ffd63,  // stlr x3, [x11]
         0xf1000529,  // subs x9, x9, #1
         0x54ffff21,  // b.ne loop
     }},
    {"LSE atomics",
     {
         0xd2800021,  // mov x1, #1
         0xf8210162,  // loop: ldadd x1, x2, [x11]
         0xf8e18163,  // swpal x1, x3, [x11]
         0xb8213164,  // ldset w1, w4, [x11]
         0xc8a37d61,  // cas x3, x1, [x11]
         0xf821117f,  // stclr x1, [x11]
         0xf1000529,  // subs x9, x9, #1
         0x54ffff41,  // b.ne loop
     }},
    {"CRC32",
     {
         0x9ac94c21,  // loop: crc32x w1, w1, x9
         0x1ac94842,  // crc32w w2, w2, w9
         0x1ac94063,  // crc32b w3, w3, w9
         0x9ac95c84,  // crc32cx w4, w4, x9
         0xf1000529,  // subs x9, x9, #1
         0x54ffff61,  // b.ne loop
     }},
    {"system registers",
     {
         0xd53bd041,  // loop: mrs x1, tpidr_el0
         0xd51bd041,  // msr tpidr_el0, x1
         0xd53b4202,  // mrs x2, nzcv
         0xd5384243,  // mrs x3, currentel
         0xd5033bbf,  // dmb ish
         0xf1000529,  // subs x9, x9, #1
         0x54ffff41,  // b.ne loop
     }},
};

// Turns the MMU on with identity_tables(), and accesses 64 pages of each of two areas; an instruction chooses
// the place of the second one.
static std::vector<std::uint32_t> through_pages(std::uint32_t choose_area) {
  return {
      0xd2801fe1,   // mov x1, #0xff
      0xd2800322,   // mov x2, #0x19
      0xf2a01002,   // movk x2, #0x80, lsl #16
      0xd2a81803,   // mov x3, #0x40c00000
      0xd518a201,   // msr mair_el1, x1
      0xd5182042,   // msr tcr_el1, x2
      0xd5182003,   // msr ttbr0_el1, x3
      0xd5381004,   // mrs x4, sctlr_el1
      0xb2400084,   // orr x4, x4, #1
      0xd5033fdf,   // isb
      0xd5181004,   // msr sctlr_el1, x4
      0xd5033fdf,   // isb
      0xd2820005,   // mov x5, #4096
      0xd280080c,   // outer: mov x12, #64
      0xaa0a03ed,   // mov x13, x10
      choose_area,  // x14
      0xf94005a1,   // loop: ldr x1, [x13, #8]
      0xf94009a2,   // ldr x2, [x13, #16]
      0xf90005c1,   // str x1, [x14, #8]
      0xf90009c2,   // str x2, [x14, #16]
      0x8b0501ad,   // add x13, x13, x5
      0x8b0501ce,   // add x14, x14, x5
      0xf100058c,   // subs x12, x12, #1
      0x54ffff21,   // b.ne loop
      0xf1000529,   // subs x9, x9, #1
      0x54fffe81,   // b.ne outer
  };
}

const std::vector<Program> paged = {
    {"4 KiB pages", through_pages(0x9141016e)},          // add x14, x11, #0x40000
    {"4 KiB pages, others", through_pages(0xaa0b03ee)},  // mov x14, x11
};
// clang-format on

std::vector<std::uint64_t> identity_tables() {
  constexpr std::uint64_t table = 3, page = 3, accessed = 1 << 10, block_size = 2 << 20, page_size = 4096;
  constexpr std::size_t entries = 512;
  std::vector<std::uint64_t> tables(entries * (2 + memory_size / block_size));
  tables[memory_base >> 30] = (tables_base + page_size) | table;
  for (std::size_t block = 0; block < memory_size / block_size; ++block) {
    tables[entries + block] = (tables_base + (2 + block) * page_size) | table;
    for (std::size_t i = 0; i < entries; ++i)
      tables[(2 + block) * entries + i] =
          (memory_base + block * block_size + i * page_size) | accessed | page;
  }
  return tables;
}

std::vector<std::uint32_t> with_prologue(const Program& program) {
  std::vector<std::uint32_t> words =
      prologue(memory_base + (1 << 20), memory_base + (2 << 20) + 0x5000, ~0ull);
  words.insert(words.end(), program.words.begin(), program.words.end());
  return words;
}

// ---- QEMU ----

namespace {

// Executes an ELF file with these words by a command, to which its path is added; returns seconds, or 0 if
// the command is not installed.
double qemu_seconds(std::vector<std::string> command, std::uint64_t base,
                    const std::vector<std::uint32_t>& words) {
  constexpr std::uint64_t headers = 64 + 56;
  const std::vector<std::uint64_t> header = {0x0001'0102'464c'457f,
                                             0,
                                             0x0000'0001'00b7'0002,
                                             base + headers,
                                             64,
                                             0,
                                             0x0038'0040'0000'0000,
                                             0x40'0001,
                                             0x7'0000'0001,
                                             0,
                                             base,
                                             base,
                                             headers + words.size() * 4,
                                             4 << 20,
                                             4096};
  const TemporaryFolder folder;
  const auto path = folder / "program.elf";
  {
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(header.data()), static_cast<std::streamsize>(headers));
    file.write(reinterpret_cast<const char*>(words.data()), static_cast<std::streamsize>(words.size() * 4));
  }
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  command.push_back(path);
  std::vector<char*> arguments;
  for (std::string& each : command) arguments.push_back(each.data());
  arguments.push_back(nullptr);
  int status = -1;
  const double elapsed = seconds_of([&] {
    const pid_t child = fork();
    if (child == 0) {
      dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);  // warnings of QEMU
      execvp(arguments[0], arguments.data());
      _exit(127);
    }
    waitpid(child, &status, 0);
  });
  return status == 0 ? elapsed : 0;
}

using Words = std::vector<std::uint32_t>;

double user_seconds(const Program& program, std::uint64_t iterations) {
  constexpr std::uint64_t base = 0x40'0000;
  Words words = prologue(base + (1 << 20), base + (2 << 20) + 0x5000, iterations);
  words.insert(words.end(), program.words.begin(), program.words.end());
  words.insert(words.end(), {0xd280'0000, 0xd280'0ba8, 0xd400'0001});  // mov x0, #0; mov x8, #93; svc #0
  return qemu_seconds({"qemu-aarch64"}, base, words);
}

double system_seconds(const Program& program, std::uint64_t iterations) {
  constexpr std::uint64_t base = 0x4020'0000;
  // mov x0, #0x300000; msr cpacr_el1, x0; isb
  Words words = {0xd2a0'0600, 0xd518'1040, 0xd503'3fdf};
  const Words begin = prologue(base + (1 << 20), base + (2 << 20) + 0x5000, iterations);
  words.insert(words.end(), begin.begin(), begin.end());
  words.insert(words.end(), program.words.begin(), program.words.end());
  // PSCI SYSTEM_OFF: mov w0, #8; movk w0, #0x8400, lsl #16; hvc #0
  words.insert(words.end(), {0x5280'0100, 0x72b0'8000, 0xd400'0002});
  return qemu_seconds({"qemu-system-aarch64", "-M", "virt", "-cpu", "max", "-icount", "shift=0,sleep=off",
                       "-nic", "none", "-display", "none", "-serial", "none", "-monitor", "none", "-kernel"},
                      base, words);
}

// Without the time that it takes to start.
double mips_of(double (*seconds)(const Program&, std::uint64_t), const Program& program,
               std::uint64_t instructions) {
  const auto iterations =
      static_cast<std::uint64_t>(static_cast<double>(instructions) / program.instructions_per_iteration);
  const double startup = seconds(program, 1), whole = seconds(program, iterations);
  if (whole <= startup) return 0;
  return static_cast<double>(iterations) * program.instructions_per_iteration / (whole - startup) / 1e6;
}

}  // namespace

double qemu_mips(const Program& program, std::uint64_t instructions) {
  return mips_of(user_seconds, program, instructions);
}
double qemu_system_mips(const Program& program, std::uint64_t instructions) {
  return mips_of(system_seconds, program, instructions);
}

}  // namespace asterism
