// The properties of pl031, bound to every instance of it. They need `--assert`. Ports without a
// comment are those of the clock.
module pl031_properties #(
  parameter int unsigned ClockHz = 10_000_000,
  parameter logic [31:0] StartSeconds = 32'd1_767_225_600
) (
  // The assertions are checked at its rising edge.
  input logic        clk_i,
  // Nothing is checked while it is low.
  input logic        rst_ni,
  // The counter is not checked while it is low.
  input logic        por_ni,
  input logic [11:0] paddr_i,
  input logic        psel_i,
  input logic        penable_i,
  input logic        pwrite_i,
  input logic [31:0] pwdata_i,
  input logic [ 3:0] pstrb_i,
  input logic [31:0] prdata_o,
  input logic        pready_o,
  input logic        pslverr_o,
  input logic        interrupt_o,
  input logic [ 1:0] state_o,
  input logic [31:0] next_event_o,
  // DR.
  input logic [31:0] seconds_q,
  // MR.
  input logic [31:0] match_q,
  // IMSC.
  input logic [31:0] mask_q,
  // RIS.
  input logic        raised_q
);

  default clocking @(posedge clk_i); endclocking

  // Aliases, because lint takes `disable iff (!rst_ni)` for a synchronous use of the reset.
  logic off, no_power;
  assign off      = !rst_ni;
  assign no_power = !por_ni;

  logic [9:0] word;
  assign word = paddr_i[11:2];
  logic unused_paddr;
  assign unused_paddr = ^paddr_i[1:0];

  logic access, write, whole_write;
  assign access      = psel_i & penable_i & pready_o;
  assign write       = access & pwrite_i & (pstrb_i != '0);
  assign whole_write = access & pwrite_i & (pstrb_i == '1);

  // Seconds and cycles, counted independently of the clock.
  logic [31:0] cycle_q;
  logic        last_cycle, stepped_q;
  assign last_cycle = cycle_q == 32'(ClockHz - 1);
  always_ff @(posedge clk_i or negedge por_ni) begin
    if (!por_ni) begin
      cycle_q   <= '0;
      stepped_q <= 1'b0;
    end else begin
      cycle_q   <= last_cycle ? '0 : cycle_q + 32'd1;
      stepped_q <= last_cycle;
    end
  end

  // The number of cycles, from the next one on, for which interrupt_o must not change; all ones:
  // always.
  logic [31:0] quiet_d, quiet_q;
  always_comb begin
    quiet_d = quiet_q == '0 || quiet_q == '1 ? quiet_q : quiet_q - 32'd1;
    if (next_event_o == '1) quiet_d = '1;
    else if (next_event_o > 32'd1 && next_event_o - 32'd1 > quiet_d) quiet_d = next_event_o - 32'd1;
    if (write) quiet_d = '0;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) quiet_q <= '0;
    else quiet_q <= quiet_d;
  end

  NextEventNeverLies:
  assert property (disable iff (off) quiet_q != '0 |-> interrupt_o == $past(interrupt_o))
  else $fatal(1, "NextEventNeverLies: interrupt_o is %b, %0d cycles early", interrupt_o, quiet_q);

  InterruptOnlyWithMask:
  assert property (disable iff (off) interrupt_o |-> mask_q[0])
  else $fatal(1, "InterruptOnlyWithMask: interrupt_o is high, IMSC is %h", mask_q);

  InterruptIsMaskedRaw:
  assert property (disable iff (off) interrupt_o == (raised_q & mask_q[0]))
  else $fatal(1, "InterruptIsMaskedRaw: it is %b, RIS %b, IMSC %h", interrupt_o, raised_q, mask_q);

  MisIsRisAndImsc:
  assert property (disable iff (off) access && !pwrite_i && word == 10'h006 |->
                   prdata_o == (32'(raised_q) & mask_q))
  else $fatal(1, "MisIsRisAndImsc: MIS reads %h, RIS %b, IMSC %h", prdata_o, raised_q, mask_q);

  StateIsRaised:
  assert property (disable iff (off) state_o[1] == raised_q)
  else $fatal(1, "StateIsRaised: state_o is %b, RIS %b", state_o, raised_q);

  AnswersAtOnce:
  assert property (disable iff (off) psel_i |-> pready_o && !pslverr_o)
  else $fatal(1, "AnswersAtOnce: pready_o %b, pslverr_o %b", pready_o, pslverr_o);

  ReadOnlyAnswersReads:
  assert property (disable iff (off) !psel_i || pwrite_i |-> prdata_o == '0)
  else $fatal(1, "ReadOnlyAnswersReads: prdata_o is %h", prdata_o);

  StartsAtStartSeconds:
  assert property (no_power |=> seconds_q == StartSeconds)
  else $fatal(1, "StartsAtStartSeconds: DR is %h after the first reset", seconds_q);

  StartsQuiet:
  assert property (off |=> !raised_q && state_o == '0 && match_q == '0 && mask_q == '0)
  else $fatal(1, "StartsQuiet: RIS %b, MR %h, IMSC %h after reset", raised_q, match_q, mask_q);

  // This also holds during a reset of the bus.
  StepsWithTheSecond:
  assert property (disable iff (no_power)
                   off || !(write && word == 10'h002) |=>
                   seconds_q == $past(seconds_q) + 32'(stepped_q))
  else $fatal(1, "StepsWithTheSecond: DR became %h, stepped: %b", seconds_q, stepped_q);

  LoadSetsTheCounter:
  assert property (disable iff (off) whole_write && word == 10'h002 |=>
                   seconds_q == $past(pwdata_i) + 32'(stepped_q))
  else $fatal(1, "LoadSetsTheCounter: DR is %h after a write of LR", seconds_q);

  RaisedOnlyByAMatch:
  assert property (disable iff (off) $rose(raised_q) |->
                   seconds_q == match_q || (stepped_q && seconds_q - 32'd1 == match_q))
  else $fatal(1, "RaisedOnlyByAMatch: RIS rose with DR %h, MR %h", seconds_q, match_q);

  MatchRaisesAtOnce:
  assert property (disable iff (off) whole_write && word == 10'h001 &&
                   pwdata_i == seconds_q |=> raised_q)
  else $fatal(1, "MatchRaisesAtOnce: MR was written with DR, RIS is low");

  AlarmRaisesAtItsStep:
  assert property (disable iff (off) state_o[0] && last_cycle && !write &&
                   match_q == seconds_q + 32'd1 |=> raised_q)
  else $fatal(1, "AlarmRaisesAtItsStep: DR reached MR %h, RIS is low", match_q);

  StaysRaised:
  assert property (disable iff (off) raised_q && !(write && word == 10'h007) |=> raised_q)
  else $fatal(1, "StaysRaised: RIS fell without a write of ICR");

  ClearClears:
  assert property (disable iff (off) write && word == 10'h007 && !last_cycle |=> !raised_q)
  else $fatal(1, "ClearClears: RIS is high after a write of ICR");

endmodule

bind pl031 pl031_properties #(
  .ClockHz     (ClockHz),
  .StartSeconds(StartSeconds)
) i_properties (.*);
