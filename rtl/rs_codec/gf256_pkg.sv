// GF(2^8) with the polynomial x^8 + x^4 + x^3 + x^2 + 1 (0x11D), in which alpha = 2 generates all
// 255 non-zero elements. Addition is XOR. Counterpart of models/ecc/gf256.h, without its tables: a
// multiplication by a constant becomes a few XORs.
package gf256_pkg;

  function automatic logic [7:0] times_alpha(logic [7:0] x);
    times_alpha = {x[6:0], 1'b0} ^ (x[7] ? 8'h1D : 8'h00);
  endfunction

  function automatic logic [7:0] times(logic [7:0] x, logic [7:0] y);
    logic [7:0] shifted;
    shifted = x;
    times   = 8'h00;
    for (int b = 0; b < 8; b++) begin
      if (y[b]) times = times ^ shifted;
      shifted = times_alpha(shifted);
    end
  endfunction

  // alpha^exponent.
  function automatic logic [7:0] power(int unsigned exponent);
    power = 8'h01;
    for (int unsigned i = 0; i < exponent; i++) power = times_alpha(power);
  endfunction

  // x is not 0: x^254 = x^2 x^4 x^8 ... x^128.
  function automatic logic [7:0] inverse(logic [7:0] x);
    logic [7:0] square;
    square  = x;
    inverse = 8'h01;
    for (int i = 0; i < 7; i++) begin
      square  = times(square, square);
      inverse = times(inverse, square);
    end
  endfunction

endpackage
