// Encoder and decoder of the dual-mode memory code (abeyratne2017 section 4.4): Reed-Solomon codes
// over GF(2^8) on blocks of 64 bytes in the layout of models/ecc/memory_block.h. Counterpart of
// DualModeCodec (models/ecc/dual_mode_codec.h), bit by bit.
//
// Policy     Normal: two RS(36,32), each corrects one symbol and detects three. Strong: four
//            codewords; RS(18,16) detects, and if one of them detects an error, the third parity
//            is used (used_third_o) and RS(19,16) corrects one symbol each and detects two. Its
//            matrix embeds that of RS(18,16), so that one unit computes the syndromes of both. A
//            block with an uncorrectable codeword is output unchanged. Profile defines how far the
//            decoder goes: 0, thesis: a location beyond the end of the code counts as corrected,
//            without a change; 1, strict: it is uncorrectable; 2, chip: strict, and if a normal
//            codeword is then uncorrectable, each one with an error is solved for both symbols of
//            one chip, and all have to name the same chip.
// Fairness   One block per cycle, output in the order of arrival; nothing is ever refused.
// Timing     The answer is valid three cycles after its block. Each cycle has one step: syndromes
//            (of an encoding with the parity as zero), location and parity symbols, correction. An
//            encoding takes as long as a decoding.
// Cost       Two syndrome units and correctors of RS(36,32), four of RS(19,16), and encoders;
//            2200 flip-flops for the blocks in progress.
//
// Bit 8*i of data, parity and third is the lowest of byte i. In the answer to an encoding, outcome,
// chips, used_third and syndromes are zero; in normal mode the third parity is output unchanged, or
// zero for an encoding.
module rs_codec #(
  // How far the decoder goes: 0 thesis, 1 strict, 2 chip.
  parameter int unsigned Profile = 0
) (
  // Active at the rising edge.
  input  logic         clk_i,
  // Asynchronous, active low: drops all blocks in progress.
  input  logic         rst_ni,
  // There is a block in this cycle.
  input  logic         valid_i,
  // Low: encode it; high: decode it.
  input  logic         decode_i,
  // Low: normal; high: strong.
  input  logic         strong_i,
  // The 64 bytes of the block.
  input  logic [511:0] data_i,
  // The byte of each beat in chips 16 and 17; ignored for an encoding.
  input  logic [63:0]  parity_i,
  // The third parity symbols of the strong codewords; used for a strong decoding only.
  input  logic [31:0]  third_i,
  // The answer to the block of three cycles ago is valid; otherwise the other outputs are stable.
  output logic         valid_o,
  // The data, corrected if possible.
  output logic [511:0] data_o,
  // The parity, encoded or corrected if possible.
  output logic [63:0]  parity_o,
  // The third parity, encoded or corrected if possible.
  output logic [31:0]  third_o,
  // 0: clean, 1: corrected, 2: uncorrectable and output unchanged.
  output logic [1:0]   outcome_o,
  // The chips whose symbols were changed; bit 18: third parity symbols were.
  output logic [18:0]  chips_o,
  // RS(18,16) has found an error, and the third parity symbols were used.
  output logic         used_third_o,
  // Four bytes for each codeword, syndrome 0 in the lowest; zero for those that a code does not
  // have, and for the third ones if they were not used.
  output logic [127:0] syndromes_o,
  // No block is offered or in progress: a clock edge changes nothing.
  output logic         idle_o
);

  if (Profile > 2) begin : gen_bad_profile
    $fatal(1, "Profile is 0 (thesis), 1 (strict) or 2 (chip)");
  end

  localparam int unsigned Chips  = 18;
  localparam int unsigned Normal = 36;  // symbols of a codeword
  localparam int unsigned Strong = 19;
  localparam bit AnyLocation = Profile == 0;

  // ---- layout ----

  // All chips in all beats, 4 bits each: chip c in beat b from bit 72*b + 4*c.
  function automatic logic [575:0] beats_of(logic [511:0] data, logic [63:0] parity);
    for (int b = 0; b < 8; b++) beats_of[72*b+:72] = {parity[8*b+:8], data[64*b+:64]};
  endfunction

  // The same by symbols: symbol p of chip c, of beats 2p and 2p+1, from bit 8*(18*p + c).
  function automatic logic [575:0] symbols_of(logic [575:0] beats);
    for (int p = 0; p < 4; p++) begin
      for (int c = 0; c < Chips; c++) begin
        symbols_of[8*(Chips*p+c)+:8] = {beats[72*(2*p+1)+4*c+:4], beats[72*(2*p)+4*c+:4]};
      end
    end
  endfunction
  function automatic logic [575:0] beats_from(logic [575:0] symbols);
    for (int p = 0; p < 4; p++) begin
      for (int c = 0; c < Chips; c++) begin
        {beats_from[72*(2*p+1)+4*c+:4], beats_from[72*(2*p)+4*c+:4]} = symbols[8*(Chips*p+c)+:8];
      end
    end
  endfunction

  // Normal codeword w has symbol 2w of chip c at position 2c and symbol 2w+1 at 2c+1.
  function automatic logic [8*Normal-1:0] normal_codeword(logic [575:0] symbols, int w);
    for (int i = 0; i < Normal; i++) begin
      normal_codeword[8*i+:8] = symbols[8*(Chips*(2*w+i%2)+i/2)+:8];
    end
  endfunction

  // ---- first cycle: syndromes ----

  logic [575:0] symbols;
  logic [31:0]  third;
  assign symbols = symbols_of(beats_of(data_i, decode_i ? parity_i : '0));
  assign third   = decode_i ? third_i : '0;

  logic [127:0] normal_syndromes, strong_syndromes;
  for (genvar w = 0; w < 2; w++) begin : gen_normal_syndromes
    rs_syndrome #(
      .Symbols(Normal),
      .Checks (4)
    ) i_syndrome (
      .symbols_i  (normal_codeword(symbols, w)),
      .syndromes_o(normal_syndromes[32*w+:32])
    );
  end
  assign normal_syndromes[127:64] = '0;
  for (genvar w = 0; w < 4; w++) begin : gen_strong_syndromes
    rs_syndrome #(
      .Symbols (Strong),
      .Checks  (3),
      .Extended(1'b1)
    ) i_syndrome (
      .symbols_i  ({third[8*w+:8], symbols[8*Chips*w+:8*Chips]}),
      .syndromes_o(strong_syndromes[32*w+:24])
    );
    assign strong_syndromes[32*w+24+:8] = '0;
  end

  logic         found_valid_q, found_decode_q, found_strong_q;
  logic [575:0] found_symbols_q;
  logic [31:0]  found_third_q;
  logic [127:0] found_syndromes_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      found_valid_q     <= 1'b0;
      found_decode_q    <= 1'b0;
      found_strong_q    <= 1'b0;
      found_symbols_q   <= '0;
      found_third_q     <= '0;
      found_syndromes_q <= '0;
    end else begin
      found_valid_q <= valid_i;
      if (valid_i) begin
        found_decode_q    <= decode_i;
        found_strong_q    <= strong_i;
        found_symbols_q   <= symbols;
        found_third_q     <= third;
        found_syndromes_q <= strong_i ? strong_syndromes : normal_syndromes;
      end
    end
  end

  // ---- second cycle: location, and the parity of an encoding ----

  // For each codeword, in either mode: the faulty position, and the value of the error. For a
  // normal codeword there are two values, for even and for odd positions.
  logic [2*Normal-1:0] normal_hit;
  logic [63:0]         normal_parity;
  logic [15:0]         normal_value;
  logic [1:0]          normal_error, normal_uncorrectable;
  logic [4*Strong-1:0] strong_hit;
  logic [95:0]         strong_parity;
  logic [31:0]         strong_value;
  logic [3:0]          strong_error, strong_uncorrectable;

  for (genvar w = 0; w < 2; w++) begin : gen_normal
    rs_corrector #(
      .Symbols    (Normal),
      .Checks     (4),
      .AnyLocation(AnyLocation)
    ) i_corrector (
      .syndromes_i    (found_syndromes_q[32*w+:32]),
      .error_o        (normal_error[w]),
      .uncorrectable_o(normal_uncorrectable[w]),
      .hit_o          (normal_hit[Normal*w+:Normal]),
      .value_o        (normal_value[8*w+:8])
    );
    rs_encoder #(
      .Symbols(Normal),
      .Checks (4)
    ) i_encoder (
      .syndromes_i(found_syndromes_q[32*w+:32]),
      .parity_o   (normal_parity[32*w+:32])
    );
  end

  // The third parity symbols are used if RS(18,16) has found an error in any codeword.
  logic used_third;
  assign used_third = found_syndromes_q[15:0] != '0 || found_syndromes_q[47:32] != '0 ||
                      found_syndromes_q[79:64] != '0 || found_syndromes_q[111:96] != '0;

  for (genvar w = 0; w < 4; w++) begin : gen_strong
    rs_corrector #(
      .Symbols    (Strong),
      .Checks     (3),
      .Extended   (1'b1),
      .AnyLocation(AnyLocation)
    ) i_corrector (
      .syndromes_i    (found_syndromes_q[32*w+:24]),
      .error_o        (strong_error[w]),
      .uncorrectable_o(strong_uncorrectable[w]),
      .hit_o          (strong_hit[Strong*w+:Strong]),
      .value_o        (strong_value[8*w+:8])
    );
    rs_encoder #(
      .Symbols (Strong),
      .Checks  (3),
      .Extended(1'b1)
    ) i_encoder (
      .syndromes_i(found_syndromes_q[32*w+:24]),
      .parity_o   (strong_parity[24*w+:24])
    );
  end

  // In normal mode by chips, if Profile is 2.
  logic [2*Chips-1:0] chip_hit;
  logic [15:0]        chip_even, chip_odd;
  for (genvar w = 0; w < 2; w++) begin : gen_chip
    if (Profile == 2) begin : gen_solver
      rs_chip_solver #(
        .Chips(Chips)
      ) i_solver (
        .syndromes_i(found_syndromes_q[32*w+:32]),
        .hit_o      (chip_hit[Chips*w+:Chips]),
        .even_o     (chip_even[8*w+:8]),
        .odd_o      (chip_odd[8*w+:8])
      );
    end else begin : gen_none
      assign chip_hit[Chips*w+:Chips] = '0;
      assign chip_even[8*w+:8]        = '0;
      assign chip_odd[8*w+:8]         = '0;
    end
  end

  // The parity symbols of an encoding at their positions.
  logic [575:0] encoded_symbols;
  logic [31:0]  encoded_third;
  always_comb begin
    encoded_symbols = found_symbols_q;
    encoded_third   = '0;
    for (int p = 0; p < 4; p++) begin
      for (int c = 0; c < 2; c++) begin
        encoded_symbols[8*(Chips*p+16+c)+:8] = found_strong_q ? strong_parity[24*p+8*c+:8]
            : normal_parity[32*(p/2)+8*(2*c+p%2)+:8];
      end
      if (found_strong_q) encoded_third[8*p+:8] = strong_parity[24*p+16+:8];
    end
  end

  logic                located_valid_q, located_decode_q, located_strong_q, located_third_q;
  logic [575:0]        located_symbols_q;
  logic [31:0]         located_spare_q;
  logic [127:0]        located_syndromes_q;
  logic [2*Normal-1:0] normal_hit_q;
  logic [15:0]         normal_value_q;
  logic [4*Strong-1:0] strong_hit_q;
  logic [31:0]         strong_value_q;
  logic [2*Chips-1:0]  chip_hit_q;
  logic [15:0]         chip_even_q, chip_odd_q;
  logic [1:0]          normal_error_q;
  logic                error_q, uncorrectable_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      located_valid_q     <= 1'b0;
      located_decode_q    <= 1'b0;
      located_strong_q    <= 1'b0;
      located_third_q     <= 1'b0;
      located_symbols_q   <= '0;
      located_spare_q     <= '0;
      located_syndromes_q <= '0;
      normal_hit_q        <= '0;
      normal_value_q      <= '0;
      strong_hit_q        <= '0;
      strong_value_q      <= '0;
      chip_hit_q          <= '0;
      chip_even_q         <= '0;
      chip_odd_q          <= '0;
      normal_error_q      <= '0;
      error_q             <= 1'b0;
      uncorrectable_q     <= 1'b0;
    end else begin
      located_valid_q <= found_valid_q;
      if (found_valid_q) begin
        located_decode_q    <= found_decode_q;
        located_strong_q    <= found_strong_q;
        located_third_q     <= found_decode_q && found_strong_q && used_third;
        located_symbols_q   <= found_decode_q ? found_symbols_q : encoded_symbols;
        located_spare_q     <= found_decode_q ? found_third_q : encoded_third;
        located_syndromes_q <= found_syndromes_q;
        normal_hit_q        <= normal_hit;
        normal_value_q      <= normal_value;
        strong_hit_q        <= strong_hit;
        strong_value_q      <= strong_value;
        chip_hit_q          <= chip_hit;
        chip_even_q         <= chip_even;
        chip_odd_q          <= chip_odd;
        normal_error_q      <= normal_error;
        error_q             <= found_strong_q ? strong_error != '0 : normal_error != '0;
        uncorrectable_q     <= found_strong_q ? strong_uncorrectable != '0
            : normal_uncorrectable != '0;
      end
    end
  end

  // ---- third cycle: correction ----

  // The chips that solve the codewords with an error, and whether they are the same one.
  logic [Chips-1:0] solved_chip;
  logic             is_solved;
  assign solved_chip = chip_hit_q[0+:Chips] | chip_hit_q[Chips+:Chips];
  assign is_solved   = Profile == 2 && !located_strong_q &&
                       (!normal_error_q[0] || chip_hit_q[0+:Chips] == solved_chip) &&
                       (!normal_error_q[1] || chip_hit_q[Chips+:Chips] == solved_chip) &&
                       solved_chip != '0;

  // Corrected by single symbols, by a chip, or not at all.
  logic is_wrong, by_symbols, by_chip;
  assign is_wrong   = located_decode_q && error_q && (!located_strong_q || located_third_q);
  assign by_symbols = is_wrong && !uncorrectable_q;
  assign by_chip    = is_wrong && uncorrectable_q && is_solved;

  logic [575:0] flips;
  logic [31:0]  third_flips;
  logic [18:0]  chips;
  always_comb begin
    flips       = '0;
    third_flips = '0;
    chips       = '0;
    for (int p = 0; p < 4; p++) begin
      for (int c = 0; c < Chips; c++) begin
        if (by_symbols && located_strong_q && strong_hit_q[Strong*p+c]) begin
          flips[8*(Chips*p+c)+:8] = strong_value_q[8*p+:8];
          chips[c] = 1'b1;
        end
        if (by_symbols && !located_strong_q && normal_hit_q[Normal*(p/2)+2*c+p%2]) begin
          flips[8*(Chips*p+c)+:8] = normal_value_q[8*(p/2)+:8];
          chips[c] = 1'b1;
        end
        if (by_chip && chip_hit_q[Chips*(p/2)+c]) begin
          flips[8*(Chips*p+c)+:8] = p % 2 == 0 ? chip_even_q[8*(p/2)+:8] : chip_odd_q[8*(p/2)+:8];
          chips[c] = 1'b1;
        end
      end
      if (by_symbols && located_strong_q && strong_hit_q[Strong*p+Chips]) begin
        third_flips[8*p+:8] = strong_value_q[8*p+:8];
        chips[Chips] = 1'b1;
      end
    end
  end

  logic [575:0] beats;
  assign beats = beats_from(located_symbols_q ^ flips);

  // The syndromes that the decoder has used.
  logic [127:0] syndromes;
  always_comb begin
    syndromes = located_decode_q ? located_syndromes_q : '0;
    if (located_strong_q && !located_third_q) begin
      for (int w = 0; w < 4; w++) syndromes[32*w+16+:8] = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_o      <= 1'b0;
      data_o       <= '0;
      parity_o     <= '0;
      third_o      <= '0;
      outcome_o    <= '0;
      chips_o      <= '0;
      used_third_o <= 1'b0;
      syndromes_o  <= '0;
    end else begin
      valid_o <= located_valid_q;
      if (located_valid_q) begin
        for (int b = 0; b < 8; b++) begin
          {parity_o[8*b+:8], data_o[64*b+:64]} <= beats[72*b+:72];
        end
        third_o      <= located_spare_q ^ third_flips;
        outcome_o    <= {is_wrong && !by_symbols && !by_chip, by_symbols || by_chip};
        chips_o      <= chips;
        used_third_o <= located_third_q;
        syndromes_o  <= syndromes;
      end
    end
  end

  assign idle_o = !valid_i && !found_valid_q && !located_valid_q && !valid_o;

endmodule
