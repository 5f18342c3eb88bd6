// The properties of lrg_arbiter, bound to every instance of it. They see its ports only, so they are
// those of any arbiter that grants the least recently granted input. In a simulation they need
// `--assert`; scripts/prove proves them with yosys. Ports without a comment are those of the arbiter.

// yosys reads neither the action of an assertion nor `disable iff`, and ignores `bind`.
`ifdef YOSYS
  `define CHECK(Name, Condition, Report) \
    always_ff @(posedge clk_i) if (rst_ni) Name: assert (Condition);
  `define REACH(Name, Condition) \
    always_ff @(posedge clk_i) if (rst_ni) Name: cover (Condition);
`else
  `define CHECK(Name, Condition, Report) \
    Name: assert property (@(posedge clk_i) disable iff (off) Condition) else Report;
  `define REACH(Name, Condition) \
    Name: cover property (@(posedge clk_i) disable iff (off) Condition);
`endif

module lrg_arbiter_properties #(
  parameter int unsigned Radix = 64
) (
  // The assertions are checked at its rising edge.
  input logic             clk_i,
  // Nothing is checked while it is low.
  input logic             rst_ni,
  input logic [Radix-1:0] request_i,
  input logic [Radix-1:0] grant_o,
  input logic             idle_o
);

  localparam int unsigned IndexBits = Radix > 1 ? $clog2(Radix) : 1;
  localparam int unsigned CountBits = $clog2(Radix + 1);

  // An alias, because lint takes `disable iff (!rst_ni)` for a synchronous use of the reset.
  logic off;
  assign off = !rst_ni;

  `CHECK(OneGrant, $onehot0(grant_o), $fatal(1, "OneGrant: more than one grant: %h", grant_o))

  `CHECK(GrantToRequester, (grant_o & ~request_i) == '0,
         $fatal(1, "GrantToRequester: %h is granted, %h requests", grant_o, request_i))

  `CHECK(SomeoneIsGranted, request_i == '0 || grant_o != '0,
         $fatal(1, "SomeoneIsGranted: %h requests, but no input is granted", request_i))

  `CHECK(IdleMeansNoRequest, idle_o == (request_i == '0),
         $fatal(1, "IdleMeansNoRequest: idle is %b while %h requests", idle_o, request_i))

  // The reference: a list of the inputs, 0, 1, 2, ... after reset. The first that requests moves to
  // the end.
  (* mem2reg *) logic [IndexBits-1:0] list_q[Radix];
  logic [IndexBits-1:0] winner;
  // Bit k: one of the first k+1 inputs of the list requests.
  logic [Radix-1:0]     reached;
  logic [Radix-1:0]     expected;
  always_comb begin
    reached  = '0;
    expected = '0;
    winner   = '0;
    for (int k = Radix - 1; k >= 0; k--) begin
      if (request_i[list_q[k]]) winner = list_q[k];
    end
    for (int k = 0; k < Radix; k++) begin
      reached[k] = request_i[list_q[k]] || (k > 0 && reached[k > 0 ? k-1 : 0]);
    end
    if (request_i != '0) expected[winner] = 1'b1;
  end

  for (genvar k = 0; k < Radix; k++) begin : gen_place
    logic [IndexBits-1:0] behind;
    if (k == Radix - 1) begin : gen_last
      assign behind = winner;
    end else begin : gen_other
      assign behind = list_q[k+1];
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        list_q[k] <= IndexBits'(k);
      end else if (reached[k]) begin
        list_q[k] <= behind;
      end
    end
  end

  `CHECK(FirstInOrderWins, grant_o == expected,
         $fatal(1, "FirstInOrderWins: %h is granted, %h is the least recently granted of %h",
                grant_o, expected, request_i))

  // The inputs that were passed over by Radix grants or more.
  logic [Radix-1:0] late;
  // Those that were passed over by Radix-1 grants, and request.
  logic [Radix-1:0] longest;
  for (genvar i = 0; i < Radix; i++) begin : gen_input
    // The number of grants to others while this input requests continuously.
    logic [CountBits-1:0] waited_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        waited_q <= '0;
      end else if (!request_i[i] || grant_o[i]) begin
        waited_q <= '0;
      end else if (grant_o != '0 && !late[i]) begin
        waited_q <= waited_q + CountBits'(1);
      end
    end
    assign late[i] = waited_q == CountBits'(Radix);
    assign longest[i] = request_i[i] && waited_q == CountBits'(Radix - 1);
  end

  `CHECK(StarvationBound, late == '0,
         $fatal(1, "StarvationBound: %h still wait after %0d grants to others", late, Radix))

  // Shows that the bound is reached, and that a proof considers inputs that wait so long.
  `REACH(LongestWait, longest != '0)

endmodule

bind lrg_arbiter lrg_arbiter_properties #(.Radix(Radix)) i_properties (.*);
