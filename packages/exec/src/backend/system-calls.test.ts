import { describe, expect, it } from 'vitest'
import { systemCallFilter, type FilterOptions } from './system-calls.ts'

const ALLOWED = 'allowed'
const AUDIT = { x64: 0xc000003e, arm64: 0xc00000b7 } as const
const OPTIONS: FilterOptions = { memoryFiles: false, allocation: false }

/** What the kernel answers by a filter: it runs the program on the data of a call, as the kernel's own machine does. */
function answerOf(
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

/** Numbers of the two tables, as the headers of the kernel have them. */
const TABLES = {
  x64: {
    ...{ read: 0, chmod: 90, fchmod: 91, fchmodat: 268, mknod: 133, mknodat: 259, open: 2, openat: 257, creat: 85 },
    ...{ socket: 41, socketpair: 53, clone: 56, unshare: 272, memfd: 319, fallocate: 285, shmget: 29, bpf: 321 },
    ...{ vmsplice: 278, io_setup: 206, setxattr: 188, lsetxattr: 189, fsetxattr: 190, prctl: 157, ioctl: 16 },
  },
  arm64: {
    ...{ read: 63, fchmod: 52, fchmodat: 53, mknodat: 33, openat: 56, socket: 198, socketpair: 199, clone: 220 },
    ...{ unshare: 97, memfd: 279, fallocate: 47, shmget: 194, bpf: 280, vmsplice: 75, io_setup: 0 },
    ...{ setxattr: 5, lsetxattr: 6, fsetxattr: 7, prctl: 167, ioctl: 29 },
  },
} as const

describe.each(['x64', 'arm64'] as const)('the filter of system calls on %s', (architecture) => {
  const table: Readonly<Record<string, number>> = TABLES[architecture]
  const ask = (name: string | number, args: readonly number[] = [], options = OPTIONS): string | number =>
    answerOf(systemCallFilter(options, architecture)!, {
      audit: AUDIT[architecture],
      number: typeof name === 'number' ? name : table[name]!,
      args,
    })

  it('allows ordinary calls, but none of another architecture or table', () => {
    const filter = systemCallFilter(OPTIONS, architecture)!
    expect(ask('read', [0, 0, 100])).toBe(ALLOWED)
    expect(answerOf(filter, { audit: 0x40000003, number: table['read']! })).toBe(1)
    expect(ask(0x40000000 + table['read']!)).toBe(1)
  })

  it.each([
    ['chmod', 1],
    ['fchmod', 1],
    ['fchmodat', 2],
    ['mknod', 1],
    ['mknodat', 2],
    ['creat', 1],
    [452, 2],
  ] as const)('refuses by %s what runs as its owner or group', (name, at) => {
    if (typeof name === 'string' && table[name] === undefined) return
    const mode = (bits: number): number[] => [...Array.from({ length: at }, () => 0), bits]
    expect(ask(name, mode(0o755))).toBe(ALLOWED)
    expect(ask(name, mode(0o1777))).toBe(ALLOWED)
    for (const bits of [0o4755, 0o2755, 0o6000]) expect(ask(name, mode(bits))).toBe(1)
  })

  it.each([
    ['open', 0],
    ['openat', 1],
  ] as const)('refuses by %s the same, and looks at no mode where none is given', (name, before) => {
    if (table[name] === undefined) return
    const open = (flags: number, mode: number): string | number =>
      ask(name, [...Array.from({ length: before + 1 }, () => 7), flags, mode])
    expect(open(0o101, 0o644)).toBe(ALLOWED)
    expect(open(0o101, 0o4755)).toBe(1)
    expect(open(0o20200001, 0o2755)).toBe(1)
    // A register may hold anything.
    expect(open(0o2, 0o6755)).toBe(ALLOWED)
    expect(ask(437)).toBe(38)
  })

  it('allows sockets of four families', () => {
    for (const call of ['socket', 'socketpair']) {
      const passed = Array.from({ length: 64 }, (_, family) => family).filter(
        (family) => ask(call, [family, 1, 0]) === ALLOWED,
      )
      expect(passed).toEqual([1, 2, 10, 16])
      expect([ask(call, [16, 3, 15]), ask(call, [40, 1, 0]), ask(call, [1, 1, 15])]).toEqual([97, 97, ALLOWED])
    }
  })

  it('allows the usual protocols of sockets, for which the kernel loads no module', () => {
    for (const family of [2, 10]) {
      const passed = Array.from({ length: 300 }, (_, protocol) => protocol).filter(
        (protocol) => ask('socket', [family, 1, protocol]) === ALLOWED,
      )
      expect(passed).toEqual([0, 1, 6, 17, 58])
      expect(ask('socket', [family, 1, 132])).toBe(93)
    }
  })

  it('refuses to hide the open files of a process, and allows its other settings', () => {
    expect([ask('prctl', [4, 0]), ask('prctl', [4, 2])]).toEqual([1, 1])
    expect([ask('prctl', [4, 1]), ask('prctl', [15, 0]), ask('prctl', [38, 1])]).toEqual([ALLOWED, ALLOWED, ALLOWED])
  })

  it('refuses user namespaces, and allows threads', () => {
    for (const call of ['clone', 'unshare']) {
      expect([ask(call, [0x3d0f00]), ask(call, [0x10000000]), ask(call, [0x10020000])]).toEqual([ALLOWED, 1, 1])
    }
    expect(ask(435)).toBe(38)
  })

  it('refuses memory without an owner, and by option files in memory and reserved disk space', () => {
    expect([ask('shmget'), ask('bpf'), ask(425), ask(447)]).toEqual([1, 1, 1, 1])
    expect([ask('vmsplice'), ask('io_setup')]).toEqual([1, 1])
    expect(['setxattr', 'lsetxattr', 'fsetxattr', 463].map((name) => ask(name))).toEqual([95, 95, 95, 95])
    expect([ask('memfd'), ask('fallocate')]).toEqual([ALLOWED, ALLOWED])
    const strict = { memoryFiles: true, allocation: true }
    expect([ask('memfd', [], strict), ask('fallocate', [], strict)]).toEqual([38, 95])
    // By requests to a file system as well.
    for (const request of [0x40305828, 0x4030582a, 0x40305839]) {
      expect([ask('ioctl', [3, request]), ask('ioctl', [3, request], strict)]).toEqual([ALLOWED, 95])
    }
    expect(ask('ioctl', [3, 0x5401], strict)).toBe(ALLOWED)
  })
})

it('returns null for an unknown architecture', () => {
  expect(systemCallFilter(OPTIONS, 'mips')).toBeNull()
})
