// Least-recently-granted arbiter: one output's share of a Swizzle-Switch (abeyratne2017 section
// 3.2.2). Counterpart of SwizzleSwitch with ArbiterPolicy::least_recently_granted
// (models/swizzle_switch/swizzle_switch.h), decision by decision.
//
// Policy     The inputs stand in an order. The first one that requests is granted, and goes to the
//            end with the grant; the order of all others is kept. At reset it is 0, 1, 2, ...
// Fairness   An input that requests without a break is granted after Radix-1 grants to others at
//            most. Inputs that request equally often are granted equally often.
// Timing     grant_o follows request_i in the same cycle, without a register; the order changes at
//            the rising edge. A cycle without a request changes nothing. The path from a request to
//            its grant is a tree of ORs over Radix crosspoints, log2(Radix) levels.
// Cost       Radix * (Radix-1) flip-flops. Half of them would do, because "i beats j" is "j does
//            not beat i"; each crosspoint has its own and updates from the lines that pass it.
//
// In the silicon the arbitration uses the bit lines of the output bus before the data does. They
// are precharged; each input that requests pulls down the lines of the inputs that it beats; the
// sense amplifier of an input sees its own line still high when nobody who goes before it requests.
// Here the priority bits of a crosspoint are a register, and `pulled` are the lines that one
// crosspoint or several pull down together.
//
// A register for each crosspoint and operations over its full width: a simulator does each in a few
// word operations. One vector of Radix x Radix bits with loops takes Verilator 20 times as long.
module lrg_arbiter #(
  // Number of inputs, 1 to 128.
  parameter int unsigned Radix = 64
) (
  // Rising edge.
  input  logic             clk_i,
  // Asynchronous, active low: the order 0, 1, 2, ...
  input  logic             rst_ni,
  // Who asks, a bit for each input.
  input  logic [Radix-1:0] request_i,
  // Who wins, in the cycle of the request: one bit, or none without a request.
  output logic [Radix-1:0] grant_o,
  // Nobody requests: a clock edge changes nothing.
  output logic             idle_o
);

  if (Radix < 1 || Radix > 128) begin : gen_bad_radix
    $fatal(1, "Radix is 1 to 128");
  end

  for (genvar i = 0; i < Radix; i++) begin : gen_crosspoint
    localparam logic [Radix-1:0] All = '1;
    localparam logic [Radix-1:0] Others = ~(Radix'(1) << i);

    // The inputs that this one wins against.
    logic [Radix-1:0] beats_q;

    // The winner beats nobody any more, everybody else beats the winner.
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        beats_q <= (All << i) & Others;
      end else if (grant_o[i]) begin
        beats_q <= '0;
      end else begin
        beats_q <= beats_q | (grant_o & Others);
      end
    end
  end

  // The bit lines as a tree: what input i pulls down at node Radix+i, what nodes 2n and 2n+1 do
  // together at node n. Not traced: the order and the requests say all, in far less code.
  /* verilator tracing_off */
  for (genvar n = 2 * Radix - 1; n > 0; n--) begin : gen_line
    logic [Radix-1:0] pulled;
    if (n >= Radix) begin : gen_crosspoint_drives
      assign pulled = gen_crosspoint[n-Radix].beats_q & {Radix{request_i[n-Radix]}};
    end else begin : gen_join
      assign pulled = gen_line[2*n].pulled | gen_line[2*n+1].pulled;
    end
  end
  /* verilator tracing_on */

  assign grant_o = request_i & ~gen_line[1].pulled;
  assign idle_o  = request_i == '0;

endmodule
