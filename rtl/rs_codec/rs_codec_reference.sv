// The syndromes of a block by the definition of the code, without the modules of the codec. Part of
// the properties of rs_codec.
module rs_codec_reference (
  // Low: two codewords of RS(36,32); high: four of RS(19,16).
  input  logic         strong_i,
  // The block.
  input  logic [511:0] data_i,
  input  logic [63:0]  parity_i,
  input  logic [31:0]  third_i,
  // Those of codeword w from bit 32*w, that of row 0 in the lowest bits.
  output logic [127:0] syndromes_o
);

  // Symbol p of chip c, from bit 8*(18*p + c): its four bits of beat 2p, then those of beat 2p+1.
  logic [575:0] symbols;
  for (genvar b = 0; b < 8; b++) begin : gen_beat
    for (genvar c = 0; c < 18; c++) begin : gen_chip
      if (c < 16) begin : gen_data
        assign symbols[8*(18*(b/2)+c)+4*(b%2)+:4] = data_i[64*b+4*c+:4];
      end else begin : gen_parity
        assign symbols[8*(18*(b/2)+c)+4*(b%2)+:4] = parity_i[8*b+4*(c-16)+:4];
      end
    end
  end

  logic [127:0] of_normal, of_strong;
  assign of_normal[127:64] = '0;
  for (genvar w = 0; w < 2; w++) begin : gen_normal
    logic [287:0] codeword;
    for (genvar i = 0; i < 36; i++) begin : gen_position
      assign codeword[8*i+:8] = symbols[8*(18*(2*w+i%2)+i/2)+:8];
    end
    for (genvar row = 0; row < 4; row++) begin : gen_row
      rs_codec_horner #(
        .Symbols(36),
        .Row    (row)
      ) i_horner (
        .symbols_i(codeword),
        .sum_o    (of_normal[32*w+8*row+:8])
      );
    end
  end
  for (genvar w = 0; w < 4; w++) begin : gen_strong
    for (genvar row = 0; row < 3; row++) begin : gen_row
      logic [7:0] sum;
      rs_codec_horner #(
        .Symbols(18),
        .Row    (row)
      ) i_horner (
        .symbols_i(symbols[144*w+:144]),
        .sum_o    (sum)
      );
      assign of_strong[32*w+8*row+:8] = sum ^ (row == 2 ? third_i[8*w+:8] : 8'h00);
    end
    assign of_strong[32*w+24+:8] = '0;
  end

  assign syndromes_o = strong_i ? of_strong : of_normal;

endmodule
