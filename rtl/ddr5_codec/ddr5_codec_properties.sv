// The properties of ddr5_codec, bound to every instance of it. In a simulation they need `--assert`;
// scripts/prove proves some of them with yosys. Ports without a comment are those of the codec.

// yosys reads neither the action of an assertion nor `disable iff`, and ignores `bind`.
`ifdef YOSYS
  `define CHECK(Name, Condition, Report) \
    always_ff @(posedge clk_i) if (rst_ni) Name: assert (Condition);
`else
  `define CHECK(Name, Condition, Report) \
    Name: assert property (@(posedge clk_i) disable iff (off) Condition) else Report;
`endif

module ddr5_codec_properties #(
  parameter int unsigned Code = 0
) (
  // The assertions are checked at its rising edge.
  input logic         clk_i,
  // Nothing is checked while it is low.
  input logic         rst_ni,
  input logic         valid_i,
  input logic         decode_i,
  input logic [511:0] data_i,
  input logic [127:0] parity_i,
  input logic         valid_o,
  input logic [511:0] data_o,
  input logic [127:0] parity_o,
  input logic [1:0]   outcome_o,
  input logic [9:0]   chips_o,
  input logic [127:0] syndromes_o,
  input logic         idle_o
);

  // An alias, because lint takes `disable iff (!rst_ni)` for a synchronous use of the reset.
  logic off;
  assign off = !rst_ni;

  // The requests of one, two and three cycles ago.
  logic [641:0] asked, asked1_q, asked2_q, asked3_q;
  assign asked = {valid_i, decode_i, data_i, parity_i};
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
  logic         was_asked, was_decode;
  logic [511:0] was_data;
  logic [127:0] was_parity;
  assign {was_asked, was_decode, was_data, was_parity} = asked3_q;

  `CHECK(AnswersThreeCyclesLater, valid_o == was_asked,
         $fatal(1, "AnswersThreeCyclesLater: valid is %b", valid_o))

  `CHECK(StandsStillWithoutAnAnswer,
         valid_o || $past(off) ||
         $stable({data_o, parity_o, outcome_o, chips_o, syndromes_o}),
         $fatal(1, "StandsStillWithoutAnAnswer: an output changed"))

  `CHECK(IdleMeansNothingUnderWay,
         idle_o == !(valid_i || asked1_q[641] || asked2_q[641] || asked3_q[641]),
         $fatal(1, "IdleMeansNothingUnderWay: idle is %b", idle_o))

  `CHECK(DataOfAnEncodingStays, !valid_o || was_decode || data_o == was_data,
         $fatal(1, "DataOfAnEncodingStays: %h became %h", was_data, data_o))

  `CHECK(AnEncodingDecodesNothing,
         !valid_o || was_decode || (outcome_o == '0 && chips_o == '0 && syndromes_o == '0),
         $fatal(1, "AnEncodingDecodesNothing: outcome %0d, chips %h", outcome_o, chips_o))

  `CHECK(OnlyCorrectedBlocksChange,
         !valid_o || !was_decode || outcome_o == 2'd1 ||
         (data_o == was_data && parity_o == was_parity && chips_o == '0),
         $fatal(1, "OnlyCorrectedBlocksChange: outcome %0d, chips %h", outcome_o, chips_o))

  `CHECK(OutcomeIsOneOfThree, outcome_o != 2'd3,
         $fatal(1, "OutcomeIsOneOfThree: outcome %0d", outcome_o))

  `CHECK(CleanMeansNoSyndrome,
         !valid_o || !was_decode || (outcome_o == 2'd0) == (syndromes_o == '0),
         $fatal(1, "CleanMeansNoSyndrome: outcome %0d, syndromes %h", outcome_o, syndromes_o))

  // A bit in chips is low if and only if the chip is unchanged.
  logic [9:0] changed;
  always_comb begin
    changed = '0;
    for (int b = 0; b < 16; b++) begin
      for (int c = 0; c < 8; c++) begin
        if (data_o[32*b+4*c+:4] != was_data[32*b+4*c+:4]) changed[c] = 1'b1;
      end
      for (int c = 0; c < 2; c++) begin
        if (parity_o[8*b+4*c+:4] != was_parity[8*b+4*c+:4]) changed[8+c] = 1'b1;
      end
    end
  end
  `CHECK(ChipsAreThoseThatChanged, !valid_o || !was_decode || chips_o == changed,
         $fatal(1, "ChipsAreThoseThatChanged: chips %h, changed %h", chips_o, changed))

  `CHECK(OneChipIfTheyMustAgree, Code == 0 || $onehot0(chips_o),
         $fatal(1, "OneChipIfTheyMustAgree: chips %h", chips_o))

  // The syndromes of the block that was decoded, and of the one that is output.
  logic [127:0] asked_syndromes, answer_syndromes;
  ddr5_codec_reference #(
    .Code(Code)
  ) i_asked_reference (
    .data_i     (was_data),
    .parity_i   (was_parity),
    .syndromes_o(asked_syndromes)
  );
  ddr5_codec_reference #(
    .Code(Code)
  ) i_answer_reference (
    .data_i     (data_o),
    .parity_i   (parity_o),
    .syndromes_o(answer_syndromes)
  );
  `CHECK(SyndromesAreTheProduct, !valid_o || !was_decode || syndromes_o == asked_syndromes,
         $fatal(1, "SyndromesAreTheProduct: %h instead of %h", syndromes_o, asked_syndromes))
  `CHECK(EncodingsAreCodewords, !valid_o || was_decode || answer_syndromes == '0,
         $fatal(1, "EncodingsAreCodewords: %h with parity %h", data_o, parity_o))
  `CHECK(CorrectedBlocksAreCodewords,
         !valid_o || !was_decode || outcome_o == 2'd2 || answer_syndromes == '0,
         $fatal(1, "CorrectedBlocksAreCodewords: %h with parity %h", data_o, parity_o))

endmodule

bind ddr5_codec ddr5_codec_properties #(.Code(Code)) i_properties (.*);
