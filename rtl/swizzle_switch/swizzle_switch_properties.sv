// The properties of swizzle_switch at its streams, bound to every instance of it. They need
// `--assert`. The properties inside of an output are in swizzle_output_properties. Ports without a
// comment are those of the switch.
module swizzle_switch_properties #(
  parameter int unsigned Radix = 8,
  parameter int unsigned Width = 128,
  localparam int unsigned IndexBits = $clog2(Radix)
) (
  // The assertions are checked at its rising edge.
  input logic                       clk_i,
  // Nothing is checked while it is low.
  input logic                       rst_ni,
  input logic [Radix-1:0]           in_valid_i,
  input logic [Radix-1:0]           in_ready_o,
  input logic [Radix*Width-1:0]     in_data_i,
  input logic [Radix-1:0]           in_last_i,
  input logic [Radix*IndexBits-1:0] in_destination_i,
  input logic [Radix-1:0]           out_valid_o,
  input logic [Radix-1:0]           out_ready_i,
  input logic [Radix*Width-1:0]     out_data_o,
  input logic [Radix-1:0]           out_last_o,
  input logic                       idle_o,
  // For each output: an input holds it.
  input logic [Radix-1:0]           held,
  // For each output: the input that holds it.
  input logic [IndexBits-1:0]       holder [Radix],
  // For each output: the inputs that request it.
  input logic [Radix-1:0]           requests [Radix]
);

  default clocking @(posedge clk_i); endclocking

  // An alias, because lint takes `disable iff (!rst_ni)` for a synchronous use of the reset.
  logic off;
  assign off = !rst_ni;

  logic [Radix-1:0] taken, given;
  assign taken = in_valid_i & in_ready_o;
  assign given = out_valid_o & out_ready_i;

  // A flit that an input gives is passed by an output in the same cycle: none is lost or doubled.
  AsManyGivenAsTaken:
  assert property (disable iff (off) $countones(taken) == $countones(given))
  else $fatal(1, "AsManyGivenAsTaken: inputs %h gave flits, outputs %h passed flits", taken, given);

  // Inputs that hold an output, and those that hold two.
  logic [Radix-1:0] holding, twice;
  always_comb begin
    holding = '0;
    twice   = '0;
    for (int o = 0; o < Radix; o++) begin
      if (held[o]) begin
        twice   |= holding & (Radix'(1) << holder[o]);
        holding |= Radix'(1) << holder[o];
      end
    end
  end

  OneOutputEach:
  assert property (disable iff (off) twice == '0)
  else $fatal(1, "OneOutputEach: inputs %h hold two outputs", twice);

  OnlyHoldersAreServed:
  assert property (disable iff (off) (in_ready_o & ~holding) == '0)
  else $fatal(1, "OnlyHoldersAreServed: in_ready_o is %h, %h hold an output", in_ready_o, holding);

  OnlyHeldOutputsSend:
  assert property (disable iff (off) (out_valid_o & ~held) == '0)
  else $fatal(1, "OnlyHeldOutputsSend: out_valid_o is %h, held are %h", out_valid_o, held);

  IdleMeansNoFlit:
  assert property (disable iff (off) idle_o == (in_valid_i == '0))
  else $fatal(1, "IdleMeansNoFlit: idle is %b while inputs %h have flits", idle_o, in_valid_i);

  for (genvar o = 0; o < Radix; o++) begin : gen_output
    logic [IndexBits-1:0] source;
    assign source = holder[o];
    logic [Width-1:0] data;
    assign data = out_data_o[o*Width +: Width];

    logic [Radix-1:0] request;
    assign request = requests[o];

    // Inputs whose flit requested this output in the previous cycle.
    logic [Radix-1:0] asks, asked_q;
    for (genvar i = 0; i < Radix; i++) begin : gen_asks
      assign asks[i] = in_valid_i[i] &&
                       in_destination_i[i*IndexBits +: IndexBits] == IndexBits'(o);
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) asked_q <= '0;
      else asked_q <= asks;
    end

    HolderAskedForThisOutput:
    assert property (disable iff (off) !held[o] |=> !held[o] || asked_q[source])
    else $fatal(1, "HolderAskedForThisOutput: %0d holds output %0d without a request", source, o);

    ValidIsTheHolders:
    assert property (disable iff (off) held[o] |-> out_valid_o[o] == in_valid_i[source])
    else $fatal(1, "ValidIsTheHolders: output %0d has valid %b", o, out_valid_o[o]);

    ReadyIsTheOutputs:
    assert property (disable iff (off) held[o] |-> in_ready_o[source] == out_ready_i[o])
    else $fatal(1, "ReadyIsTheOutputs: input %0d has ready %b", source, in_ready_o[source]);

    FlitIsTheHolders:
    assert property (disable iff (off) out_valid_o[o] |->
                     data == in_data_i[source*Width +: Width] && out_last_o[o] == in_last_i[source])
    else $fatal(1, "FlitIsTheHolders: output %0d has %h, last %b", o, data, out_last_o[o]);

    NothingWithoutValid:
    assert property (disable iff (off) !out_valid_o[o] |-> data == '0 && !out_last_o[o])
    else $fatal(1, "NothingWithoutValid: output %0d has %h, last %b", o, data, out_last_o[o]);

    HoldUntilTail:
    assert property (disable iff (off) held[o] && !(given[o] && in_last_i[source]) |=>
                     held[o] && source == $past(source))
    else $fatal(1, "HoldUntilTail: input %0d lost output %0d", $past(source), o);

    FreeAfterTail:
    assert property (disable iff (off) held[o] && given[o] && in_last_i[source] |=> !held[o])
    else $fatal(1, "FreeAfterTail: input %0d keeps output %0d after its packet", source, o);

    OneArbitrationCycle:
    assert property (disable iff (off) !held[o] && request != '0 |=> held[o])
    else $fatal(1, "OneArbitrationCycle: output %0d is free after a request", o);
  end

  for (genvar i = 0; i < Radix; i++) begin : gen_input
    localparam int unsigned CountBits = $clog2(Radix + 1) + 1;

    logic [IndexBits-1:0] destination;
    assign destination = in_destination_i[i*IndexBits +: IndexBits];

    // The number of packets of others for which a flit has waited at its output, including the
    // present one.
    logic                 waits;
    logic [IndexBits-1:0] destination_q;
    logic [CountBits-1:0] waited, waited_q;
    assign waits  = in_valid_i[i] && !holding[i];
    assign waited = destination == destination_q ? waited_q : '0;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        destination_q <= '0;
        waited_q      <= '0;
      end else begin
        destination_q <= destination;
        if (!waits) begin
          waited_q <= '0;
        end else if (given[destination] && out_last_o[destination] && waited != '1) begin
          waited_q <= waited + CountBits'(1);
        end else begin
          waited_q <= waited;
        end
      end
    end

    StarvationBound:
    assert property (disable iff (off) waited_q < CountBits'(Radix))
    else $fatal(1, "StarvationBound: input %0d waits, %0d packets went before", i, waited_q);
  end

endmodule

bind swizzle_switch swizzle_switch_properties #(
  .Radix(Radix),
  .Width(Width)
) i_properties (.*);
