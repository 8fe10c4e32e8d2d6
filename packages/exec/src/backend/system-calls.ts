/** Numbers of system calls by architecture; the first is the one the kernel knows the architecture by. */
const CALLS: Readonly<Partial<Record<NodeJS.Architecture, readonly [audit: number, ...calls: number[]]>>> = {
  x64: [0xc000003e, 29, 68, 248, 249, 250, 298, 321, 323, 425, 447],
  arm64: [0xc00000b7, 194, 186, 217, 218, 219, 241, 280, 282, 425, 447],
}

const LOAD = 0x20
const EQUAL = 0x15
const AT_LEAST = 0x35
const RETURN = 0x06
const ALLOW = 0x7fff0000
const NOT_PERMITTED = 0x00050001

/** Numbers from here on are those of a second table that x86 has. */
const SECOND_TABLE = 0x40000000

/**
 * A filter of system calls, as bytes that the kernel takes: memory that belongs to no process (shared memory and message
 * queues of System V, secret memory), keys, and parts of the kernel with many faults (`io_uring`, `bpf`, `perf`,
 * `userfaultfd`) are refused, as are calls of another architecture. Null where the numbers are not known.
 */
export function systemCallFilter(architecture: NodeJS.Architecture = process.arch): Uint8Array | null {
  const its = CALLS[architecture]
  if (!its) return null
  const [audit, ...calls] = its
  const program: [code: number, whenTrue: number, whenFalse: number, operand: number][] = [
    [LOAD, 0, 0, 4],
    [EQUAL, 0, calls.length + 3, audit],
    [LOAD, 0, 0, 0],
    [AT_LEAST, calls.length + 1, 0, SECOND_TABLE],
    ...calls.map((call, index): [number, number, number, number] => [EQUAL, calls.length - index, 0, call]),
    [RETURN, 0, 0, ALLOW],
    [RETURN, 0, 0, NOT_PERMITTED],
  ]
  const bytes = new DataView(new ArrayBuffer(program.length * 8))
  for (const [index, [code, whenTrue, whenFalse, operand]] of program.entries()) {
    bytes.setUint16(index * 8, code, true)
    bytes.setUint8(index * 8 + 2, whenTrue)
    bytes.setUint8(index * 8 + 3, whenFalse)
    bytes.setUint32(index * 8 + 4, operand, true)
  }
  return new Uint8Array(bytes.buffer)
}
