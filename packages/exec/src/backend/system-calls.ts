import { existsSync } from 'node:fs'

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
const COMMON_CALL_NUMBERS = {
  ioUringSetup: 425,
  clone3: 435,
  openat2: 437,
  memfdSecret: 447,
  fchmodat2: 452,
  setxattrat: 463,
}

const CALL_NUMBERS: Readonly<Partial<Record<NodeJS.Architecture, Numbers>>> = {
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

const OP_LOAD = 0x20
const OP_JUMP_EQUAL = 0x15
const OP_JUMP_AT_LEAST = 0x35
const OP_JUMP_ANY_BIT = 0x45
const OP_RETURN = 0x06

const ANSWER_ALLOW = 0x7fff0000
const refuse = (error: number): number => 0x00050000 | error

/** Error numbers of Linux. With `ENOSYS` the kernel does not know the call, and libraries do without it. */
const ERRNO = { EPERM: 1, ENOSYS: 38, EPROTONOSUPPORT: 93, EOPNOTSUPP: 95, EAFNOSUPPORT: 97 } as const

/** Numbers from here on are those of a second table that x86 has. */
const X32_FIRST_CALL = 0x40000000

/** `O_CREAT` and the flag of `O_TMPFILE`, without which a mode means nothing. */
const CREATE_FLAGS = 0o100 | 0o20000000

/** The bits by which a file runs with the rights of its user and its group. */
const SET_ID_BITS = 0o6000

const CLONE_NEWUSER = 0x10000000

const AF_UNIX = 1
const AF_INET = 2
const AF_INET6 = 10
/** Only with protocol 0, which lists the interfaces and routes of the namespace. */
const AF_NETLINK = 16

/** Protocols of IPv4 and IPv6: that of the kind of socket, ICMP, TCP, UDP, ICMPv6. */
const IP_PROTOCOLS = [0, 1, 6, 17, 58] as const

/** `PR_SET_DUMPABLE`, by which a process hides what it has open from the user who started it. */
const PR_SET_DUMPABLE = 4

/** `FS_IOC_RESVSP`, `FS_IOC_RESVSP64` and `FS_IOC_ZERO_RANGE`: `fallocate` by another name. */
const RESERVE_REQUESTS = [0x40305828, 0x4030582a, 0x40305839] as const

type Instruction = readonly [code: number, whenTrue: number, whenFalse: number, operand: number]

/** Loads the lower half of an argument; the kernel reads no more of those that are looked at here. */
const argument = (at: number): Instruction => [OP_LOAD, 0, 0, 16 + 8 * at]
const answer = (value: number): Instruction => [OP_RETURN, 0, 0, value]

/** Answers a call when its number is the one that is loaded; every way through `body` ends in an answer. */
const when = (call: number, body: readonly Instruction[]): Instruction[] => [
  [OP_JUMP_EQUAL, 0, body.length, call],
  ...body,
]

/** Refuses a call when an argument has any of some bits. */
const refusedBits = (at: number, bits: number): Instruction[] => [
  argument(at),
  [OP_JUMP_ANY_BIT, 0, 1, bits],
  answer(refuse(ERRNO.EPERM)),
  answer(ANSWER_ALLOW),
]

/** Goes on when an argument is one of some values, and else answers. */
const oneOf = (at: number, values: readonly number[], otherwise: Instruction): Instruction[] => [
  argument(at),
  ...values.map((value, index): Instruction => [OP_JUMP_EQUAL, values.length - index, 0, value]),
  otherwise,
]

/** Refuses all families of sockets but those of the list, and protocols that the kernel would load a module for. */
const SOCKET_RULES: readonly Instruction[] = [
  argument(0),
  [OP_JUMP_EQUAL, 0, 1, AF_UNIX],
  answer(ANSWER_ALLOW),
  [OP_JUMP_EQUAL, 0, 4, AF_NETLINK],
  argument(2),
  [OP_JUMP_EQUAL, 0, 1, 0],
  answer(ANSWER_ALLOW),
  answer(refuse(ERRNO.EAFNOSUPPORT)),
  ...oneOf(0, [AF_INET, AF_INET6], answer(refuse(ERRNO.EAFNOSUPPORT))),
  ...oneOf(2, IP_PROTOCOLS, answer(refuse(ERRNO.EPROTONOSUPPORT))),
  answer(ANSWER_ALLOW),
]

/** Refuses to hide from the user who started it; what is not hidden may be said again. */
const DUMPABLE_RULES: readonly Instruction[] = [
  ...oneOf(0, [PR_SET_DUMPABLE], answer(ANSWER_ALLOW)),
  argument(1),
  [OP_JUMP_EQUAL, 0, 1, 1],
  answer(ANSWER_ALLOW),
  answer(refuse(ERRNO.EPERM)),
]

/** Answers a reservation of room on the disk as unsupported. */
const RESERVE_RULES: readonly Instruction[] = [
  ...oneOf(1, RESERVE_REQUESTS, answer(ANSWER_ALLOW)),
  answer(refuse(ERRNO.EOPNOTSUPP)),
]

/** Options of the filter, by what the machine offers. */
export interface FilterOptions {
  /** True if files in memory (`memfd_create`) are refused: where nothing counts the memory that they take. */
  readonly memoryFiles: boolean
  /** True if `fallocate` is answered as unsupported: where the disk is the machine's. */
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
  const numbers = CALL_NUMBERS[architecture]
  return numbers ? bytesOf(instructions(numbers, options)) : null
}

function instructions(numbers: Numbers, { memoryFiles, allocation }: FilterOptions): Instruction[] {
  const { audit, refused, modes, opens, socket, socketpair, clone, unshare, memfdCreate, fallocate } = numbers
  const { attributes, prctl, ioctl } = numbers
  const { ioUringSetup, clone3, openat2, memfdSecret, fchmodat2, setxattrat } = COMMON_CALL_NUMBERS
  const errors: [call: number, error: number][] = [
    ...[...refused, ioUringSetup, memfdSecret].map((call): [number, number] => [call, ERRNO.EPERM]),
    // Their arguments lie in memory, where a filter cannot look; libraries fall back to the older calls.
    [clone3, ERRNO.ENOSYS],
    [openat2, ERRNO.ENOSYS],
    // As on a file system without attributes, which programs know.
    ...[...attributes, setxattrat].map((call): [number, number] => [call, ERRNO.EOPNOTSUPP]),
    ...(memoryFiles ? [[memfdCreate, ERRNO.ENOSYS] as [number, number]] : []),
    ...(allocation ? [[fallocate, ERRNO.EOPNOTSUPP] as [number, number]] : []),
  ]
  return [
    [OP_LOAD, 0, 0, 4],
    [OP_JUMP_EQUAL, 1, 0, audit],
    answer(refuse(ERRNO.EPERM)),
    [OP_LOAD, 0, 0, 0],
    [OP_JUMP_AT_LEAST, 0, 1, X32_FIRST_CALL],
    answer(refuse(ERRNO.EPERM)),
    ...opens.flatMap(([call, flags, mode]) =>
      when(call, [
        argument(flags),
        [OP_JUMP_ANY_BIT, 1, 0, CREATE_FLAGS],
        answer(ANSWER_ALLOW),
        ...refusedBits(mode, SET_ID_BITS),
      ]),
    ),
    ...errors.flatMap(([call, error]) => when(call, [answer(refuse(error))])),
    ...[...modes, [fchmodat2, 2] as const].flatMap(([call, mode]) => when(call, refusedBits(mode, SET_ID_BITS))),
    ...[clone, unshare].flatMap((call) => when(call, refusedBits(0, CLONE_NEWUSER))),
    ...[socket, socketpair].flatMap((call) => when(call, SOCKET_RULES)),
    ...when(prctl, DUMPABLE_RULES),
    ...(allocation ? when(ioctl, RESERVE_RULES) : []),
    answer(ANSWER_ALLOW),
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

/** Number of the system call `prctl`, by architecture. */
const PRCTL_NUMBERS: Readonly<Partial<Record<NodeJS.Architecture, number>>> = { x64: 157, arm64: 167 }

/**
 * Programs that ask the kernel for a filter and then become another program: their arguments are the filter in
 * hexadecimal digits, and the command. Both languages can make a system call without anything being compiled.
 */
const FILTER_LOADERS: readonly (readonly [program: string, command: (prctl: number) => string[]])[] = [
  [
    '/usr/bin/perl',
    (prctl) => [
      '-e',
      `my $code = pack("H*", shift); my $program = pack("S x6 P", length($code) / 8, $code);
syscall(${prctl}, 22, 2, $program, 0, 0) == 0 or die "cannot load the filter of system calls: $!\\n";
exec { $ARGV[0] } @ARGV or die "cannot start $ARGV[0]: $!\\n"`,
    ],
  ],
  [
    '/usr/bin/python3',
    (prctl) => [
      '-ISc',
      `import ctypes, os, struct, sys
code = bytes.fromhex(sys.argv[1]); held = ctypes.create_string_buffer(code, len(code))
program = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(code) // 8, ctypes.addressof(held)))
libc = ctypes.CDLL(None, use_errno=True)
if libc.syscall(${prctl}, 22, 2, program, 0, 0): sys.exit("cannot load the filter of system calls: " + os.strerror(ctypes.get_errno()))
os.execvp(sys.argv[2], sys.argv[2:])`,
    ],
  ],
]

/**
 * Returns the start of a command line that loads a filter of system calls and goes on as the rest of it, for tools that
 * cannot load one themselves. It needs Perl or Python where the system keeps them; empty without, or without a filter.
 */
export function loadingFilter(filter: Uint8Array | null): string[] {
  const prctl = PRCTL_NUMBERS[process.arch]
  const loader = FILTER_LOADERS.find(([program]) => existsSync(program))
  if (!filter || prctl === undefined || !loader) return []
  const [program, command] = loader
  return [program, ...command(prctl), Buffer.from(filter).toString('hex')]
}
