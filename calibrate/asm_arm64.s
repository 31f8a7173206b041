#include "textflag.h"

// func addChain(n int)
TEXT ·addChain(SB), NOSPLIT, $0-8
	MOVD n+0(FP), R2
	MOVD $0, R0
	MOVD $1, R1
adds:
	ADD  R1, R0
	ADD  R1, R0
	ADD  R1, R0
	ADD  R1, R0
	ADD  R1, R0
	ADD  R1, R0
	ADD  R1, R0
	ADD  R1, R0
	SUBS $1, R2
	BGT  adds
	RET

// func busy(n int)
TEXT ·busy(SB), NOSPLIT, $0-8
	MOVD n+0(FP), R2
	MOVD $0, R0
	MOVD $1, R1
	ISB  $15
adds:
	ADD  R1, R0
	ADD  R1, R0
	ADD  R1, R0
	ADD  R1, R0
	ADD  R1, R0
	ADD  R1, R0
	ADD  R1, R0
	ADD  R1, R0
	SUBS $1, R2
	BGT  adds
	ISB  $15
	RET

// func pauses(n int)
TEXT ·pauses(SB), NOSPLIT, $0-8
	MOVD n+0(FP), R2
again:
	YIELD
	SUBS $1, R2
	BGT  again
	RET

// func fences(n int)
TEXT ·fences(SB), NOSPLIT, $0-8
	MOVD n+0(FP), R2
again:
	DMB  $0xb // inner shareable, loads and stores
	SUBS $1, R2
	BGT  again
	RET

// func storeRelease(p *uint32, v uint32)
TEXT ·storeRelease(SB), NOSPLIT, $0-12
	MOVD  p+0(FP), R0
	MOVW  v+8(FP), R1
	STLRW R1, (R0)
	RET
