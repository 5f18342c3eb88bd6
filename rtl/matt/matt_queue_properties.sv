// The properties of matt_queue, bound to every instance of it. They see its ports only. In a
// simulation they need `--assert`; scripts/prove proves them with yosys. Ports without a comment are
// those of the queue.

// yosys reads neither the action of an assertion nor `disable iff`, and ignores `bind`. What the
// queue may rely on is checked in a simulation, and assumed in a proof.
`ifdef YOSYS
  `define CHECK(Name, Condition, Report) \
    always_ff @(posedge clk_i) if (rst_ni) Name: assert (Condition);
  `define RELY(Name, Condition, Report) \
    always_ff @(posedge clk_i) if (rst_ni) Name: assume (Condition);
  `define REACH(Name, Condition) \
    always_ff @(posedge clk_i) if (rst_ni) Name: cover (Condition);
`else
  `define CHECK(Name, Condition, Report) \
    Name: assert property (@(posedge clk_i) disable iff (off) Condition) else Report;
  `define RELY(Name, Condition, Report) `CHECK(Name, Condition, Report)
  `define REACH(Name, Condition) \
    Name: cover property (@(posedge clk_i) disable iff (off) Condition);
`endif

module matt_queue_properties #(
  parameter int unsigned Length   = 64,
  parameter int unsigned PageBits = 12
) (
  // The properties are checked at its rising edge.
  input logic                clk_i,
  // Nothing is checked while it is low.
  input logic                rst_ni,
  input logic [PageBits-1:0] page_i,
  input logic                push_i,
  input logic                pop_i,
  input logic                remove_i,
  input logic [PageBits-1:0] head_o,
  input logic                empty_o,
  input logic                full_o
);

  localparam int unsigned CountBits = $clog2(Length + 1);

  // An alias, because lint takes `disable iff (!rst_ni)` for a synchronous use of the reset.
  logic off;
  assign off = !rst_ni;

  // The reference: a list of the pages in order of arrival, and their number.
  (* mem2reg *) logic [PageBits-1:0] list_q[Length];
  logic [CountBits-1:0] count_q;

  // The places from the page, or from the head, to the end of the list: they move up.
  logic [Length-1:0] behind;
  logic              is_queued;
  always_comb begin
    behind    = '0;
    is_queued = 1'b0;
    for (int k = 0; k < Length; k++) begin
      if (CountBits'(k) < count_q && list_q[k] == page_i) is_queued = 1'b1;
      behind[k] = pop_i || is_queued;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
    end else if (push_i) begin
      count_q <= count_q + CountBits'(1);
    end else if (pop_i || (remove_i && is_queued)) begin
      count_q <= count_q - CountBits'(1);
    end
  end
  for (genvar k = 0; k < Length; k++) begin : gen_place
    logic [PageBits-1:0] next;
    if (k == Length - 1) begin : gen_last
      assign next = '0;
    end else begin : gen_other
      assign next = list_q[k+1];
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        list_q[k] <= '0;
      end else if (push_i) begin
        if (count_q == CountBits'(k)) list_q[k] <= page_i;
      end else if ((pop_i || remove_i) && behind[k]) begin
        list_q[k] <= next;
      end
    end
  end

  `RELY(OneCommand, $onehot0({push_i, pop_i, remove_i}),
        $fatal(1, "OneCommand: push %b, pop %b, remove %b", push_i, pop_i, remove_i))

  `RELY(NoPushToAFullQueue, !(push_i && full_o),
        $fatal(1, "NoPushToAFullQueue: page %0d", page_i))

  `RELY(NoPopFromAnEmptyQueue, !(pop_i && empty_o), $fatal(1, "NoPopFromAnEmptyQueue"))

  `RELY(NoPageTwice, !(push_i && is_queued),
        $fatal(1, "NoPageTwice: page %0d is pushed and is in the queue", page_i))

  `CHECK(EmptyMeansNoPage, empty_o == (count_q == '0),
         $fatal(1, "EmptyMeansNoPage: empty is %b with %0d pages", empty_o, count_q))

  `CHECK(FullMeansLengthPages, full_o == (count_q == CountBits'(Length)),
         $fatal(1, "FullMeansLengthPages: full is %b with %0d pages", full_o, count_q))

  // A page that is lost, duplicated or out of order comes to the head at some time, or the flags
  // differ from the count.
  logic [PageBits-1:0] oldest;
  assign oldest = list_q[0];
  `CHECK(HeadIsTheOldest, count_q == '0 || head_o == oldest,
         $fatal(1, "HeadIsTheOldest: the head is %0d instead of %0d", head_o, oldest))

  // Shows that a proof considers all commands.
  `REACH(RemovalFromAFullQueue, remove_i && full_o && is_queued && oldest != page_i)

endmodule

bind matt_queue matt_queue_properties #(
  .Length  (Length),
  .PageBits(PageBits)
) i_properties (.*);
