// The properties of rs_codec, bound to every instance of it. They need `--assert`. Ports without a
// comment are those of the codec.
module rs_codec_properties #(
  parameter int unsigned Profile = 0
) (
  // The assertions are checked at its rising edge.
  input logic         clk_i,
  // Nothing is checked while it is low.
  input logic         rst_ni,
  input logic         valid_i,
  input logic         decode_i,
  input logic         strong_i,
  input logic [511:0] data_i,
  input logic [63:0]  parity_i,
  input logic [31:0]  third_i,
  input logic         valid_o,
  input logic [511:0] data_o,
  input logic [63:0]  parity_o,
  input logic [31:0]  third_o,
  input logic [1:0]   outcome_o,
  input logic [18:0]  chips_o,
  input logic         used_third_o,
  input logic [127:0] syndromes_o,
  input logic         idle_o,
  // The positions that the correctors find, with a bit for each position of each codeword.
  input logic [71:0]  normal_hit,
  // The same in strong mode.
  input logic [75:0]  strong_hit
);

  default clocking @(posedge clk_i); endclocking

  // An alias, because lint takes `disable iff (!rst_ni)` for a synchronous use of the reset.
  logic off;
  assign off = !rst_ni;

  // The requests of one, two and three cycles ago.
  logic [610:0] asked, asked1_q, asked2_q, asked3_q;
  assign asked = {valid_i, decode_i, strong_i, data_i, parity_i, third_i};
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      asked1_q <= '0;
      asked2_q <= '0;
      asked3_q <= '0;
    end else begin
      asked1_q <= asked;
      asked2_q <= asked1_q;
      asked3_q <= asked2_q;
    end
  end
  logic         was_asked, was_decode, was_strong;
  logic [511:0] was_data;
  logic [63:0]  was_parity;
  logic [31:0]  was_third;
  assign {was_asked, was_decode, was_strong, was_data, was_parity, was_third} = asked3_q;

  AnswersThreeCyclesLater:
  assert property (disable iff (off) valid_o == was_asked)
  else $fatal(1, "AnswersThreeCyclesLater: valid is %b", valid_o);

  StandsStillWithoutAnAnswer:
  assert property (disable iff (off) !valid_o && !$past(off) |->
                   $stable({data_o, parity_o, third_o, outcome_o, chips_o, used_third_o,
                            syndromes_o}))
  else $fatal(1, "StandsStillWithoutAnAnswer: an output changed");

  IdleMeansNothingUnderWay:
  assert property (disable iff (off)
                   idle_o == !(valid_i || asked1_q[610] || asked2_q[610] || asked3_q[610]))
  else $fatal(1, "IdleMeansNothingUnderWay: idle is %b", idle_o);

  DataOfAnEncodingStays:
  assert property (disable iff (off) valid_o && !was_decode |-> data_o == was_data)
  else $fatal(1, "DataOfAnEncodingStays: %h became %h", was_data, data_o);

  AnEncodingDecodesNothing:
  assert property (disable iff (off) valid_o && !was_decode |->
                   outcome_o == '0 && chips_o == '0 && !used_third_o && syndromes_o == '0)
  else $fatal(1, "AnEncodingDecodesNothing: outcome %0d, chips %h", outcome_o, chips_o);

  OnlyCorrectedBlocksChange:
  assert property (disable iff (off) valid_o && was_decode && outcome_o != 2'd1 |->
                   data_o == was_data && parity_o == was_parity && third_o == was_third &&
                   chips_o == '0)
  else $fatal(1, "OnlyCorrectedBlocksChange: outcome %0d, chips %h", outcome_o, chips_o);

  OutcomeIsOneOfThree:
  assert property (disable iff (off) outcome_o != 2'd3)
  else $fatal(1, "OutcomeIsOneOfThree: outcome %0d", outcome_o);

  CleanMeansNoSyndrome:
  assert property (disable iff (off) valid_o && was_decode |->
                   (outcome_o == 2'd0) == (syndromes_o == '0))
  else $fatal(1, "CleanMeansNoSyndrome: outcome %0d, syndromes %h", outcome_o, syndromes_o);

  // Thesis: a location beyond the end of the code counts as corrected, and changes nothing.
  CorrectedMeansAChip:
  assert property (disable iff (off) valid_o && outcome_o == 2'd1 && Profile != 0 |-> chips_o != '0)
  else $fatal(1, "CorrectedMeansAChip: the outcome is corrected, but no chip changed");

  TheThirdIsForStrongMode:
  assert property (disable iff (off) valid_o && !was_strong |->
                   !used_third_o && !chips_o[18] && third_o == (was_decode ? was_third : '0))
  else $fatal(1, "TheThirdIsForStrongMode: used: %b, chips %h", used_third_o, chips_o);

  UnusedThirdHasNoSyndrome:
  assert property (disable iff (off) valid_o && was_strong && !used_third_o |->
                   syndromes_o == '0 && outcome_o == 2'd0)
  else $fatal(1, "UnusedThirdHasNoSyndrome: syndromes %h", syndromes_o);

  // A bit in chips is low if and only if the chip, or the third parity, is unchanged.
  logic [18:0] changed;
  always_comb begin
    changed = '0;
    for (int b = 0; b < 8; b++) begin
      for (int c = 0; c < 18; c++) begin
        if (c < 16 ? data_o[64*b+4*(c%16)+:4] != was_data[64*b+4*(c%16)+:4]
                   : parity_o[8*b+4*(c%2)+:4] != was_parity[8*b+4*(c%2)+:4]) changed[c] = 1'b1;
      end
    end
    changed[18] = third_o != was_third;
  end
  ChipsAreThoseThatChanged:
  assert property (disable iff (off) valid_o && was_decode |-> chips_o == changed)
  else $fatal(1, "ChipsAreThoseThatChanged: chips %h, changed %h", chips_o, changed);

  for (genvar w = 0; w < 2; w++) begin : gen_normal
    logic [35:0] hit;
    assign hit = normal_hit[36*w+:36];
    OnePositionOfANormalCodeword:
    assert property (disable iff (off) $onehot0(hit))
    else $fatal(1, "OnePositionOfANormalCodeword: %h of codeword %0d", hit, w);
  end
  for (genvar w = 0; w < 4; w++) begin : gen_strong
    logic [18:0] hit;
    assign hit = strong_hit[19*w+:19];
    OnePositionOfAStrongCodeword:
    assert property (disable iff (off) $onehot0(hit))
    else $fatal(1, "OnePositionOfAStrongCodeword: %h of codeword %0d", hit, w);
  end

endmodule

bind rs_codec rs_codec_properties #(.Profile(Profile)) i_properties (.*);
