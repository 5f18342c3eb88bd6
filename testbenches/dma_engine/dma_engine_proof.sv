// Connects the engine with its properties for scripts/prove. Accesses to its registers are free,
// also such that are not APB's, and so are the answers of memory and the byte that is followed; the
// reset is low in the first cycle, and then free.
module dma_engine_proof #(
  parameter int unsigned AddressBits = 4,
  parameter int unsigned LengthBits  = 3,
  parameter int unsigned BurstWords  = 2
) (
  input logic                  clk_i,
  input logic                  rst_ni,
  input logic [ 5:0]           paddr_i,
  input logic                  psel_i,
  input logic                  penable_i,
  input logic                  pwrite_i,
  input logic [31:0]           pwdata_i,
  input logic [ 3:0]           pstrb_i,
  input logic [31:0]           m_prdata_i,
  input logic                  m_pready_i,
  input logic                  m_pslverr_i,
  input logic [LengthBits-1:0] watched_i
);
  logic [31:0]            prdata_o, m_pwdata_o;
  logic [AddressBits-1:0] m_paddr_o;
  logic [3:0]             m_pstrb_o;
  logic [2:0]             state_o;
  logic [1:0]             next_event_o;
  logic                   pready_o, m_psel_o, m_penable_o, m_pwrite_o, idle_o;
  logic                   done_interrupt_o, error_interrupt_o;

  dma_engine #(
    .AddressBits(AddressBits),
    .LengthBits (LengthBits),
    .BurstWords (BurstWords)
  ) i_engine (.*);
  dma_engine_properties #(
    .AddressBits(AddressBits),
    .LengthBits (LengthBits),
    .BurstWords (BurstWords)
  ) i_properties (.*);

  initial assume (!rst_ni);
endmodule
