// PL031 real-time clock (Arm DDI 0224C) with an APB port. Counterpart of Pl031
// (models/devices/pl031.h), register by register.
//
// Policy     DR counts seconds. A write of MR or LR compares DR with MR at once. If they are not
//            equal, it sets an alarm for the second in which they will be; the interrupt is raised
//            in that second, and the alarm is cleared. After reset there is no alarm. The clock
//            always runs (CR reads 1). Writes of read-only registers and of offsets without a
//            register are ignored; the latter and ICR read as zero; no access is answered with an
//            error. Only the bytes that pstrb_i selects are written; without any of them nothing
//            happens, not even in ICR.
// Fairness   There is only one master.
// Timing     DR steps at the rising edge that ends every ClockHz-th cycle after por_ni. A write
//            takes effect in its access cycle and is visible from the next one on; in the last
//            cycle of a second it comes before the step: LR = 5 there gives DR = 6. APB answers
//            without wait states; prdata_o follows paddr_i in the same cycle.
// Cost       130 flip-flops and those of a counter up to ClockHz. The longest path goes from
//            pwdata_i through the counter's adder and a comparison of 32 bits.
//
// There is no `idle`: DR changes by itself, so no cycle is a fixed point. next_event_o is a lower
// bound that costs no arithmetic: the next step of DR while an alarm could reach interrupt_o,
// otherwise never.
//
// There are two resets, corresponding to the kinds of the model: rst_ni returns everything that the
// bus can access to zero. The counter is battery-backed: it continues through warm resets and loss
// of power, and becomes StartSeconds with por_ni only. A cold start asserts both.
module pl031 #(
  // The number of cycles of clk_i in a second, at least 1.
  parameter int unsigned ClockHz = 10_000_000,
  // The initial value of DR in seconds since 1970: 2026-01-01T00:00:00Z.
  parameter logic [31:0] StartSeconds = 32'd1_767_225_600
) (
  // Active at the rising edge.
  input  logic        clk_i,
  // Asynchronous, active low: resets everything except the counter.
  input  logic        rst_ni,
  // Asynchronous, active low: resets the counter. Never asserted without rst_ni.
  input  logic        por_ni,
  // APB address within the device; the lowest two bits are ignored.
  input  logic [11:0] paddr_i,
  // APB select.
  input  logic        psel_i,
  // APB enable: the second and last cycle of an access.
  input  logic        penable_i,
  // APB direction: 1 writes.
  input  logic        pwrite_i,
  // APB write data.
  input  logic [31:0] pwdata_i,
  // APB write strobes, a bit for each byte.
  input  logic [ 3:0] pstrb_i,
  // APB read data, zero unless selected for a read.
  output logic [31:0] prdata_o,
  // APB ready: always high.
  output logic        pready_o,
  // APB error: always low.
  output logic        pslverr_o,
  // High while the interrupt is raised and not masked.
  output logic        interrupt_o,
  // Bit 0: an alarm is set. Bit 1: the interrupt is raised, masked or not.
  output logic [ 1:0] state_o,
  // interrupt_o does not change by itself for one clock edge less than this; all ones: never.
  output logic [31:0] next_event_o
);

  if (ClockHz < 1) begin : gen_bad_clock
    $fatal(1, "ClockHz is at least 1");
  end

  localparam int unsigned CycleBits = $clog2(ClockHz + 1);

  // Word offsets of the registers.
  localparam logic [9:0] Dr = 10'h000;
  localparam logic [9:0] Mr = 10'h001;
  localparam logic [9:0] Lr = 10'h002;
  localparam logic [9:0] Cr = 10'h003;
  localparam logic [9:0] Imsc = 10'h004;
  localparam logic [9:0] Ris = 10'h005;
  localparam logic [9:0] Mis = 10'h006;
  localparam logic [9:0] Icr = 10'h007;
  // Eight identification registers of a byte each, the first one lowest.
  localparam logic [9:0] Id = 10'h3f8;
  localparam logic [63:0] IdBytes = 64'hb105_f00d_0014_1031;

  // Cycles up to and including the one that ends with a step of DR.
  logic [CycleBits-1:0] cycles_d, cycles_q;
  logic [31:0] seconds_d, seconds_q;  // DR
  logic [31:0] match_d, match_q;      // MR
  logic [31:0] load_d, load_q;        // LR
  logic [31:0] mask_d, mask_q;        // IMSC
  logic        armed_d, armed_q;
  logic        raised_d, raised_q;    // RIS

  logic [9:0] word;
  assign word = paddr_i[11:2];
  logic unused_paddr;
  assign unused_paddr = ^paddr_i[1:0];

  // Writes.
  logic write;
  assign write = psel_i & penable_i & pwrite_i & (pstrb_i != '0);
  logic write_match, write_load, write_mask, write_clear;
  assign write_match = write & (word == Mr);
  assign write_load  = write & (word == Lr);
  assign write_mask  = write & (word == Imsc);
  assign write_clear = write & (word == Icr);

  logic [31:0] lanes, written;
  assign lanes   = {{8{pstrb_i[3]}}, {8{pstrb_i[2]}}, {8{pstrb_i[1]}}, {8{pstrb_i[0]}}};
  assign written = pwdata_i & lanes;
  assign match_d = write_match ? written | (match_q & ~lanes) : match_q;
  assign load_d  = write_load ? written | (load_q & ~lanes) : load_q;
  assign mask_d  = write_mask ? written | (mask_q & ~lanes) : mask_q;

  // The counter: first the write, then the step.
  logic step;
  assign step     = cycles_q == CycleBits'(1);
  assign cycles_d = step ? CycleBits'(ClockHz) : cycles_q - CycleBits'(1);

  logic [31:0] present;
  assign present   = write_load ? load_d : seconds_q;
  assign seconds_d = present + 32'(step);

  // The comparison: at once with a write, and at the step.
  logic compare, armed, hit_at_once, hit_at_step;
  assign compare     = write_match | write_load;
  assign hit_at_once = compare & (match_d == present);
  assign armed       = compare ? ~hit_at_once : armed_q;
  assign hit_at_step = armed & step & (match_d == seconds_d);
  assign armed_d     = armed & ~hit_at_step;
  assign raised_d    = hit_at_once | hit_at_step | (raised_q & ~write_clear);

  always_ff @(posedge clk_i or negedge por_ni) begin
    if (!por_ni) begin
      cycles_q  <= CycleBits'(ClockHz);
      seconds_q <= StartSeconds;
    end else begin
      cycles_q  <= cycles_d;
      seconds_q <= seconds_d;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      match_q  <= '0;
      load_q   <= '0;
      mask_q   <= '0;
      armed_q  <= 1'b0;
      raised_q <= 1'b0;
    end else begin
      match_q  <= match_d;
      load_q   <= load_d;
      mask_q   <= mask_d;
      armed_q  <= armed_d;
      raised_q <= raised_d;
    end
  end

  // Reads.
  always_comb begin
    prdata_o = '0;
    if (psel_i && !pwrite_i) begin
      unique case (word)
        Dr:      prdata_o = seconds_q;
        Mr:      prdata_o = match_q;
        Lr:      prdata_o = load_q;
        Cr:      prdata_o = 32'd1;
        Imsc:    prdata_o = mask_q;
        Ris:     prdata_o = 32'(raised_q);
        Mis:     prdata_o = 32'(interrupt_o);
        default: if (word >= Id) prdata_o = 32'(IdBytes[{word[2:0], 3'b000} +: 8]);
      endcase
    end
  end

  assign pready_o    = 1'b1;
  assign pslverr_o   = 1'b0;
  assign interrupt_o = raised_q & mask_q[0];
  assign state_o     = {raised_q, armed_q};

  // A raised interrupt only falls by a write, and without the mask nothing reaches interrupt_o.
  assign next_event_o = armed_q && mask_q[0] && !raised_q ? 32'(cycles_q) : '1;

endmodule
