#include "textflag.h"

// func addChain(n int)
TEXT ·addChain(SB), NOSPLIT, $0-8
	MOVQ n+0(FP), CX
	XORQ AX, AX
	MOVQ $1, BX
adds:
	ADDQ BX, AX
	ADDQ BX, AX
	ADDQ BX, AX
	ADDQ BX, AX
	ADDQ BX, AX
	ADDQ BX, AX
	ADDQ BX, AX
	ADDQ BX, AX
	DECQ CX
	JGT  adds
	RET

// func busy(n int)
TEXT ·busy(SB), NOSPLIT, $0-8
	MOVQ n+0(FP), CX
	XORQ AX, AX
	MOVQ $1, BX
	LFENCE
adds:
	ADDQ BX, AX
	ADDQ BX, AX
	ADDQ BX, AX
	ADDQ BX, AX
	ADDQ BX, AX
	ADDQ BX, AX
	ADDQ BX, AX
	ADDQ BX, AX
	DECQ CX
	JGT  adds
	LFENCE
	RET

// func pauses(n int)
TEXT ·pauses(SB), NOSPLIT, $0-8
	MOVQ n+0(FP), CX
again:
	PAUSE
	DECQ CX
	JGT  again
	RET

// func fences(n int)
TEXT ·fences(SB), NOSPLIT, $0-8
	MOVQ n+0(FP), CX
again:
	MFENCE
	DECQ CX
	JGT  again
	RET

// func storeRelease(p *uint32, v uint32)
TEXT ·storeRelease(SB), NOSPLIT, $0-12
	MOVQ p+0(FP), AX
	MOVL v+8(FP), BX
	MOVL BX, (AX)
	RET
