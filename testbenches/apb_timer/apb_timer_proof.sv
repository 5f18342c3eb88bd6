// Connects the timer with its properties for scripts/prove. Accesses are free, also such that are
// not APB's; the reset is low in the first cycle, and then free.
module apb_timer_proof #(
  parameter int unsigned CountBits    = 2,
  parameter int unsigned PrescaleBits = 1
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic [ 7:0] paddr_i,
  input logic        psel_i,
  input logic        penable_i,
  input logic        pwrite_i,
  input logic [31:0] pwdata_i,
  input logic [ 3:0] pstrb_i
);
  logic [31:0]                          prdata_o;
  logic                                 pready_o, interrupt0_o, interrupt1_o, idle_o;
  logic [1:0]                           state0_o, state1_o;
  logic [CountBits+2**PrescaleBits-1:0] next_event_o;

  apb_timer #(
    .CountBits   (CountBits),
    .PrescaleBits(PrescaleBits)
  ) i_timer (.*);
  apb_timer_properties #(
    .CountBits   (CountBits),
    .PrescaleBits(PrescaleBits)
  ) i_properties (.*);

  initial assume (!rst_ni);
endmodule
