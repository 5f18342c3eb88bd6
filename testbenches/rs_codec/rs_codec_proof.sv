// Connects the codec with its properties for scripts/prove. Blocks are free; the reset is low in the
// first cycle, and then free.
module rs_codec_proof #(
  parameter int unsigned Profile = 1
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic         valid_i,
  input logic         decode_i,
  input logic         strong_i,
  input logic [511:0] data_i,
  input logic [63:0]  parity_i,
  input logic [31:0]  third_i
);
  // Internal signals: yosys connects these names with those of the instance.
  (* hierconn *) wire         \i_codec.found_valid_q ;
  (* hierconn *) wire [127:0] \i_codec.found_syndromes_q ;
  (* hierconn *) wire [71:0]  \i_codec.normal_hit ;
  (* hierconn *) wire [75:0]  \i_codec.strong_hit ;

  logic         valid_o, used_third_o, idle_o;
  logic [511:0] data_o;
  logic [63:0]  parity_o;
  logic [31:0]  third_o;
  logic [1:0]   outcome_o;
  logic [18:0]  chips_o;
  logic [127:0] syndromes_o;

  rs_codec #(
    .Profile(Profile)
  ) i_codec (
    .*
  );
  rs_codec_properties #(
    .Profile(Profile)
  ) i_properties (
    .found_valid_q    (\i_codec.found_valid_q ),
    .found_syndromes_q(\i_codec.found_syndromes_q ),
    .normal_hit       (\i_codec.normal_hit ),
    .strong_hit       (\i_codec.strong_hit ),
    .*
  );

  initial assume (!rst_ni);
endmodule
