// A channel of apb_timer: a count behind a prescaler, a comparison, two interrupt causes.
//
// Policy     CONTROL with `enable` starts the channel, also one that runs: COUNT and the prescaler
//            begin at zero. COUNT advances every 2^PRESCALE cycles. The match is the edge at which
//            it would reach COMPARE; COMPARE = 0 stands for 2^CountBits. A periodic channel then
//            begins again at zero; a one-shot one stops with COUNT = COMPARE. A match while MATCH
//            is set sets OVERRUN too. CONTROL without `enable` stops the channel, and COUNT keeps
//            its value. PRESCALE and COMPARE are fixed while the channel runs: writes are ignored.
// Fairness   A match in the cycle of a write of CLEAR is not lost. In the cycle of a write of
//            CONTROL the match comes first, then the start or the stop.
// Timing     A match is exactly COMPARE << PRESCALE cycles after the edge that ends the write of
//            CONTROL, or after the match before. The line changes at that edge. Writes take effect
//            at the edge that ends them.
// Cost       A counter of CountBits, one of 2^PrescaleBits - 1 bits, and for next_event_o a
//            subtractor, a barrel shifter and an incrementer.
module apb_timer_channel #(
  // The width of COUNT and COMPARE, 1 to 32.
  parameter int unsigned CountBits    = 32,
  // The width of PRESCALE, 1 to 4.
  parameter int unsigned PrescaleBits = 4
) (
  // Active at the rising edge.
  input  logic                                 clk_i,
  // Asynchronous, active low: stops the channel and clears all registers.
  input  logic                                 rst_ni,
  // The number of the register that is written or read.
  input  logic [ 2:0]                          register_i,
  // The register is written at the next edge.
  input  logic                                 write_i,
  // The data that are written, zero in lanes that are not.
  input  logic [31:0]                          written_i,
  // The bits of the word that are written.
  input  logic [31:0]                          lanes_i,
  // The content of the register, in the same cycle.
  output logic [31:0]                          read_o,
  // The channel runs.
  output logic                                 running_o,
  // High while a cause of an interrupt is set that MASK lets through.
  output logic                                 interrupt_o,
  // interrupt_o does not change by itself for one clock edge less than this; all ones: never.
  output logic [CountBits+2**PrescaleBits-1:0] next_event_o
);

  if (CountBits < 1 || CountBits > 32) begin : gen_bad_count
    $fatal(1, "CountBits is 1 to 32");
  end
  if (PrescaleBits < 1 || PrescaleBits > 4) begin : gen_bad_prescale
    $fatal(1, "PrescaleBits is 1 to 4");
  end

  localparam int unsigned TickBits  = 2 ** PrescaleBits - 1;
  localparam int unsigned EventBits = CountBits + 2 ** PrescaleBits;

  // The registers of a channel.
  localparam logic [2:0] Control = 3'd0;
  localparam logic [2:0] Prescale = 3'd1;
  localparam logic [2:0] Compare = 3'd2;
  localparam logic [2:0] Count = 3'd3;
  localparam logic [2:0] Status = 3'd4;
  localparam logic [2:0] Clear = 3'd5;
  localparam logic [2:0] Mask = 3'd6;
  localparam logic [2:0] Pending = 3'd7;

  logic                    running_d, running_q;
  logic                    periodic_d, periodic_q;
  logic [PrescaleBits-1:0] prescale_d, prescale_q;
  logic [CountBits-1:0]    compare_d, compare_q;
  logic [CountBits-1:0]    count_d, count_q;
  // Cycles since the start; its lowest PRESCALE bits are the prescaler.
  logic [TickBits-1:0]     ticks_d, ticks_q;
  // The causes: bit 0 is MATCH, bit 1 OVERRUN.
  logic [1:0]              status_d, status_q;
  logic [1:0]              mask_d, mask_q;

  // Writes.
  logic write_control, write_clear, start;
  assign write_control = write_i && register_i == Control && lanes_i[0];
  assign write_clear   = write_i && register_i == Clear;
  assign start         = write_control && written_i[0];
  assign periodic_d    = write_control ? written_i[1] : periodic_q;
  assign mask_d        = write_i && register_i == Mask ? (mask_q & ~lanes_i[1:0]) | written_i[1:0]
                                                       : mask_q;
  always_comb begin
    prescale_d = prescale_q;
    compare_d  = compare_q;
    if (write_i && !running_q) begin
      if (register_i == Prescale) begin
        prescale_d = (prescale_q & ~lanes_i[PrescaleBits-1:0]) | written_i[PrescaleBits-1:0];
      end
      if (register_i == Compare) begin
        compare_d = (compare_q & ~lanes_i[CountBits-1:0]) | written_i[CountBits-1:0];
      end
    end
  end

  // The count.
  logic [TickBits-1:0]  prescaler;  // the bits of ticks_q that are the prescaler
  logic [CountBits-1:0] advanced;
  logic                 step, match;
  assign prescaler = ~({TickBits{1'b1}} << prescale_q);
  assign advanced  = count_q + CountBits'(1);
  assign step      = running_q && (ticks_q & prescaler) == prescaler;
  assign match     = step && advanced == compare_q;
  assign ticks_d   = start ? '0 : ticks_q + TickBits'(running_q);
  assign running_d = write_control ? written_i[0] : running_q && (!match || periodic_q);
  always_comb begin
    count_d = count_q;
    if (step) count_d = match && periodic_q ? '0 : advanced;
    if (start) count_d = '0;
  end

  // The causes of interrupts.
  logic [1:0] kept;
  assign kept     = status_q & ~(write_clear ? written_i[1:0] : 2'b00);
  assign status_d = kept | {match && kept[0], match};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      running_q  <= 1'b0;
      periodic_q <= 1'b0;
      prescale_q <= '0;
      compare_q  <= '0;
      count_q    <= '0;
      ticks_q    <= '0;
      status_q   <= '0;
      mask_q     <= '0;
    end else begin
      running_q  <= running_d;
      periodic_q <= periodic_d;
      prescale_q <= prescale_d;
      compare_q  <= compare_d;
      count_q    <= count_d;
      ticks_q    <= ticks_d;
      status_q   <= status_d;
      mask_q     <= mask_d;
    end
  end

  logic [1:0] pending;
  assign pending     = status_q & mask_q;
  assign interrupt_o = pending != 2'b00;
  assign running_o   = running_q;

  // Reads.
  always_comb begin
    unique case (register_i)
      Control:  read_o = 32'({periodic_q, running_q});
      Prescale: read_o = 32'(prescale_q);
      Compare:  read_o = 32'(compare_q);
      Count:    read_o = 32'(count_q);
      Status:   read_o = 32'(status_q);
      Mask:     read_o = 32'(mask_q);
      Pending:  read_o = 32'(pending);
      default:  read_o = '0;
    endcase
  end

  // The cycles to the match. A line that is high falls only by a write.
  logic [CountBits-1:0] steps;   // after the present one
  logic [TickBits-1:0]  cycles;  // of the present step, after this one
  assign steps        = compare_q - advanced;
  assign cycles       = ~ticks_q & prescaler;
  assign next_event_o = running_q && mask_q != 2'b00 && !interrupt_o
                        ? (EventBits'(steps) << prescale_q | EventBits'(cycles)) + EventBits'(1)
                        : '1;

  logic unused;
  assign unused = ^{lanes_i, written_i};

endmodule
