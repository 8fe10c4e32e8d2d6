/** Answer of a filter that lets a call pass; any other answer is the number of an error. */
export const ALLOWED = 'allowed'

/** The kernel's own numbers of the architectures. */
export const AUDIT = { x64: 0xc000003e, arm64: 0xc00000b7 } as const

/** Runs a filter on the data of a call, as the kernel does, and returns its answer. */
export function answerOf(
  filter: Uint8Array,
  { audit, number, args = [] }: { audit: number; number: number; args?: readonly number[] },
): string | number {
  const program = new DataView(filter.buffer)
  const data = new DataView(new ArrayBuffer(64))
  data.setUint32(0, number, true)
  data.setUint32(4, audit, true)
  for (const [at, value] of args.entries()) data.setUint32(16 + at * 8, value, true)
  let accumulator = 0
  for (let at = 0; ; at++) {
    const operand = program.getUint32(at * 8 + 4, true)
    const [yes, no] = [program.getUint8(at * 8 + 2), program.getUint8(at * 8 + 3)]
    switch (program.getUint16(at * 8, true)) {
      case 0x20:
        accumulator = data.getUint32(operand, true)
        break
      case 0x15:
        at += accumulator === operand ? yes : no
        break
      case 0x25:
        at += accumulator > operand ? yes : no
        break
      case 0x35:
        at += accumulator >= operand ? yes : no
        break
      case 0x45:
        at += (accumulator & operand) !== 0 ? yes : no
        break
      case 0x06:
        return operand === 0x7fff0000 ? ALLOWED : operand - 0x00050000
      default:
        throw new Error(`instruction ${at} is none that the filter uses`)
    }
  }
}
