// A timer of two independent channels with an interrupt line each, behind an APB port. It is a
// device of its own: there is no model of it.
//
// Policy     apb_timer_channel.sv says what a channel does. The port only selects a register: ID,
//            or one of a channel. Writes of read-only registers and of offsets without a register
//            are ignored, the latter read as zero; no access is answered with an error. Only the
//            bytes that pstrb_i selects are written. Reads have no effect.
// Fairness   There is only one master. The channels share nothing.
// Timing     APB answers without wait states; prdata_o follows paddr_i in the same cycle. A write
//            takes effect at the edge that ends it.
// Cost       Two channels, and a multiplexer for reads.
//
// While no channel runs, nothing changes until an input does: idle_o. While one runs, next_event_o
// is exact: the edge of the next match that raises a line, otherwise never.
module apb_timer #(
  // The width of COUNT and COMPARE, 1 to 32.
  parameter int unsigned CountBits    = 32,
  // The width of PRESCALE, 1 to 4.
  parameter int unsigned PrescaleBits = 4
) (
  // Active at the rising edge.
  input  logic                                 clk_i,
  // Asynchronous, active low: stops both channels and clears all registers.
  input  logic                                 rst_ni,
  // APB address within the device; the lowest two bits are ignored.
  input  logic [ 7:0]                          paddr_i,
  // APB select.
  input  logic                                 psel_i,
  // APB enable: the second and last cycle of an access.
  input  logic                                 penable_i,
  // APB direction: 1 writes.
  input  logic                                 pwrite_i,
  // APB write data.
  input  logic [31:0]                          pwdata_i,
  // APB write strobes, a bit for each byte.
  input  logic [ 3:0]                          pstrb_i,
  // APB read data, zero unless selected for a read.
  output logic [31:0]                          prdata_o,
  // APB ready: always high.
  output logic                                 pready_o,
  // The interrupt line of channel 0.
  output logic                                 interrupt0_o,
  // The interrupt line of channel 1.
  output logic                                 interrupt1_o,
  // Channel 0. Bit 0: it runs. Bit 1: its line is high.
  output logic [ 1:0]                          state0_o,
  // Channel 1, likewise.
  output logic [ 1:0]                          state1_o,
  // No channel runs and no access is in progress: a clock edge changes nothing.
  output logic                                 idle_o,
  // No interrupt line changes by itself for one clock edge less than this; all ones: never.
  output logic [CountBits+2**PrescaleBits-1:0] next_event_o
);

  localparam int unsigned EventBits = CountBits + 2 ** PrescaleBits;

  // "TIM1"
  localparam logic [31:0] Id = 32'h5449_4d31;

  // The device has eight words for itself, and eight for each channel.
  logic [2:0] group, register;
  assign group    = paddr_i[7:5];
  assign register = paddr_i[4:2];
  logic unused_paddr;
  assign unused_paddr = ^paddr_i[1:0];

  logic        write;
  logic [31:0] lanes;
  assign write = psel_i && penable_i && pwrite_i;
  assign lanes = {{8{pstrb_i[3]}}, {8{pstrb_i[2]}}, {8{pstrb_i[1]}}, {8{pstrb_i[0]}}};

  logic [1:0]           running, interrupt;
  logic [31:0]          read0, read1;
  logic [EventBits-1:0] next_event0, next_event1;

  apb_timer_channel #(
    .CountBits   (CountBits),
    .PrescaleBits(PrescaleBits)
  ) i_channel0 (
    .clk_i,
    .rst_ni,
    .register_i  (register),
    .write_i     (write && group == 3'd1),
    .written_i   (pwdata_i & lanes),
    .lanes_i     (lanes),
    .read_o      (read0),
    .running_o   (running[0]),
    .interrupt_o (interrupt[0]),
    .next_event_o(next_event0)
  );

  apb_timer_channel #(
    .CountBits   (CountBits),
    .PrescaleBits(PrescaleBits)
  ) i_channel1 (
    .clk_i,
    .rst_ni,
    .register_i  (register),
    .write_i     (write && group == 3'd2),
    .written_i   (pwdata_i & lanes),
    .lanes_i     (lanes),
    .read_o      (read1),
    .running_o   (running[1]),
    .interrupt_o (interrupt[1]),
    .next_event_o(next_event1)
  );

  always_comb begin
    prdata_o = '0;
    if (psel_i && !pwrite_i) begin
      unique case (group)
        3'd0:    if (register == 3'd0) prdata_o = Id;
        3'd1:    prdata_o = read0;
        3'd2:    prdata_o = read1;
        default: ;
      endcase
    end
  end

  assign pready_o     = 1'b1;
  assign interrupt0_o = interrupt[0];
  assign interrupt1_o = interrupt[1];
  assign state0_o     = {interrupt[0], running[0]};
  assign state1_o     = {interrupt[1], running[1]};
  assign idle_o       = !psel_i && running == 2'b00;
  assign next_event_o = next_event0 < next_event1 ? next_event0 : next_event1;

endmodule
