// Connects the codec with its properties for scripts/prove. Blocks are free; the reset is low in the
// first cycle, and then free.
module ddr5_codec_proof #(
  parameter int unsigned Code = 0
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic         valid_i,
  input logic         decode_i,
  input logic [511:0] data_i,
  input logic [127:0] parity_i
);
  logic         valid_o, idle_o;
  logic [511:0] data_o;
  logic [127:0] parity_o;
  logic [1:0]   outcome_o;
  logic [9:0]   chips_o;
  logic [127:0] syndromes_o;

  ddr5_codec #(
    .Code(Code)
  ) i_codec (
    .*
  );
  ddr5_codec_properties #(
    .Code(Code)
  ) i_properties (
    .*
  );

  initial assume (!rst_ni);
endmodule
