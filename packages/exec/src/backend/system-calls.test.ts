import { describe, expect, it } from 'vitest'
import { ALLOWED_CALLS, PRIVILEGED_CALLS } from './allowed-calls.ts'
import { ALLOWED, answerOf, AUDIT } from './filter-machine.fake.ts'
import { systemCallFilter, type FilterOptions } from './system-calls.ts'

const UNKNOWN_CALL_ERROR = 38
const OPTIONS: FilterOptions = { counted: true, allocation: false }

/** Numbers of the two tables, as the headers of the kernel have them. */
const TABLES = {
  x64: {
    ...{ read: 0, chmod: 90, fchmod: 91, fchmodat: 268, mknod: 133, mknodat: 259, open: 2, openat: 257, creat: 85 },
    ...{ socket: 41, socketpair: 53, clone: 56, unshare: 272, memfd: 319, fallocate: 285, shmget: 29, bpf: 321 },
    ...{ vmsplice: 278, io_setup: 206, setxattr: 188, lsetxattr: 189, fsetxattr: 190, prctl: 157, ioctl: 16 },
    ...{ semget: 64, msgget: 68, mq_open: 240, inotify_init: 253, inotify_init1: 294, fcntl: 72, personality: 135 },
    ...{ ptrace: 101, keyctl: 250, mount: 165, setns: 308, process_vm_readv: 310, modify_ldt: 154, chroot: 161 },
    ...{ perf_event_open: 298, userfaultfd: 323, add_key: 248, open_by_handle_at: 304, seccomp: 317, syslog: 103 },
  },
  arm64: {
    ...{ read: 63, fchmod: 52, fchmodat: 53, mknodat: 33, openat: 56, socket: 198, socketpair: 199, clone: 220 },
    ...{ unshare: 97, memfd: 279, fallocate: 47, shmget: 194, semget: 190, bpf: 280, vmsplice: 75, io_setup: 0 },
    ...{ setxattr: 5, lsetxattr: 6, fsetxattr: 7, prctl: 167, ioctl: 29, fcntl: 25, personality: 92, ptrace: 117 },
    ...{ msgget: 186, mq_open: 180, inotify_init1: 26, keyctl: 219, mount: 40, setns: 268, process_vm_readv: 270 },
    ...{ perf_event_open: 241, userfaultfd: 282, add_key: 217, open_by_handle_at: 265, seccomp: 277, syslog: 116 },
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

  it('allows exactly the calls of the list, and none of another architecture or table', () => {
    const filter = systemCallFilter(OPTIONS, architecture)!
    const column = architecture === 'x64' ? 0 : 1
    const allowed = new Set(Object.values(ALLOWED_CALLS).map((numbers) => numbers[column]))
    const privileged = new Set(Object.values(PRIVILEGED_CALLS).map((numbers) => numbers[column]))
    for (let number = 0; number < 600; number++) {
      // Zeros, and with them a socket family that is refused.
      const answered = ask(number)
      if (privileged.has(number)) expect([number, answered]).toEqual([number, 1])
      else if (!allowed.has(number)) expect([UNKNOWN_CALL_ERROR, 95], `call ${number}`).toContain(answered)
      else expect(answered === ALLOWED || answered === 97, `call ${number}: ${answered}`).toBe(true)
    }
    for (const number of [1e6, 0x3fffffff, 0x40000000, 0x40000000 + table['read']!, 0xffffffff]) {
      expect(ask(number)).toBe(UNKNOWN_CALL_ERROR)
    }
    expect(answerOf(filter, { audit: 0x40000003, number: table['read']! })).toBe(UNKNOWN_CALL_ERROR)
  })

  it('answers what shares the machine, looks at other processes or takes memory of nobody as unknown', () => {
    const unknown = ['shmget', 'semget', 'msgget', 'mq_open', 'vmsplice', 'io_setup', 'keyctl', 'add_key', 'seccomp']
    for (const name of [...unknown, 'userfaultfd', 'modify_ldt'].filter((call) => table[call] !== undefined)) {
      expect([name, ask(name)]).toEqual([name, UNKNOWN_CALL_ERROR])
    }
    const refused = ['mount', 'ptrace', 'process_vm_readv', 'setns', 'unshare', 'perf_event_open', 'syslog', 'bpf']
    for (const name of [...refused, 'open_by_handle_at']) expect([name, ask(name)]).toEqual([name, 1])
    // io_uring_setup, clone3, openat2, landlock_create_ruleset, memfd_secret
    for (const number of [425, 435, 437, 444, 447]) expect(ask(number)).toBe(UNKNOWN_CALL_ERROR)
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

  it('refuses to hide the open files of a process and filters of its own, and allows its other settings', () => {
    expect([ask('prctl', [4, 0]), ask('prctl', [4, 2]), ask('prctl', [22, 2])]).toEqual([1, 1, 1])
    expect([ask('prctl', [4, 1]), ask('prctl', [15, 0]), ask('prctl', [38, 1])]).toEqual([ALLOWED, ALLOWED, ALLOWED])
  })

  it('refuses namespaces, and allows threads', () => {
    const flags = [0x3d0f00, 0x11, 0x10000000, 0x00020000, 0x40000000, 0x3e020011]
    expect(flags.map((flag) => ask('clone', [flag]))).toEqual([ALLOWED, ALLOWED, 1, 1, 1, 1])
  })

  it('keeps the address space random', () => {
    expect([0, 0xffffffff, 0x20000, 0x40000, 0x400000].map((domain) => ask('personality', [domain]))).toEqual([
      ALLOWED,
      ALLOWED,
      ALLOWED,
      1,
      1,
    ])
  })

  it('allows memory of the kernel where a control group counts it', () => {
    const uncounted = { counted: false, allocation: false }
    for (const name of ['memfd', 'inotify_init', 'inotify_init1'].filter((call) => table[call] !== undefined)) {
      expect([ask(name), ask(name, [], uncounted)]).toEqual([ALLOWED, UNKNOWN_CALL_ERROR])
    }
    for (const command of [1026, 1031]) {
      expect([ask('fcntl', [3, command]), ask('fcntl', [3, command], uncounted)]).toEqual([ALLOWED, 1])
    }
    // F_OFD_SETLK and F_OFD_SETLKW belong to no process, so that nothing could count them.
    for (const command of [37, 38]) {
      expect([ask('fcntl', [3, command]), ask('fcntl', [3, command], uncounted)]).toEqual([1, 1])
    }
    // F_SETLK, which SQLite needs.
    expect(ask('fcntl', [3, 6], uncounted)).toBe(ALLOWED)
  })

  it('answers attributes of files as unsupported, and by option reserved disk space', () => {
    for (const name of ['setxattr', 'lsetxattr', 'fsetxattr', 463]) expect(ask(name)).toBe(95)
    const onDisk = { counted: true, allocation: true }
    expect([ask('fallocate'), ask('fallocate', [], onDisk)]).toEqual([ALLOWED, 95])
    // By requests to a file system as well.
    for (const request of [0x40305828, 0x4030582a, 0x40305839]) {
      expect([ask('ioctl', [3, request]), ask('ioctl', [3, request], onDisk)]).toEqual([ALLOWED, 95])
    }
    expect(ask('ioctl', [3, 0x5401], onDisk)).toBe(ALLOWED)
  })
})

it('returns null for an unknown architecture', () => {
  expect(systemCallFilter(OPTIONS, 'mips')).toBeNull()
})
