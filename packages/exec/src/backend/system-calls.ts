/** Numbers of the system calls that the filter knows, by architecture. `audit` is what the kernel calls the architecture. */
interface Numbers {
  readonly audit: number
  /** Refused whatever their arguments. */
  readonly refused: readonly number[]
  /** Calls that give a file its mode, with the place of the mode among the arguments. */
  readonly modes: readonly (readonly [call: number, mode: number])[]
  /** Calls that open a file, with the places of the flags and the mode. */
  readonly opens: readonly (readonly [call: number, flags: number, mode: number])[]
  readonly socket: number
  readonly socketpair: number
  readonly clone: number
  readonly unshare: number
  readonly memfdCreate: number
  readonly fallocate: number
  /** Calls that set an attribute of a file. */
  readonly attributes: readonly number[]
  readonly prctl: number
  readonly ioctl: number
}

/** Have the same number on all architectures, being young. */
const EVERYWHERE = { ioUringSetup: 425, clone3: 435, openat2: 437, memfdSecret: 447, fchmodat2: 452, setxattrat: 463 }

const NUMBERS: Readonly<Partial<Record<NodeJS.Architecture, Numbers>>> = {
  x64: {
    audit: 0xc000003e,
    // shmget, msgget, syslog, modify_ldt, uselib, io_setup, add_key, request_key, keyctl, vmsplice, perf_event_open,
    // open_by_handle_at, bpf, userfaultfd
    refused: [29, 68, 103, 134, 154, 206, 248, 249, 250, 278, 298, 304, 321, 323],
    // chmod, fchmod, mknod, creat, mknodat, fchmodat
    modes: [
      [90, 1],
      [91, 1],
      [133, 1],
      [85, 1],
      [259, 2],
      [268, 2],
    ],
    // open, openat
    opens: [
      [2, 1, 2],
      [257, 2, 3],
    ],
    socket: 41,
    socketpair: 53,
    clone: 56,
    unshare: 272,
    memfdCreate: 319,
    fallocate: 285,
    // setxattr, lsetxattr, fsetxattr
    attributes: [188, 189, 190],
    prctl: 157,
    ioctl: 16,
  },
  arm64: {
    audit: 0xc00000b7,
    // io_setup, vmsplice, syslog, msgget, shmget, add_key, request_key, keyctl, perf_event_open, open_by_handle_at, bpf,
    // userfaultfd
    refused: [0, 75, 116, 186, 194, 217, 218, 219, 241, 265, 280, 282],
    // fchmod, fchmodat, mknodat
    modes: [
      [52, 1],
      [53, 2],
      [33, 2],
    ],
    // openat
    opens: [[56, 2, 3]],
    socket: 198,
    socketpair: 199,
    clone: 220,
    unshare: 97,
    memfdCreate: 279,
    fallocate: 47,
    // setxattr, lsetxattr, fsetxattr
    attributes: [5, 6, 7],
    prctl: 167,
    ioctl: 29,
  },
}

const LOAD = 0x20
const EQUAL = 0x15
const AT_LEAST = 0x35
const ANY_OF = 0x45
const RETURN = 0x06

const ALLOW = 0x7fff0000
const refuse = (error: number): number => 0x00050000 | error

const EPERM = 1
/** The kernel does not know the call: libraries then do without it. */
const ENOSYS = 38
const EPROTONOSUPPORT = 93
const EOPNOTSUPP = 95
const EAFNOSUPPORT = 97

/** Numbers from here on are those of a second table that x86 has. */
const SECOND_TABLE = 0x40000000

/** `O_CREAT` and the flag of `O_TMPFILE`, without which a mode means nothing. */
const CREATES = 0o100 | 0o20000000

/** The bits by which a file runs with the rights of its user and its group. */
const SET_ID = 0o6000

const NEW_USER_NAMESPACE = 0x10000000

const AF_UNIX = 1
const AF_INET = 2
const AF_INET6 = 10
/** Only with protocol 0, which lists the interfaces and routes of the namespace. */
const AF_NETLINK = 16

/** Protocols of IPv4 and IPv6: that of the kind of socket, ICMP, TCP, UDP, ICMPv6. */
const PROTOCOLS = [0, 1, 6, 17, 58] as const

/** `PR_SET_DUMPABLE`, by which a process hides what it has open from the user who started it. */
const PR_SET_DUMPABLE = 4

/** `FS_IOC_RESVSP`, `FS_IOC_RESVSP64` and `FS_IOC_ZERO_RANGE`: `fallocate` by another name. */
const RESERVES = [0x40305828, 0x4030582a, 0x40305839] as const

type Instruction = readonly [code: number, whenTrue: number, whenFalse: number, operand: number]

/** Loads the lower half of an argument; the kernel reads no more of those that are looked at here. */
const argument = (at: number): Instruction => [LOAD, 0, 0, 16 + 8 * at]
const answer = (value: number): Instruction => [RETURN, 0, 0, value]

/** Answers a call when its number is the one that is loaded; every way through `body` ends in an answer. */
const when = (call: number, body: readonly Instruction[]): Instruction[] => [[EQUAL, 0, body.length, call], ...body]

/** Refuses a call when an argument has any of some bits. */
const refusedBits = (at: number, bits: number): Instruction[] => [
  argument(at),
  [ANY_OF, 0, 1, bits],
  answer(refuse(EPERM)),
  answer(ALLOW),
]

/** Goes on when an argument is one of some values, and else answers. */
const oneOf = (at: number, values: readonly number[], otherwise: Instruction): Instruction[] => [
  argument(at),
  ...values.map((value, index): Instruction => [EQUAL, values.length - index, 0, value]),
  otherwise,
]

/** Refuses all families of sockets but those of the list, and protocols that the kernel would load a module for. */
const FAMILIES: readonly Instruction[] = [
  argument(0),
  [EQUAL, 0, 1, AF_UNIX],
  answer(ALLOW),
  [EQUAL, 0, 4, AF_NETLINK],
  argument(2),
  [EQUAL, 0, 1, 0],
  answer(ALLOW),
  answer(refuse(EAFNOSUPPORT)),
  ...oneOf(0, [AF_INET, AF_INET6], answer(refuse(EAFNOSUPPORT))),
  ...oneOf(2, PROTOCOLS, answer(refuse(EPROTONOSUPPORT))),
  answer(ALLOW),
]

/** Refuses to hide from the user who started it; what is not hidden may be said again. */
const HIDING: readonly Instruction[] = [
  ...oneOf(0, [PR_SET_DUMPABLE], answer(ALLOW)),
  argument(1),
  [EQUAL, 0, 1, 1],
  answer(ALLOW),
  answer(refuse(EPERM)),
]

/** Answers a reservation of room on the disk as unsupported. */
const RESERVING: readonly Instruction[] = [...oneOf(1, RESERVES, answer(ALLOW)), answer(refuse(EOPNOTSUPP))]

/** Options of the filter, by what the machine offers. */
export interface FilterOptions {
  /** Whether files in memory (`memfd_create`) are refused: where nothing counts the memory that they take. */
  readonly memoryFiles: boolean
  /** Whether `fallocate` is answered as unsupported: where the disk is the machine's. */
  readonly allocation: boolean
}

/**
 * A filter of system calls, as bytes that the kernel takes. Refused are: memory that belongs to no process (shared memory
 * and message queues of System V, secret memory, pages given to a pipe, attributes of files), what the whole machine has
 * one number of (`io_setup`), keys, the kernel's log, and parts of the kernel with many faults (`io_uring`, `bpf`, `perf`,
 * `userfaultfd`, namespaces of users); files with set-user-id or set-group-id; sockets of other families than local, IPv4,
 * IPv6 and routes, and of other protocols than TCP, UDP and ICMP; hiding from whoever watches; calls of another
 * architecture. Null where the numbers are not known.
 */
export function systemCallFilter(
  options: FilterOptions,
  architecture: NodeJS.Architecture = process.arch,
): Uint8Array | null {
  const numbers = NUMBERS[architecture]
  return numbers ? bytesOf(instructions(numbers, options)) : null
}

function instructions(numbers: Numbers, { memoryFiles, allocation }: FilterOptions): Instruction[] {
  const { audit, refused, modes, opens, socket, socketpair, clone, unshare, memfdCreate, fallocate } = numbers
  const { attributes, prctl, ioctl } = numbers
  const { ioUringSetup, clone3, openat2, memfdSecret, fchmodat2, setxattrat } = EVERYWHERE
  const errors: [call: number, error: number][] = [
    ...[...refused, ioUringSetup, memfdSecret].map((call): [number, number] => [call, EPERM]),
    // Their arguments lie in memory, where a filter cannot look; libraries fall back to the older calls.
    [clone3, ENOSYS],
    [openat2, ENOSYS],
    // As on a file system without attributes, which programs know.
    ...[...attributes, setxattrat].map((call): [number, number] => [call, EOPNOTSUPP]),
    ...(memoryFiles ? [[memfdCreate, ENOSYS] as [number, number]] : []),
    ...(allocation ? [[fallocate, EOPNOTSUPP] as [number, number]] : []),
  ]
  return [
    [LOAD, 0, 0, 4],
    [EQUAL, 1, 0, audit],
    answer(refuse(EPERM)),
    [LOAD, 0, 0, 0],
    [AT_LEAST, 0, 1, SECOND_TABLE],
    answer(refuse(EPERM)),
    ...opens.flatMap(([call, flags, mode]) =>
      when(call, [argument(flags), [ANY_OF, 1, 0, CREATES], answer(ALLOW), ...refusedBits(mode, SET_ID)]),
    ),
    ...errors.flatMap(([call, error]) => when(call, [answer(refuse(error))])),
    ...[...modes, [fchmodat2, 2] as const].flatMap(([call, mode]) => when(call, refusedBits(mode, SET_ID))),
    ...[clone, unshare].flatMap((call) => when(call, refusedBits(0, NEW_USER_NAMESPACE))),
    ...[socket, socketpair].flatMap((call) => when(call, FAMILIES)),
    ...when(prctl, HIDING),
    ...(allocation ? when(ioctl, RESERVING) : []),
    answer(ALLOW),
  ]
}

function bytesOf(program: readonly Instruction[]): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(program.length * 8))
  for (const [index, [code, whenTrue, whenFalse, operand]] of program.entries()) {
    bytes.setUint16(index * 8, code, true)
    bytes.setUint8(index * 8 + 2, whenTrue)
    bytes.setUint8(index * 8 + 3, whenFalse)
    bytes.setUint32(index * 8 + 4, operand, true)
  }
  return new Uint8Array(bytes.buffer)
}
