// Solves for both symbols of one chip from the syndromes of a normal codeword. Counterpart of
// solve_chip (models/ecc/dual_mode_codec.cpp).
//
// Policy     Errors only at the locators X and aX satisfy S[j+2] = (X + aX) S[j+1] + (X aX) S[j].
//            Each chip checks both equations for its X; they hold for at most one chip, because
//            any four columns of the matrix are independent.
// Timing     Combinational.
module rs_chip_solver #(
  // The number of chips, of two symbols each.
  parameter int unsigned Chips = 18
) (
  // The four syndromes, that of row 0 in the lowest bits.
  input  logic [31:0]      syndromes_i,
  // One bit for each chip: it is the faulty one. No bit is set without an error.
  output logic [Chips-1:0] hit_o,
  // The value to be XORed to the chip's first symbol.
  output logic [7:0]       even_o,
  // The value to be XORed to the chip's second symbol.
  output logic [7:0]       odd_o
);

  logic [7:0] s0, s1, s2, s3;
  assign {s3, s2, s1, s0} = syndromes_i;

  // The error of the second symbol, if this chip is the faulty one.
  logic [8*Chips-1:0] second;
  for (genvar c = 0; c < Chips; c++) begin : gen_chip
    localparam logic [7:0] First   = gf256_pkg::power(2 * c);
    localparam logic [7:0] Sum     = First ^ gf256_pkg::power(2 * c + 1);
    localparam logic [7:0] Product = gf256_pkg::power(4 * c + 1);
    localparam logic [7:0] Share   = gf256_pkg::inverse(Sum);
    assign hit_o[c] = syndromes_i != '0 &&
                      s2 == (gf256_pkg::times(s1, Sum) ^ gf256_pkg::times(s0, Product)) &&
                      s3 == (gf256_pkg::times(s2, Sum) ^ gf256_pkg::times(s1, Product));
    assign second[8*c+:8] = gf256_pkg::times(s1 ^ gf256_pkg::times(s0, First), Share);
  end

  always_comb begin
    odd_o = '0;
    for (int unsigned c = 0; c < Chips; c++) odd_o = odd_o | (hit_o[c] ? second[8*c+:8] : 8'h00);
  end
  assign even_o = hit_o == '0 ? 8'h00 : s0 ^ odd_o;

endmodule
