// The properties of swizzle_output, bound to every instance of it. They need `--assert`. Ports
// without a comment are those of the output.
module swizzle_output_properties #(
  parameter int unsigned Radix = 8,
  localparam int unsigned IndexBits = $clog2(Radix)
) (
  // The assertions are checked at its rising edge.
  input logic                 clk_i,
  // Nothing is checked while it is low.
  input logic                 rst_ni,
  input logic [Radix-1:0]     request_i,
  input logic                 release_i,
  input logic                 held_o,
  input logic [IndexBits-1:0] holder_o,
  // The input that wins in this cycle.
  input logic [Radix-1:0]     grant,
  // Row i: the inputs that i outranks.
  input logic [Radix-1:0]     outranks_q [Radix]
);

  default clocking @(posedge clk_i); endclocking

  // An alias, because lint takes `disable iff (!rst_ni)` for a synchronous use of the reset.
  logic off;
  assign off = !rst_ni;

  StartsFree:
  assert property (off |=> !held_o)
  else $fatal(1, "StartsFree: %0d holds the output after reset", holder_o);

  OneGrant:
  assert property (disable iff (off) $onehot0(grant))
  else $fatal(1, "OneGrant: more than one grant: %h", grant);

  GrantToRequester:
  assert property (disable iff (off) (grant & ~request_i) == '0)
  else $fatal(1, "GrantToRequester: %h is granted, %h requests", grant, request_i);

  FreeOutputGrants:
  assert property (disable iff (off) !held_o && request_i != '0 |-> grant != '0)
  else $fatal(1, "FreeOutputGrants: %h requests, but no input is granted", request_i);

  HeldOutputGrantsNobody:
  assert property (disable iff (off) held_o |-> grant == '0)
  else $fatal(1, "HeldOutputGrantsNobody: %h is granted, but %0d is the holder", grant, holder_o);

  logic [Radix-1:0] grant_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) grant_q <= '0;
    else grant_q <= grant;
  end

  WinnerHolds:
  assert property (disable iff (off) grant_q != '0 |-> held_o && grant_q[holder_o])
  else $fatal(1, "WinnerHolds: %h was granted, held: %b by %0d", grant_q, held_o, holder_o);

  HoldUntilRelease:
  assert property (disable iff (off) held_o && !release_i |=> held_o && holder_o == $past(holder_o))
  else $fatal(1, "HoldUntilRelease: %0d lost the output before its last flit", $past(holder_o));

  FreeAfterRelease:
  assert property (disable iff (off) held_o && release_i |=> !held_o)
  else $fatal(1, "FreeAfterRelease: %0d holds the output after its last flit", holder_o);

  FreeWithoutGrant:
  assert property (disable iff (off) !held_o && grant == '0 |=> !held_o)
  else $fatal(1, "FreeWithoutGrant: %0d holds the output without a grant", holder_o);

  // Bit n: an input outranks n others.
  logic [Radix-1:0] places [Radix];
  logic [Radix-1:0] taken;
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

    logic [Radix-1:0] row, column;
    assign row = outranks_q[i];
    assign places[i] = Radix'(1) << $countones(row);
    for (genvar j = 0; j < Radix; j++) begin : gen_column
      assign column[j] = outranks_q[j][i];
    end

    OrderOfTwo:
    assert property (disable iff (off) (row ^ column) == ~Self && !row[i])
    else $fatal(1, "OrderOfTwo: input %0d goes before %h and after %h", i, row, column);

    StartsInOrderOfNumber:
    assert property (off |=> row == (~Self & ('1 << i)))
    else $fatal(1, "StartsInOrderOfNumber: %0d goes before %h after reset", i, row);

    FirstInOrderWins:
    assert property (disable iff (off) grant[i] |-> (request_i & column) == '0)
    else $fatal(1, "FirstInOrderWins: %0d is granted before %h", i, request_i & column);

    OrderChangesOnlyOnGrant:
    assert property (disable iff (off) grant == '0 |=> $stable(row))
    else $fatal(1, "OrderChangesOnlyOnGrant: %0d goes before %h without a grant", i, row);

    WinnerGoesLast:
    assert property (disable iff (off) grant[i] |=> row == '0)
    else $fatal(1, "WinnerGoesLast: %0d was granted and still goes before %h", i, row);

    OthersKeepTheirOrder:
    assert property (disable iff (off) !grant[i] |=> row == $past(row | (grant & ~Self)))
    else $fatal(1, "OthersKeepTheirOrder: %0d goes before %h now", i, row);

    // The number of grants to others while this input requests continuously.
    logic [CountBits-1:0] waited_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        waited_q <= '0;
      end else if (!request_i[i] || grant[i]) begin
        waited_q <= '0;
      end else if (grant != '0 && waited_q != '1) begin
        waited_q <= waited_q + CountBits'(1);
      end
    end

    StarvationBound:
    assert property (disable iff (off) waited_q < CountBits'(Radix))
    else $fatal(1, "StarvationBound: %0d waits, and %0d grants went to others", i, waited_q);
  end

endmodule

bind swizzle_output swizzle_output_properties #(.Radix(Radix)) i_properties (.*);
