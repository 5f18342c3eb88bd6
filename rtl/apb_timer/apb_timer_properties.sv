// The properties of apb_timer, bound to every instance of it. They see its ports only. In a
// simulation they need `--assert`; scripts/prove proves them with yosys. Ports without a comment
// are those of the timer.
//
// The reference of a channel has no prescaler and no count, but the cycles since its start or its
// last match.

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

module apb_timer_properties #(
  parameter int unsigned CountBits    = 32,
  parameter int unsigned PrescaleBits = 4
) (
  // The properties are checked at its rising edge.
  input logic                                 clk_i,
  // Nothing is checked while it is low.
  input logic                                 rst_ni,
  input logic [ 7:0]                          paddr_i,
  input logic                                 psel_i,
  input logic                                 penable_i,
  input logic                                 pwrite_i,
  input logic [31:0]                          pwdata_i,
  input logic [ 3:0]                          pstrb_i,
  input logic [31:0]                          prdata_o,
  input logic                                 pready_o,
  input logic                                 interrupt0_o,
  input logic                                 interrupt1_o,
  input logic [ 1:0]                          state0_o,
  input logic [ 1:0]                          state1_o,
  input logic                                 idle_o,
  input logic [CountBits+2**PrescaleBits-1:0] next_event_o
);

  localparam int unsigned EventBits = CountBits + 2 ** PrescaleBits;

  // An alias, because lint takes `disable iff (!rst_ni)` for a synchronous use of the reset.
  logic off;
  assign off = !rst_ni;

  logic [1:0] line;
  assign line = {interrupt1_o, interrupt0_o};

  logic        write;
  logic [31:0] lanes;
  assign write = psel_i && penable_i && pwrite_i;
  assign lanes = {{8{pstrb_i[3]}}, {8{pstrb_i[2]}}, {8{pstrb_i[1]}}, {8{pstrb_i[0]}}};

  // Of each channel: whether it runs, whether its line is to be high, what a read returns, and the
  // cycles up to the edge that raises the line; all ones: none will.
  logic [1:0]           runs, pending;
  logic [31:0]          content0, content1;
  logic [EventBits-1:0] rise0, rise1;

  for (genvar k = 0; k < 2; k++) begin : gen_channel
    logic                    running_q, periodic_q;
    logic [PrescaleBits-1:0] prescale_q;
    logic [CountBits-1:0]    compare_q;
    logic [1:0]              status_q, mask_q;
    logic [EventBits-1:0]    elapsed_q;
    // COUNT of a stopped channel.
    logic [CountBits-1:0]    held_q;

    logic [2:0]  register;
    logic        mine;
    logic [31:0] written;
    assign register = paddr_i[4:2];
    assign mine     = write && paddr_i[7:5] == 3'(k + 1);
    assign written  = pwdata_i & lanes;

    logic control, clear;
    assign control = mine && register == 3'd0 && pstrb_i[0];
    assign clear   = mine && register == 3'd5;

    // One bit wider than COMPARE, of which zero stands for 2^CountBits.
    logic [EventBits-1:0] period, after, count;
    logic                 match;
    assign period = EventBits'({compare_q == '0, compare_q}) << prescale_q;
    assign after  = elapsed_q + EventBits'(1);
    assign match  = running_q && after == period;
    assign count  = running_q ? elapsed_q >> prescale_q : EventBits'(held_q);

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        running_q  <= 1'b0;
        periodic_q <= 1'b0;
        prescale_q <= '0;
        compare_q  <= '0;
        status_q   <= '0;
        mask_q     <= '0;
        elapsed_q  <= '0;
        held_q     <= '0;
      end else begin
        if (clear) status_q <= status_q & ~written[1:0];
        if (match) begin
          status_q[0] <= 1'b1;
          if (status_q[0] && !(clear && written[0])) status_q[1] <= 1'b1;
        end
        if (match && !periodic_q) running_q <= 1'b0;
        if (running_q) begin
          elapsed_q <= match ? '0 : after;
          held_q    <= match ? (periodic_q ? '0 : compare_q) : CountBits'(after >> prescale_q);
        end
        if (control) begin
          running_q  <= written[0];
          periodic_q <= written[1];
          if (written[0]) begin
            elapsed_q <= '0;
            held_q    <= '0;
          end
        end
        if (mine && !running_q && register == 3'd1) begin
          prescale_q <= (prescale_q & ~lanes[PrescaleBits-1:0]) | written[PrescaleBits-1:0];
        end
        if (mine && !running_q && register == 3'd2) begin
          compare_q <= (compare_q & ~lanes[CountBits-1:0]) | written[CountBits-1:0];
        end
        if (mine && register == 3'd6) mask_q <= (mask_q & ~lanes[1:0]) | written[1:0];
      end
    end

    logic [1:0]  causes;
    logic [31:0] content;
    assign causes = status_q & mask_q;
    always_comb begin
      unique case (register)
        3'd0:    content = 32'({periodic_q, running_q});
        3'd1:    content = 32'(prescale_q);
        3'd2:    content = 32'(compare_q);
        3'd3:    content = 32'(count);
        3'd4:    content = 32'(status_q);
        3'd6:    content = 32'(mask_q);
        3'd7:    content = 32'(causes);
        default: content = '0;
      endcase
    end

    logic [EventBits-1:0] rise;
    assign rise = running_q && mask_q != '0 && !pending[k] ? period - elapsed_q
                                                           : {EventBits{1'b1}};

    assign runs[k]    = running_q;
    assign pending[k] = causes != '0;
    if (k == 0) begin : gen_first
      assign content0 = content;
      assign rise0    = rise;
    end else begin : gen_second
      assign content1 = content;
      assign rise1    = rise;
    end

    logic unused;
    assign unused = ^{lanes, written, count};
  end

  logic [31:0] expected;
  always_comb begin
    expected = '0;
    if (psel_i && !pwrite_i) begin
      unique case (paddr_i[7:5])
        3'd0:    expected = paddr_i[4:2] == 3'd0 ? 32'h5449_4d31 : '0;
        3'd1:    expected = content0;
        3'd2:    expected = content1;
        default: expected = '0;
      endcase
    end
  end

  // The number of cycles, from the next one on, for which no line must change; all ones: always.
  logic [EventBits-1:0] quiet_d, quiet_q;
  logic [1:0]           line_q;
  always_comb begin
    quiet_d = quiet_q == '0 || quiet_q == {EventBits{1'b1}} ? quiet_q : quiet_q - EventBits'(1);
    if (next_event_o == {EventBits{1'b1}}) quiet_d = {EventBits{1'b1}};
    else if (next_event_o > quiet_d) quiet_d = next_event_o - EventBits'(1);
    if (write) quiet_d = '0;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      quiet_q <= '0;
      line_q  <= '0;
    end else begin
      quiet_q <= quiet_d;
      line_q  <= line;
    end
  end

  `CHECK(LinesArePendingCauses, line == pending,
         $fatal(1, "LinesArePendingCauses: the lines are %b instead of %b", line, pending))

  `CHECK(ReadsAreExpected, prdata_o == expected,
         $fatal(1, "ReadsAreExpected: %h reads %h instead of %h", paddr_i, prdata_o, expected))

  `CHECK(AnswersAtOnce, pready_o, $fatal(1, "AnswersAtOnce: pready_o is low"))

  `CHECK(IdleMeansStopped, idle_o == (!psel_i && runs == 2'b00),
         $fatal(1, "IdleMeansStopped: idle_o is %b, psel_i %b, running %b", idle_o, psel_i, runs))

  `CHECK(NextEventNeverLies, quiet_q == '0 || line == line_q,
         $fatal(1, "NextEventNeverLies: the lines are %b, %0d cycles early", line, quiet_q))

  `CHECK(NextEventIsTheNextRise, next_event_o == (rise0 < rise1 ? rise0 : rise1),
         $fatal(1, "NextEventIsTheNextRise: it is %0d instead of %0d or %0d", next_event_o, rise0,
                rise1))

  `CHECK(StatesAreThoseOfTheChannels, {state1_o, state0_o} == {line[1], runs[1], line[0], runs[0]},
         $fatal(1, "StatesAreThoseOfTheChannels: %b and %b, running %b", state0_o, state1_o, runs))

  // Shows that a proof considers long runs: both channels rise at once, after matches that were not
  // cleared.
  `REACH(BothRiseAfterOverruns, line == 2'b11 && line_q == 2'b00 && runs == 2'b11)

  logic unused;
  assign unused = ^paddr_i[1:0];

endmodule

bind apb_timer apb_timer_properties #(
  .CountBits   (CountBits),
  .PrescaleBits(PrescaleBits)
) i_properties (.*);
