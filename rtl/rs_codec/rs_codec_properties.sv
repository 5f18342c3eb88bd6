// The properties of rs_codec, bound to every instance of it. In a simulation they need `--assert`;
// scripts/prove proves them with yosys. Ports without a comment are those of the codec.

// yosys reads neither the action of an assertion nor `disable iff`, and ignores `bind`.
`ifdef YOSYS
  `define CHECK(Name, Condition, Report) \
    always_ff @(posedge clk_i) if (rst_ni) Name: assert (Condition);
`else
  `define CHECK(Name, Condition, Report) \
    Name: assert property (@(posedge clk_i) disable iff (off) Condition) else Report;
`endif

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
  // The block in the second cycle of the pipeline.
  input logic         found_valid_q,
  // Its syndromes.
  input logic [127:0] found_syndromes_q,
  // The positions that the correctors find, with a bit for each position of each codeword.
  input logic [71:0]  normal_hit,
  // The same in strong mode.
  input logic [75:0]  strong_hit
);

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

  `CHECK(AnswersThreeCyclesLater, valid_o == was_asked,
         $fatal(1, "AnswersThreeCyclesLater: valid is %b", valid_o))

  `CHECK(StandsStillWithoutAnAnswer,
         valid_o || $past(off) || $stable({data_o, parity_o, third_o, outcome_o, chips_o,
                                           used_third_o, syndromes_o}),
         $fatal(1, "StandsStillWithoutAnAnswer: an output changed"))

  `CHECK(IdleMeansNothingUnderWay,
         idle_o == !(valid_i || asked1_q[610] || asked2_q[610] || asked3_q[610]),
         $fatal(1, "IdleMeansNothingUnderWay: idle is %b", idle_o))

  `CHECK(DataOfAnEncodingStays, !valid_o || was_decode || data_o == was_data,
         $fatal(1, "DataOfAnEncodingStays: %h became %h", was_data, data_o))

  `CHECK(AnEncodingDecodesNothing,
         !valid_o || was_decode ||
         (outcome_o == '0 && chips_o == '0 && !used_third_o && syndromes_o == '0),
         $fatal(1, "AnEncodingDecodesNothing: outcome %0d, chips %h", outcome_o, chips_o))

  `CHECK(OnlyCorrectedBlocksChange,
         !valid_o || !was_decode || outcome_o == 2'd1 ||
         (data_o == was_data && parity_o == was_parity && third_o == was_third && chips_o == '0),
         $fatal(1, "OnlyCorrectedBlocksChange: outcome %0d, chips %h", outcome_o, chips_o))

  `CHECK(OutcomeIsOneOfThree, outcome_o != 2'd3,
         $fatal(1, "OutcomeIsOneOfThree: outcome %0d", outcome_o))

  `CHECK(CleanMeansNoSyndrome,
         !valid_o || !was_decode || (outcome_o == 2'd0) == (syndromes_o == '0),
         $fatal(1, "CleanMeansNoSyndrome: outcome %0d, syndromes %h", outcome_o, syndromes_o))

  // Thesis: a location beyond the end of the code counts as corrected, and changes nothing.
  `CHECK(CorrectedMeansAChip, !valid_o || outcome_o != 2'd1 || Profile == 0 || chips_o != '0,
         $fatal(1, "CorrectedMeansAChip: the outcome is corrected, but no chip changed"))

  `CHECK(TheThirdIsForStrongMode,
         !valid_o || was_strong ||
         (!used_third_o && !chips_o[18] && third_o == (was_decode ? was_third : '0)),
         $fatal(1, "TheThirdIsForStrongMode: used: %b, chips %h", used_third_o, chips_o))

  `CHECK(UnusedThirdHasNoSyndrome,
         !valid_o || !was_strong || used_third_o || (syndromes_o == '0 && outcome_o == 2'd0),
         $fatal(1, "UnusedThirdHasNoSyndrome: syndromes %h", syndromes_o))

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
  `CHECK(ChipsAreThoseThatChanged, !valid_o || !was_decode || chips_o == changed,
         $fatal(1, "ChipsAreThoseThatChanged: chips %h, changed %h", chips_o, changed))

  logic [5:0] found_one;
  for (genvar w = 0; w < 2; w++) begin : gen_normal
    assign found_one[w] = $onehot0(normal_hit[36*w+:36]);
  end
  for (genvar w = 0; w < 4; w++) begin : gen_strong
    assign found_one[2+w] = $onehot0(strong_hit[19*w+:19]);
  end
  `CHECK(OnePositionOfACodeword, found_one == '1,
         $fatal(1, "OnePositionOfACodeword: %h, %h", normal_hit, strong_hit))

  logic [127:0] answer_syndromes, found_syndromes;
  rs_codec_reference i_answer_reference (
    .strong_i   (was_strong),
    .data_i     (data_o),
    .parity_i   (parity_o),
    .third_i    (third_o),
    .syndromes_o(answer_syndromes)
  );
  `CHECK(EncodingsAreCodewords, !valid_o || was_decode || answer_syndromes == '0,
         $fatal(1, "EncodingsAreCodewords: %h with parity %h, third %h", data_o, parity_o, third_o))

  logic         found_decode, found_strong;
  logic [511:0] found_data;
  logic [63:0]  found_parity;
  logic [31:0]  found_third;
  assign {found_decode, found_strong, found_data, found_parity, found_third} = asked1_q[609:0];
  rs_codec_reference i_found_reference (
    .strong_i   (found_strong),
    .data_i     (found_data),
    .parity_i   (found_decode ? found_parity : '0),
    .third_i    (found_decode ? found_third : '0),
    .syndromes_o(found_syndromes)
  );
  `CHECK(SyndromesAreTheProduct, !found_valid_q || found_syndromes_q == found_syndromes,
         $fatal(1, "SyndromesAreTheProduct: %h instead of %h", found_syndromes_q, found_syndromes))

endmodule

bind rs_codec rs_codec_properties #(.Profile(Profile)) i_properties (.*);
