// Computes the syndromes of one codeword: its product with the parity-check matrix. Counterpart of
// ReedSolomon::syndromes (models/ecc/reed_solomon.h).
//
// Matrix     Row j has alpha^(i*j) at position i. Extended: the last position has the column
//            (0, ..., 0, 1), so that the other rows are those of the code without it: the first two
//            syndromes of RS(19,16) are those of RS(18,16), and one instance serves both.
// Timing     Combinational: a tree of XORs for each bit of a syndrome, over those bits of the
//            codeword that alpha^(i*j) maps to it.
module rs_syndrome #(
  // The number of symbols of a codeword.
  parameter int unsigned Symbols = 36,
  // The number of rows of the matrix, 2 to 4.
  parameter int unsigned Checks = 4,
  // The last position is the code's extension.
  parameter bit Extended = 1'b0
) (
  // The codeword, position 0 in the lowest bits.
  input  logic [8*Symbols-1:0] symbols_i,
  // The syndrome of row 0 in the lowest bits.
  output logic [8*Checks-1:0]  syndromes_o
);

  // Row `row` of the matrix, position 0 in the lowest bits.
  function automatic logic [8*Symbols-1:0] elements_of(int unsigned row);
    logic [7:0] step, element;
    step    = gf256_pkg::power(row);
    element = 8'h01;
    for (int unsigned i = 0; i < Symbols; i++) begin
      elements_of[8*i+:8] = element;
      if (Extended && i == Symbols - 1) elements_of[8*i+:8] = row == Checks - 1 ? 8'h01 : 8'h00;
      element = gf256_pkg::times(element, step);
    end
  endfunction

  // The bits of a codeword that make bit `b` of its product with a row.
  function automatic logic [8*Symbols-1:0] taps(logic [8*Symbols-1:0] elements, logic [2:0] b);
    logic [7:0] product;
    for (int unsigned i = 0; i < Symbols; i++) begin
      product = elements[8*i+:8];
      for (int unsigned k = 0; k < 8; k++) begin
        taps[8*i+k] = product[b];
        product     = gf256_pkg::times_alpha(product);
      end
    end
  endfunction

  for (genvar j = 0; j < Checks; j++) begin : gen_row
    localparam logic [8*Symbols-1:0] Elements = elements_of(j);
    for (genvar b = 0; b < 8; b++) begin : gen_bit
      localparam logic [8*Symbols-1:0] Taps = taps(Elements, 3'(b));
      assign syndromes_o[8*j+b] = ^(symbols_i & Taps);
    end
  end

endmodule
