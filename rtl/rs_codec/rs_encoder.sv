// Computes the parity symbols of one codeword from the syndromes of its data symbols alone, by the
// inverse of the parity columns of the matrix. Counterpart of ReedSolomon::encode
// (models/ecc/reed_solomon.h).
//
// Policy     The last Checks positions are parity. Those with ordinary columns are a Vandermonde
//            matrix, whose inverse has the coefficients of Lagrange's polynomials as its elements;
//            the extension is what is then missing in the last row.
// Timing     Combinational: a tree of XORs for each bit.
module rs_encoder #(
  // The number of symbols of a codeword.
  parameter int unsigned Symbols = 36,
  // The number of parity symbols, 2 to 4.
  parameter int unsigned Checks = 4,
  // The last position is the code's extension.
  parameter bit Extended = 1'b0
) (
  // The syndromes of the data with all parity zero, that of row 0 in the lowest bits.
  input  logic [8*Checks-1:0] syndromes_i,
  // The symbol of position Symbols - Checks in the lowest bits.
  output logic [8*Checks-1:0] parity_o
);

  // The number of parity symbols with ordinary columns.
  localparam int unsigned Ordinary = Extended ? Checks - 1 : Checks;

  // The factor by which the syndrome of `row` is multiplied for ordinary parity symbol `p`: the
  // coefficient of x^row in the polynomial that is 1 at the locator of `p` and 0 at those of the
  // others.
  function automatic logic [7:0] lagrange(int unsigned p, int unsigned row);
    logic [31:0] polynomial, shifted;
    logic [7:0]  locator, other, scale;
    polynomial = 32'h1;
    scale      = 8'h01;
    locator    = gf256_pkg::power(Symbols - Checks + p);
    for (int unsigned m = 0; m < Ordinary; m++) begin
      if (m != p) begin
        other   = gf256_pkg::power(Symbols - Checks + m);
        shifted = {polynomial[23:0], 8'h00};
        for (int unsigned j = 0; j < 4; j++) begin
          polynomial[8*j+:8] = shifted[8*j+:8] ^ gf256_pkg::times(polynomial[8*j+:8], other);
        end
        scale = gf256_pkg::times(scale, locator ^ other);
      end
    end
    lagrange = gf256_pkg::times(polynomial[8*row+:8], gf256_pkg::inverse(scale));
  endfunction

  // The same for any parity symbol.
  function automatic logic [7:0] factor(int unsigned p, int unsigned row);
    factor = 8'h00;
    if (p < Ordinary) begin
      if (row < Ordinary) factor = lagrange(p, row);
    end else if (row == Checks - 1) begin
      factor = 8'h01;
    end else begin
      for (int unsigned m = 0; m < Ordinary; m++) begin
        factor = factor ^ gf256_pkg::times(lagrange(m, row),
                                           gf256_pkg::power((Symbols - Checks + m) * (Checks - 1)));
      end
    end
  endfunction

  // The factors of parity symbol `p`, that of row 0 in the lowest bits.
  function automatic logic [8*Checks-1:0] factors_of(int unsigned p);
    for (int unsigned row = 0; row < Checks; row++) factors_of[8*row+:8] = factor(p, row);
  endfunction

  // The bits of the syndromes that make bit `b` of a parity symbol with these factors.
  function automatic logic [8*Checks-1:0] taps(logic [8*Checks-1:0] factors, logic [2:0] b);
    logic [7:0] product;
    for (int unsigned j = 0; j < Checks; j++) begin
      product = factors[8*j+:8];
      for (int unsigned k = 0; k < 8; k++) begin
        taps[8*j+k] = product[b];
        product     = gf256_pkg::times_alpha(product);
      end
    end
  endfunction

  for (genvar p = 0; p < Checks; p++) begin : gen_parity
    localparam logic [8*Checks-1:0] Factors = factors_of(p);
    for (genvar b = 0; b < 8; b++) begin : gen_bit
      localparam logic [8*Checks-1:0] Taps = taps(Factors, 3'(b));
      assign parity_o[8*p+b] = ^(syndromes_i & Taps);
    end
  end

endmodule
