// The sum of the symbols, that of position i multiplied by alpha^(Row * i), in Horner's scheme.
// Part of the properties of rs_codec.
module rs_codec_horner #(
  // The number of symbols.
  parameter int unsigned Symbols = 36,
  // The row of the parity-check matrix.
  parameter int unsigned Row     = 0
) (
  // The symbols, position 0 in the lowest bits.
  input  logic [8*Symbols-1:0] symbols_i,
  // The sum.
  output logic [7:0]           sum_o
);

  localparam int Steps = Row;

  // x * alpha^Row.
  function automatic logic [7:0] times(logic [7:0] x);
    times = x;
    for (int r = 0; r < Steps; r++) times = {times[6:0], 1'b0} ^ (times[7] ? 8'h1D : 8'h00);
  endfunction

  // The sum of the positions from i on, divided by alpha^(Row * i).
  for (genvar i = Symbols; i >= 0; i--) begin : gen_position
    logic [7:0] sum;
    if (i == Symbols) begin : gen_end
      assign sum = 8'h00;
    end else begin : gen_symbol
      assign sum = times(gen_position[i+1].sum) ^ symbols_i[8*i+:8];
    end
  end
  assign sum_o = gen_position[0].sum;

endmodule
