// The codes of a DDR5 rank by their parity-check matrices over GF(2). Counterpart of the columns in
// models/ecc/ddr5_codec.cpp.
//
//   0  RS(10,8)    eight codewords of two beats; each corrects a symbol of any chip
//   1  RS(10,8)    the same, if all codewords that correct agree on the chip
//   2  RS(40,32)   two codewords of eight beats, a symbol for each pin; correct all symbols of a chip
//
// The Reed-Solomon codes are over GF(2^8) with the polynomial 0x11D: position i has the locator
// alpha^i, and row j of the matrix is alpha^(i*j).
package ddr5_code_pkg;

  localparam int unsigned Codes = 3;
  localparam int unsigned Chips = 10;

  // The bits of a chip in a codeword.
  function automatic int unsigned bits_of(int unsigned code);
    bits_of = code == 2 ? 32 : 8;
  endfunction

  // The bits of a codeword's syndrome, and of its check bits.
  function automatic int unsigned checks_of(int unsigned code);
    checks_of = code == 2 ? 64 : 16;
  endfunction

  // The element of GF(2^8) times alpha^exponent.
  function automatic logic [7:0] shifted(logic [7:0] element, int unsigned exponent);
    shifted = element;
    for (int unsigned i = 0; i < exponent % 255; i++) begin
      shifted = {shifted[6:0], 1'b0} ^ (shifted[7] ? 8'h1D : 8'h00);
    end
  endfunction

  // The syndrome of one wrong bit of a chip, in the lowest bits: that of row j from bit 8*j.
  function automatic logic [63:0] column(int unsigned code, int unsigned chip, int unsigned b);
    column = '0;
    if (code == 2) begin
      // Bit k of the symbol of pin p is bit 4*k + p of the chip.
      for (int unsigned j = 0; j < 8; j++) begin
        column[8*j+:8] = shifted(8'h01, b / 4 + (4 * chip + b % 4) * j);
      end
    end else begin
      for (int unsigned j = 0; j < 2; j++) column[8*j+:8] = shifted(8'h01, b + chip * j);
    end
  endfunction

endpackage
