// The properties of lrg_arbiter, bound to every instance of it. They need `--assert`. Ports without
// a comment are those of the arbiter.
module lrg_arbiter_properties #(
  parameter int unsigned Radix = 64
) (
  // The assertions are checked at its rising edge.
  input logic             clk_i,
  // While it is low only the order after reset is checked.
  input logic             rst_ni,
  input logic [Radix-1:0] request_i,
  input logic [Radix-1:0] grant_o,
  input logic             idle_o
);

  default clocking @(posedge clk_i); endclocking

  // An alias, because lint takes `disable iff (!rst_ni)` for a synchronous use of the reset.
  logic off;
  assign off = !rst_ni;

  OneGrant:
  assert property (disable iff (off) $onehot0(grant_o))
  else $fatal(1, "OneGrant: more than one grant: %h", grant_o);

  GrantToRequester:
  assert property (disable iff (off) (grant_o & ~request_i) == '0)
  else $fatal(1, "GrantToRequester: %h is granted, %h requests", grant_o, request_i);

  SomeoneIsGranted:
  assert property (disable iff (off) request_i != '0 |-> grant_o != '0)
  else $fatal(1, "SomeoneIsGranted: %h requests, but no input is granted", request_i);

  IdleMeansNoRequest:
  assert property (disable iff (off) idle_o == (request_i == '0))
  else $fatal(1, "IdleMeansNoRequest: idle is %b while %h requests", idle_o, request_i);

  // The order: row i is the set of inputs that i outranks.
  logic [Radix-1:0][Radix-1:0] order;
  // Bit n: an input outranks n others.
  logic [Radix-1:0][Radix-1:0] places;
  logic [Radix-1:0]            taken;

  OrderChangesOnlyOnGrant:
  assert property (disable iff (off) grant_o == '0 |=> $stable(order))
  else $fatal(1, "OrderChangesOnlyOnGrant: the order changed without a grant");

  always_comb begin
    taken = '0;
    for (int i = 0; i < Radix; i++) taken |= places[i];
  end

  // Together with OrderOfTwo: there are as many places as inputs, so the order has no cycle.
  OrderIsTotal:
  assert property (disable iff (off) taken == '1)
  else $fatal(1, "OrderIsTotal: no input goes before exactly n others, n in %h", ~taken);

  for (genvar i = 0; i < Radix; i++) begin : gen_input
    localparam logic [Radix-1:0] Self = Radix'(1) << i;
    localparam int unsigned CountBits = $clog2(Radix + 1) + 1;

    assign order[i]  = lrg_arbiter.gen_crosspoint[i].outranks_q;
    assign places[i] = Radix'(1) << $countones(order[i]);

    logic [Radix-1:0] column;
    for (genvar j = 0; j < Radix; j++) begin : gen_column
      assign column[j] = order[j][i];
    end

    OrderOfTwo:
    assert property (disable iff (off) (order[i] ^ column) == ~Self && !order[i][i])
    else $fatal(1, "OrderOfTwo: input %0d goes before %h and after %h", i, order[i], column);

    StartsInOrderOfNumber:
    assert property (off |=> order[i] == (~Self & ('1 << i)))
    else $fatal(1, "StartsInOrderOfNumber: %0d goes before %h after reset", i, order[i]);

    FirstInOrderWins:
    assert property (disable iff (off) grant_o[i] |-> (request_i & column) == '0)
    else $fatal(1, "FirstInOrderWins: %0d is granted before %h", i, request_i & column);

    WinnerGoesLast:
    assert property (disable iff (off) grant_o[i] |=> order[i] == '0)
    else $fatal(1, "WinnerGoesLast: %0d was granted and still goes before %h", i, order[i]);

    OthersKeepTheirOrder:
    assert property (disable iff (off) !grant_o[i] |=>
                     order[i] == $past(order[i] | (grant_o & ~Self)))
    else $fatal(1, "OthersKeepTheirOrder: %0d goes before %h now", i, order[i]);

    // The number of grants to others while this input requests continuously.
    logic [CountBits-1:0] waited_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        waited_q <= '0;
      end else if (!request_i[i] || grant_o[i]) begin
        waited_q <= '0;
      end else if (grant_o != '0 && waited_q != '1) begin
        waited_q <= waited_q + CountBits'(1);
      end
    end

    StarvationBound:
    assert property (disable iff (off) waited_q < CountBits'(Radix))
    else $fatal(1, "StarvationBound: %0d waits, and %0d grants went to others", i, waited_q);
  end

endmodule

bind lrg_arbiter lrg_arbiter_properties #(.Radix(Radix)) i_properties (.*);
