// The syndromes of a block of a Reed-Solomon code by the definition of the code, without the modules of
// the codec: Horner's rule over the symbols. Part of the properties of ddr5_codec.
module ddr5_codec_reference #(
  // As of the codec: 0 and 1 have eight codewords of ten symbols, 2 has two of forty.
  parameter int unsigned Code = 0
) (
  // The block.
  input  logic [511:0] data_i,
  input  logic [127:0] parity_i,
  // Those of all codewords, that of row 0 of the first one in the lowest bits.
  output logic [127:0] syndromes_o
);

  // Bit p of chip c in beat b from the data or the parity.
  function automatic logic wire_of(logic [511:0] data, logic [127:0] parity, int c, int b, int p);
    wire_of = c < 8 ? data[32*b+4*(c%8)+p] : parity[8*b+4*(c%2)+p];
  endfunction

  // The symbol at a position of codeword w.
  function automatic logic [7:0] symbol_of(logic [511:0] data, logic [127:0] parity, int w, int i);
    for (int k = 0; k < 8; k++) begin
      if (Code == 2) symbol_of[k] = wire_of(data, parity, i / 4, 8 * w + k, i % 4);
      else symbol_of[k] = wire_of(data, parity, i, 2 * w + k / 4, k % 4);
    end
  endfunction

  function automatic logic [7:0] times_alpha(logic [7:0] x, int exponent);
    times_alpha = x;
    for (int i = 0; i < exponent; i++) begin
      times_alpha = {times_alpha[6:0], 1'b0} ^ (times_alpha[7] ? 8'h1D : 8'h00);
    end
  endfunction

  localparam int Codewords = Code == 2 ? 2 : 8;
  localparam int Symbols   = Code == 2 ? 40 : 10;
  localparam int Rows      = Code == 2 ? 8 : 2;

  for (genvar w = 0; w < Codewords; w++) begin : gen_codeword
    for (genvar j = 0; j < Rows; j++) begin : gen_row
      logic [7:0] sum;
      always_comb begin
        sum = 8'h00;
        for (int i = Symbols - 1; i >= 0; i--) begin
          sum = times_alpha(sum, j) ^ symbol_of(data_i, parity_i, w, i);
        end
      end
      assign syndromes_o[8*(Rows*w+j)+:8] = sum;
    end
  end

endmodule
