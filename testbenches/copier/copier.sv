// Copies words from one place in memory to another, for the testbench of devices in RTL: it is a
// target on one APB port and a master on another, reports when it is idle, and interrupts when it
// is done.
//
// Policy     SOURCE and TARGET are byte addresses and advance with the copy; a write of WORDS starts
//            it, and a read returns the remaining words; STATUS bit 0 is set at the end and cleared by
//            writing it.
// Timing     Four cycles per word plus the wait states of the memory. APB answers without wait states.
module copier #(
  // With 1, a counter runs while idle_o is high, which makes idle_o wrong.
  parameter int unsigned LyingIdle = 0
) (
  // Active at the rising edge.
  input  logic        clk_i,
  // Asynchronous, active low.
  input  logic        rst_ni,
  // APB as a target; the lowest two bits of the address are ignored.
  input  logic [ 3:0] paddr_i,
  // Select.
  input  logic        psel_i,
  // Enable.
  input  logic        penable_i,
  // Direction: 1 writes.
  input  logic        pwrite_i,
  // Write data.
  input  logic [31:0] pwdata_i,
  // Read data, zero unless selected.
  output logic [31:0] prdata_o,
  // Ready: always high.
  output logic        pready_o,
  // APB as a master.
  output logic [31:0] m_paddr_o,
  // Select.
  output logic        m_psel_o,
  // Enable.
  output logic        m_penable_o,
  // Direction: 1 writes.
  output logic        m_pwrite_o,
  // Write data.
  output logic [31:0] m_pwdata_o,
  // Read data.
  input  logic [31:0] m_prdata_i,
  // Ready.
  input  logic        m_pready_i,
  // High while STATUS is set.
  output logic        interrupt_o,
  // The state of the copy.
  output logic [ 2:0] state_o,
  // Nothing changes until an input does.
  output logic        idle_o
);

  typedef enum logic [2:0] {
    Rest,
    ReadSetup,
    ReadAccess,
    WriteSetup,
    WriteAccess
  } state_e;

  state_e state_d, state_q;
  logic [31:0] source_d, source_q, target_d, target_q, words_d, words_q, word_d, word_q;
  logic [31:0] ticks_q;
  logic done_d, done_q;

  logic write;
  assign write = psel_i & penable_i & pwrite_i;

  always_comb begin
    state_d  = state_q;
    source_d = source_q;
    target_d = target_q;
    words_d  = words_q;
    word_d   = word_q;
    done_d   = done_q;
    if (write) begin
      unique case (paddr_i[3:2])
        2'd0: source_d = pwdata_i;
        2'd1: target_d = pwdata_i;
        2'd2: words_d = pwdata_i;
        default: done_d = done_q & ~pwdata_i[0];
      endcase
    end
    unique case (state_q)
      Rest: if (words_q != '0) state_d = ReadSetup;
      ReadSetup: state_d = ReadAccess;
      ReadAccess: if (m_pready_i) begin
        word_d   = m_prdata_i;
        source_d = source_q + 32'd4;
        state_d  = WriteSetup;
      end
      WriteSetup: state_d = WriteAccess;
      default: if (m_pready_i) begin
        target_d = target_q + 32'd4;
        words_d  = words_q - 32'd1;
        done_d   = words_q == 32'd1;
        state_d  = words_q == 32'd1 ? Rest : ReadSetup;
      end
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q  <= Rest;
      source_q <= '0;
      target_q <= '0;
      words_q  <= '0;
      word_q   <= '0;
      done_q   <= 1'b0;
      ticks_q  <= '0;
    end else begin
      state_q  <= state_d;
      source_q <= source_d;
      target_q <= target_d;
      words_q  <= words_d;
      word_q   <= word_d;
      done_q   <= done_d;
      if (LyingIdle != 0) ticks_q <= ticks_q + 32'd1;
    end
  end

  always_comb begin
    prdata_o = '0;
    if (psel_i && !pwrite_i) begin
      unique case (paddr_i[3:2])
        2'd0: prdata_o = source_q;
        2'd1: prdata_o = target_q;
        2'd2: prdata_o = words_q;
        default: prdata_o = LyingIdle != 0 ? ticks_q : 32'(done_q);
      endcase
    end
  end

  assign pready_o    = 1'b1;
  assign m_psel_o    = state_q != Rest;
  assign m_penable_o = state_q inside {ReadAccess, WriteAccess};
  assign m_pwrite_o  = state_q inside {WriteSetup, WriteAccess};
  assign m_paddr_o   = m_pwrite_o ? target_q : source_q;
  assign m_pwdata_o  = m_pwrite_o ? word_q : '0;
  assign interrupt_o = done_q;
  assign state_o     = state_q;
  assign idle_o      = state_q == Rest && words_q == '0 && !psel_i;

  logic unused_paddr;
  assign unused_paddr = ^paddr_i[1:0];

endmodule
