// What always holds of swizzle_output, bound to every instance of it. Needs `--assert`.
module swizzle_output_properties #(
  // As the output's.
  parameter int unsigned Radix = 8,
  // As the output's.
  localparam int unsigned IndexBits = $clog2(Radix)
) (
  // Checked at its rising edge.
  input logic                 clk_i,
  // Nothing is checked while low.
  input logic                 rst_ni,
  // As the output's.
  input logic [Radix-1:0]     request_i,
  // As the output's.
  input logic                 release_i,
  // As the output's.
  input logic                 held_o,
  // As the output's.
  input logic [IndexBits-1:0] holder_o,
  // Who wins in this cycle.
  input logic [Radix-1:0]     grant,
  // Row i: the inputs that i goes before.
  input logic [Radix-1:0]     beats_q [Radix]
);

  default clocking @(posedge clk_i); endclocking

  // By another name: lint takes `disable iff (!rst_ni)` for a synchronous use of the reset.
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
  else $fatal(1, "FreeOutputGrants: free, %h requests, nobody is granted", request_i);

  HeldOutputGrantsNobody:
  assert property (disable iff (off) held_o |-> grant == '0)
  else $fatal(1, "HeldOutputGrantsNobody: %h is granted while %0d holds", grant, holder_o);

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

  // Bit n: an input wins against n others.
  logic [Radix-1:0] places [Radix];
  logic [Radix-1:0] taken;
  always_comb begin
    taken = '0;
    for (int i = 0; i < Radix; i++) taken |= places[i];
  end

  // With OrderOfTwo: as many places as inputs, so "goes before" has no circle.
  OrderIsTotal:
  assert property (disable iff (off) taken == '1)
  else $fatal(1, "OrderIsTotal: no input goes before exactly n others, n in %h", ~taken);

  for (genvar i = 0; i < Radix; i++) begin : gen_input
    localparam logic [Radix-1:0] Self = Radix'(1) << i;
    localparam int unsigned CountBits = $clog2(Radix + 1) + 1;

    logic [Radix-1:0] row, column;
    assign row = beats_q[i];
    assign places[i] = Radix'(1) << $countones(row);
    for (genvar j = 0; j < Radix; j++) begin : gen_column
      assign column[j] = beats_q[j][i];
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

    // Grants to others while this input requests without a break.
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
