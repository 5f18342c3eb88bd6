// Swizzle-Switch: Radix input streams to Radix output streams, with the arbitration in the
// crosspoints of each output bus (abeyratne2017 section 3.2.2; see swizzle_output). Counterpart of
// FlitSwitch (models/swizzle_switch/flit_switch.h), cycle by cycle.
//
// Streams    A flit moves at the rising edge that ends a cycle with valid and ready high. Flits of
//            a packet follow each other; `last` is high with the last one. Valid never waits for
//            ready.
// Policy     An input that holds no output requests the destination of its flit, for as long as
//            valid is high. The arbitration of an output takes one cycle in which the output
//            transfers nothing, and ignores out_ready_i. Least recently granted wins, and the
//            order of the output changes only with the edge that ends this cycle. The winner holds
//            the output until its flit with `last` has moved; the destination of the flits after
//            the first is ignored. An input that has no flit in between keeps the output.
// Fairness   A flit waits at its output for at most Radix-1 packets of other inputs.
// Timing     Cycle 0: request and arbitration. Cycle 1: the first flit is at the output, and moves
//            if out_ready_i is high; then a flit in each cycle. The cycle after that of the last
//            flit is the next arbitration: a packet of n flits takes the output for n + 1 cycles.
//            While out_ready_i of an output is low, nothing moves in it and its holder's
//            in_ready_o is low; no other input is blocked. Valid, data and last pass from the
//            holder to the output, and ready in the other direction, within the cycle: a
//            multiplexer of Radix inputs, log2(Radix) levels. The switch has no buffers.
// Cost       Radix * (Radix * (Radix-1) + 1 + log2(Radix)) flip-flops; Radix multiplexers of Radix
//            inputs by Width + 2 bits.
//
// A flit with a destination that is not an output (Radix not a power of two) is never granted, and
// waits for ever.
module swizzle_switch #(
  // The number of inputs and of outputs, 2 to 64.
  parameter int unsigned Radix = 8,
  // The number of bits of a flit.
  parameter int unsigned Width = 128,
  // The number of bits of a destination; follows from Radix.
  localparam int unsigned IndexBits = $clog2(Radix)
) (
  // Active at the rising edge.
  input  logic                       clk_i,
  // Asynchronous, active low: no output is held, every order is 0, 1, 2, ...
  input  logic                       rst_ni,
  // One bit for each input: it has a flit.
  input  logic [Radix-1:0]           in_valid_i,
  // One bit for each input: its flit leaves at the end of this cycle, if it has one.
  output logic [Radix-1:0]           in_ready_o,
  // The flits, that of input i from bit i * Width.
  input  logic [Radix*Width-1:0]     in_data_i,
  // One bit for each input: its flit is the last one of a packet.
  input  logic [Radix-1:0]           in_last_i,
  // The destination output of each input's packet, that of input i from bit i * IndexBits; used
  // with its first flit.
  input  logic [Radix*IndexBits-1:0] in_destination_i,
  // One bit for each output: it has a flit.
  output logic [Radix-1:0]           out_valid_o,
  // One bit for each output: its flit is taken at the end of this cycle, if it has one.
  input  logic [Radix-1:0]           out_ready_i,
  // The flits, that of output o from bit o * Width; zero without out_valid_o.
  output logic [Radix*Width-1:0]     out_data_o,
  // One bit for each output: its flit is the last one of a packet; low without out_valid_o.
  output logic [Radix-1:0]           out_last_o,
  // No input has a flit: a clock edge changes nothing.
  output logic                       idle_o
);

  if (Radix < 2 || Radix > 64) begin : gen_bad_radix
    $fatal(1, "Radix is 2 to 64");
  end

  // For each output: whether an input holds it, and which one.
  logic [Radix-1:0] held;
  (* mem2reg *) logic [IndexBits-1:0] holder [Radix];

  // Inputs that hold an output, and those of them whose output is ready, joined over the outputs by
  // a tree: output o is node Radix+o, node n joins 2n and 2n+1. Not traced: `held` and `holder`
  // determine them.
  /* verilator tracing_off */
  for (genvar n = 2 * Radix - 1; n > 0; n--) begin : gen_holders
    logic [Radix-1:0] holding, served;
    if (n >= Radix) begin : gen_output_holder
      assign holding = held[n-Radix] ? Radix'(1) << holder[n-Radix] : '0;
      assign served  = out_ready_i[n-Radix] ? holding : '0;
    end else begin : gen_join
      assign holding = gen_holders[2*n].holding | gen_holders[2*n+1].holding;
      assign served  = gen_holders[2*n].served | gen_holders[2*n+1].served;
    end
  end
  /* verilator tracing_on */

  logic [Radix-1:0] holding;
  assign holding    = gen_holders[1].holding;
  assign in_ready_o = gen_holders[1].served;

  // For each output: the inputs that request it.
  (* mem2reg *) logic [Radix-1:0] requests [Radix];
  always_comb begin
    for (int o = 0; o < Radix; o++) requests[o] = '0;
    for (int i = 0; i < Radix; i++) begin
      if (in_valid_i[i] && !holding[i]) begin
        requests[in_destination_i[i*IndexBits +: IndexBits]][i] = 1'b1;
      end
    end
  end

  for (genvar o = 0; o < Radix; o++) begin : gen_output
    swizzle_output #(
      .Radix(Radix)
    ) i_output (
      .clk_i,
      .rst_ni,
      .request_i(requests[o]),
      .release_i(out_last_o[o] & out_ready_i[o]),
      .held_o   (held[o]),
      .holder_o (holder[o])
    );
  end

  // One process for all outputs: with an assignment for each, Verilator evaluates them one by one.
  always_comb begin
    out_valid_o = '0;
    out_last_o = '0;
    out_data_o = '0;
    for (int o = 0; o < Radix; o++) begin
      if (held[o] && in_valid_i[holder[o]]) begin
        out_valid_o[o] = 1'b1;
        out_last_o[o] = in_last_i[holder[o]];
        out_data_o[o*Width +: Width] = in_data_i[holder[o]*Width +: Width];
      end
    end
  end

  assign idle_o = in_valid_i == '0;

endmodule
