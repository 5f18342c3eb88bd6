// One output bus of a swizzle_switch: the arbitration in its crosspoints, and the input that holds
// it.
//
// Policy     While no input holds the bus, every cycle in which an input requests it is an
//            arbitration: the first of the requesting inputs in the order of least recently granted
//            wins, becomes the last in the order, and holds the bus from the next cycle on, until
//            `release_i`. While the bus is held, requests are ignored and the order is kept.
// Fairness   An input that requests continuously wins after at most Radix-1 others.
// Timing     One cycle from request to hold. holder_o is a register: there is no path from an
//            input to an output.
// Cost       Radix * (Radix-1) flip-flops for the order, 1 + log2(Radix) for the holder.
//
// In the silicon (abeyratne2017 section 3.2.2 and its reference 103) the bus arbitrates for itself,
// on the wires that carry data in the other cycles. A crosspoint keeps a bit for each other input:
// whether it outranks that one. In the cycle of arbitration the bit lines of the bus are
// precharged, and line j belongs to input j. Each crosspoint with a request pulls down the lines of
// the inputs that it outranks; the sense amplifier at its own line finds that line still high if no
// input that outranks it requests, and its enable bit is set. With the same edge the priority bits
// change: the winner's row is cleared, its column is set. In the following cycles only the enabled
// crosspoint drives the bit lines, with data.
//
// Here `pulled` are bit lines in the cycle of arbitration, `outranks_q[i]` is the row of crosspoint
// i, and the enable bits are one number, `holder_q`. The lines for data are in swizzle_switch.
module swizzle_output #(
  // Number of inputs, 2 to 64.
  parameter int unsigned Radix = 8,
  // Bits of an input's number; follows from Radix.
  localparam int unsigned IndexBits = $clog2(Radix)
) (
  // Active at the rising edge.
  input  logic                 clk_i,
  // Asynchronous, active low: the bus is free, the order is 0, 1, 2, ...
  input  logic                 rst_ni,
  // The inputs that have a flit for this output and hold no output.
  input  logic [Radix-1:0]     request_i,
  // The holder's last flit leaves in this cycle; the bus is free in the next one.
  input  logic                 release_i,
  // An input holds the bus.
  output logic                 held_o,
  // The input that holds it; the last holder while the bus is free.
  output logic [IndexBits-1:0] holder_o
);

  // Without it, all outputs of a large switch become one function, which takes minutes to compile.
  /* verilator no_inline_module */

  localparam logic [Radix-1:0] All = {Radix{1'b1}};

  // The inputs whose number has bit `b`.
  function automatic logic [Radix-1:0] inputs_with(int unsigned b);
    for (int unsigned i = 0; i < Radix; i++) inputs_with[i] = 1'((i >> b) & 1);
  endfunction

  logic                 held_q;
  logic [IndexBits-1:0] holder_q;

  // Row i: the inputs that i outranks.
  (* mem2reg *) logic [Radix-1:0] outranks_q [Radix];

  logic arbitrates;
  assign arbitrates = !held_q && request_i != '0;

  // The bit lines as a tree: what input i pulls down at node Radix+i, what nodes 2n and 2n+1 pull
  // down together at node n. Not traced: the order and the requests determine them, in far less
  // code.
  /* verilator tracing_off */
  for (genvar n = 2 * Radix - 1; n > 0; n--) begin : gen_line
    logic [Radix-1:0] pulled;
    if (n >= Radix) begin : gen_crosspoint
      assign pulled = outranks_q[n-Radix] & {Radix{request_i[n-Radix]}};
    end else begin : gen_join
      assign pulled = gen_line[2*n].pulled | gen_line[2*n+1].pulled;
    end
  end
  /* verilator tracing_on */

  logic [Radix-1:0] grant;
  assign grant = arbitrates ? request_i & ~gen_line[1].pulled : '0;

  logic [IndexBits-1:0] winner;
  for (genvar b = 0; b < IndexBits; b++) begin : gen_winner
    localparam logic [Radix-1:0] Named = inputs_with(b);
    assign winner[b] = |(grant & Named);
  end

  for (genvar i = 0; i < Radix; i++) begin : gen_crosspoint
    localparam logic [Radix-1:0] Others = ~(Radix'(1) << i);

    // The winner outranks no other input, and every other input outranks the winner.
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        outranks_q[i] <= (All << i) & Others;
      end else if (arbitrates) begin
        if (grant[i]) begin
          outranks_q[i] <= '0;
        end else begin
          outranks_q[i] <= outranks_q[i] | (grant & Others);
        end
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      held_q   <= 1'b0;
      holder_q <= '0;
    end else if (arbitrates) begin
      held_q   <= 1'b1;
      holder_q <= winner;
    end else if (release_i) begin
      held_q   <= 1'b0;
    end
  end

  assign held_o   = held_q;
  assign holder_o = holder_q;

endmodule
