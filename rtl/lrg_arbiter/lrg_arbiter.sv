// Least-recently-granted arbiter of one output of a Swizzle-Switch (abeyratne2017 section
// 3.2.2). Counterpart of SwizzleSwitch with ArbiterPolicy::least_recently_granted
// (models/swizzle_switch/swizzle_switch.h), decision by decision.
//
// Policy     The inputs have an order of priority. The first one that requests is granted, and
//            becomes the last with the grant; the order of all others is kept. After reset the
//            order is 0, 1, 2, ...
// Fairness   An input that requests continuously is granted after at most Radix-1 grants to
//            others. Inputs that request equally often are granted equally often.
// Timing     grant_o follows request_i in the same cycle, without a register; the order changes
//            at the rising edge. A cycle without a request changes nothing. The path from a
//            request to its grant is a tree of ORs over Radix crosspoints, log2(Radix) levels.
// Cost       Radix * (Radix-1) flip-flops. Half of them would be sufficient, because "i outranks
//            j" is "j does not outrank i"; each crosspoint has its own and updates from the lines
//            that pass it.
//
// In the silicon the arbitration uses the bit lines of the output bus before the data does. They
// are precharged; each input that requests pulls down the lines of the inputs that it outranks; the
// sense amplifier of an input finds its own line still high if no input that outranks it requests.
// Here the priority bits of a crosspoint are a register, and `pulled` are the lines that one or
// several crosspoints pull down together.
//
// The model has a register for each crosspoint and operations over its full width: a simulator
// executes each in a few word operations. With one vector of Radix x Radix bits and loops, Verilator
// takes 20 times as long.
module lrg_arbiter #(
  // Number of inputs, 1 to 128.
  parameter int unsigned Radix = 64
) (
  // Active at the rising edge.
  input  logic             clk_i,
  // Asynchronous, active low: restores the order 0, 1, 2, ...
  input  logic             rst_ni,
  // The inputs that request, one bit for each.
  input  logic [Radix-1:0] request_i,
  // The input that is granted, in the cycle of the request: one bit, or none without a request.
  output logic [Radix-1:0] grant_o,
  // High without a request: a clock edge then changes nothing.
  output logic             idle_o
);

  if (Radix < 1 || Radix > 128) begin : gen_bad_radix
    $fatal(1, "Radix is 1 to 128");
  end

  for (genvar i = 0; i < Radix; i++) begin : gen_crosspoint
    localparam logic [Radix-1:0] All = {Radix{1'b1}};
    localparam logic [Radix-1:0] Others = ~(Radix'(1) << i);

    // The inputs that this one outranks.
    logic [Radix-1:0] outranks_q;

    // The winner outranks no other input, and every other input outranks the winner.
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        outranks_q <= (All << i) & Others;
      end else if (grant_o[i]) begin
        outranks_q <= '0;
      end else begin
        outranks_q <= outranks_q | (grant_o & Others);
      end
    end
  end

  // The bit lines as a tree: what input i pulls down at node Radix+i, what nodes 2n and 2n+1 pull
  // down together at node n. Not traced: the order and the requests determine them, in far less
  // code.
  /* verilator tracing_off */
  for (genvar n = 2 * Radix - 1; n > 0; n--) begin : gen_line
    logic [Radix-1:0] pulled;
    if (n >= Radix) begin : gen_crosspoint_drives
      assign pulled = gen_crosspoint[n-Radix].outranks_q & {Radix{request_i[n-Radix]}};
    end else begin : gen_join
      assign pulled = gen_line[2*n].pulled | gen_line[2*n+1].pulled;
    end
  end
  /* verilator tracing_on */

  assign grant_o = request_i & ~gen_line[1].pulled;
  assign idle_o  = request_i == '0;

endmodule
