// Encoder and decoder of the codes of a DDR5 rank of ten x4 chips, on blocks of 64 bytes in the layout
// of models/ecc/ddr5_block.h. Counterpart of Ddr5Codec (models/ecc/ddr5_codec.h), bit by bit.
//
// Policy     Each codeword with an error is compared with the errors of each chip. It is corrected if
//            those of exactly one chip have its syndrome; otherwise it is uncorrectable. Except with
//            Code 0, all codewords that are corrected must name the same chip. A block with an
//            uncorrectable codeword is output unchanged.
// Fairness   One block per cycle, output in the order of arrival; nothing is ever refused.
// Timing     The answer is valid three cycles after its block. Each cycle has one step: syndromes (of
//            an encoding without the check bits), the chip and the check bits, correction. An encoding
//            takes as long as a decoding.
// Cost       For each codeword a syndrome unit, an encoder, and a solver for each chip.
//
// Bit 8*i of data is the lowest of byte i. In the answer to an encoding, outcome, chips and syndromes
// are zero.
module ddr5_codec #(
  // The code: 0 RS(10,8), 1 RS(10,8) of one chip, 2 RS(40,32) (ddr5_code_pkg.sv).
  parameter int unsigned Code = 0
) (
  // Active at the rising edge.
  input  logic         clk_i,
  // Asynchronous, active low: drops all blocks in progress.
  input  logic         rst_ni,
  // There is a block in this cycle.
  input  logic         valid_i,
  // Low: encode it; high: decode it.
  input  logic         decode_i,
  // The 64 bytes of the block: chip c in beat b from bit 32*b + 4*c.
  input  logic [511:0] data_i,
  // The bits of chips 8 and 9: chip c in beat b from bit 8*b + 4*(c-8). Ignored for an encoding.
  input  logic [127:0] parity_i,
  // The answer to the block of three cycles ago is valid; otherwise the other outputs are stable.
  output logic         valid_o,
  // The data, corrected if possible.
  output logic [511:0] data_o,
  // The bits of chips 8 and 9, encoded or corrected if possible.
  output logic [127:0] parity_o,
  // 0: clean, 1: corrected, 2: uncorrectable and output unchanged.
  output logic [1:0]   outcome_o,
  // The chips whose bits were changed.
  output logic [9:0]   chips_o,
  // The syndromes of all codewords, that of the first in the lowest bits: 8 of 16 bits, or 2 of 64.
  output logic [127:0] syndromes_o,
  // No block is offered or in progress: a clock edge changes nothing.
  output logic         idle_o
);

  if (Code >= ddr5_code_pkg::Codes) begin : gen_bad_code
    $fatal(1, "Code is 0 (RS(10,8)), 1 (RS(10,8) of one chip) or 2 (RS(40,32))");
  end

  localparam int unsigned Chips     = ddr5_code_pkg::Chips;
  localparam int unsigned Bits      = ddr5_code_pkg::bits_of(Code);
  localparam int unsigned Checks    = ddr5_code_pkg::checks_of(Code);
  localparam int unsigned Codewords = 64 / Bits;
  localparam bit          OneChip   = Code != 0;

  // ---- layout ----

  // The words of the chips: pin p of chip c in beat b is bit 64*c + 4*b + p.
  function automatic logic [639:0] words_of(logic [511:0] data, logic [127:0] parity);
    for (int b = 0; b < 16; b++) begin
      for (int c = 0; c < 8; c++) words_of[64*c+4*b+:4] = data[32*b+4*c+:4];
      for (int c = 0; c < 2; c++) words_of[64*(c+8)+4*b+:4] = parity[8*b+4*c+:4];
    end
  endfunction
  function automatic logic [511:0] data_of(logic [639:0] words);
    for (int b = 0; b < 16; b++) begin
      for (int c = 0; c < 8; c++) data_of[32*b+4*c+:4] = words[64*c+4*b+:4];
    end
  endfunction
  function automatic logic [127:0] parity_of(logic [639:0] words);
    for (int b = 0; b < 16; b++) begin
      for (int c = 0; c < 2; c++) parity_of[8*b+4*c+:4] = words[64*(c+8)+4*b+:4];
    end
  endfunction

  // Codeword w, chip c from bit Bits*c.
  function automatic logic [Chips*Bits-1:0] codeword_of(logic [639:0] words, int w);
    for (int c = 0; c < Chips; c++) codeword_of[Bits*c+:Bits] = words[64*c+Bits*w+:Bits];
  endfunction

  // ---- first cycle: syndromes ----

  logic [639:0] words;
  assign words = words_of(data_i, decode_i ? parity_i : '0);

  logic [Codewords*Checks-1:0] syndromes;
  for (genvar w = 0; w < Codewords; w++) begin : gen_syndrome
    ddr5_syndrome #(
      .Code  (Code),
      .Bits  (Bits),
      .Checks(Checks)
    ) i_syndrome (
      .codeword_i(codeword_of(words, w)),
      .syndrome_o(syndromes[Checks*w+:Checks])
    );
  end

  logic                        found_valid_q, found_decode_q;
  logic [639:0]                found_words_q;
  logic [Codewords*Checks-1:0] found_syndromes_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      found_valid_q     <= 1'b0;
      found_decode_q    <= 1'b0;
      found_words_q     <= '0;
      found_syndromes_q <= '0;
    end else begin
      found_valid_q <= valid_i;
      if (valid_i) begin
        found_decode_q    <= decode_i;
        found_words_q     <= words;
        found_syndromes_q <= syndromes;
      end
    end
  end

  // ---- second cycle: the chip and its error, and the check bits of an encoding ----

  // For each codeword: the chips whose errors have its syndrome, and those errors of all of these.
  logic [Codewords*Chips-1:0] hit;
  logic [Codewords*Bits-1:0]  value;
  logic [Codewords-1:0]       error, uncorrectable;
  logic [639:0]               encoded;
  logic [Codewords*Checks-1:0] checks;
  for (genvar w = 0; w < Codewords; w++) begin : gen_codeword
    logic [Checks-1:0]     syndrome;
    logic [Chips-1:0]      is_found;
    logic [Chips*Bits-1:0] errors;
    assign syndrome = found_syndromes_q[Checks*w+:Checks];
    for (genvar c = 0; c < Chips; c++) begin : gen_chip
      ddr5_solver #(
        .Code    (Code),
        .Bits    (Bits),
        .Checks  (Checks),
        .Chip    (c),
        .Unknowns(Bits)
      ) i_solver (
        .syndrome_i(syndrome),
        .found_o   (is_found[c]),
        .error_o   (errors[Bits*c+:Bits])
      );
    end
    logic [Bits-1:0] chosen;
    always_comb begin
      chosen = '0;
      for (int c = 0; c < Chips; c++) begin
        chosen = chosen | (is_found[c] ? errors[Bits*c+:Bits] : {Bits{1'b0}});
      end
    end
    assign error[w]              = syndrome != '0;
    assign hit[Chips*w+:Chips]   = error[w] ? is_found : {Chips{1'b0}};
    assign value[Bits*w+:Bits]   = chosen;
    assign uncorrectable[w]      = error[w] && !$onehot(is_found);

    // A single solution always exists, as there are as many check bits as bits of a syndrome.
    logic unused_found;
    ddr5_solver #(
      .Code    (Code),
      .Bits    (Bits),
      .Checks  (Checks),
      .Chip    (8),
      .Unknowns(Checks)
    ) i_encoder (
      .syndrome_i(syndrome),
      .found_o   (unused_found),
      .error_o   (checks[Checks*w+:Checks])
    );
  end

  always_comb begin
    encoded = found_words_q;
    for (int w = 0; w < Codewords; w++) begin
      encoded[64*8+Bits*w+:Bits] = checks[Checks*w+:Bits];
      encoded[64*9+Bits*w+:Bits] = checks[Checks*w+Bits+:Bits];
    end
  end

  logic                        located_valid_q;
  logic [639:0]                located_words_q;
  logic [Codewords*Checks-1:0] located_syndromes_q;
  logic [Codewords*Chips-1:0]  hit_q;
  logic [Codewords*Bits-1:0]   value_q;
  logic                        error_q, uncorrectable_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      located_valid_q     <= 1'b0;
      located_words_q     <= '0;
      located_syndromes_q <= '0;
      hit_q               <= '0;
      value_q             <= '0;
      error_q             <= 1'b0;
      uncorrectable_q     <= 1'b0;
    end else begin
      located_valid_q <= found_valid_q;
      if (found_valid_q) begin
        located_words_q     <= found_decode_q ? found_words_q : encoded;
        located_syndromes_q <= found_decode_q ? found_syndromes_q : '0;
        hit_q               <= hit;
        value_q             <= value;
        error_q             <= found_decode_q && error != '0;
        uncorrectable_q     <= uncorrectable != '0;
      end
    end
  end

  // ---- third cycle: correction ----

  logic [Chips-1:0] hit_chips;
  always_comb begin
    hit_chips = '0;
    for (int w = 0; w < Codewords; w++) hit_chips = hit_chips | hit_q[Chips*w+:Chips];
  end

  logic is_corrected;
  assign is_corrected = error_q && !uncorrectable_q && (!OneChip || $onehot(hit_chips));

  logic [639:0] flips;
  always_comb begin
    flips = '0;
    for (int w = 0; w < Codewords; w++) begin
      for (int c = 0; c < Chips; c++) begin
        if (is_corrected && hit_q[Chips*w+c]) flips[64*c+Bits*w+:Bits] = value_q[Bits*w+:Bits];
      end
    end
  end

  logic [639:0] corrected;
  assign corrected = located_words_q ^ flips;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_o     <= 1'b0;
      data_o      <= '0;
      parity_o    <= '0;
      outcome_o   <= '0;
      chips_o     <= '0;
      syndromes_o <= '0;
    end else begin
      valid_o <= located_valid_q;
      if (located_valid_q) begin
        data_o      <= data_of(corrected);
        parity_o    <= parity_of(corrected);
        outcome_o   <= {error_q && !is_corrected, is_corrected};
        chips_o     <= is_corrected ? hit_chips : '0;
        syndromes_o <= located_syndromes_q;
      end
    end
  end

  assign idle_o = !valid_i && !found_valid_q && !located_valid_q && !valid_o;

endmodule
