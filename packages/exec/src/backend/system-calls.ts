import { existsSync } from 'node:fs'

/** Numbers of system calls on one architecture. `audit` is the kernel's own number of the architecture. */
interface Numbers {
  readonly audit: number
  /** Calls that are refused regardless of their arguments. */
  readonly refused: readonly number[]
  /** Calls that set the mode of a file, each with the index of that argument. */
  readonly modes: readonly (readonly [call: number, mode: number])[]
  /** Calls that open a file, each with the indexes of the flags and the mode. */
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

/** Numbers of recent calls, which are the same on all architectures. */
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

/** First number of the second table of calls, the x32 calls of x86. */
const X32_FIRST_CALL = 0x40000000

/** `O_CREAT` and the flag of `O_TMPFILE`; without one of them, the mode of an open call has no effect. */
const CREATE_FLAGS = 0o100 | 0o20000000

/** Set-user-id and set-group-id bits of a mode. */
const SET_ID_BITS = 0o6000

const CLONE_NEWUSER = 0x10000000

const AF_UNIX = 1
const AF_INET = 2
const AF_INET6 = 10
/** Allowed with protocol 0 only, which lists interfaces and routes of the namespace. */
const AF_NETLINK = 16

/** Protocols of IPv4 and IPv6: default of the socket type, ICMP, TCP, UDP, ICMPv6. */
const IP_PROTOCOLS = [0, 1, 6, 17, 58] as const

/** `PR_SET_DUMPABLE`, with which a process hides its open files from the user who started it. */
const PR_SET_DUMPABLE = 4

/** `FS_IOC_RESVSP`, `FS_IOC_RESVSP64` and `FS_IOC_ZERO_RANGE`, which do the same as `fallocate`. */
const RESERVE_REQUESTS = [0x40305828, 0x4030582a, 0x40305839] as const

type Instruction = readonly [code: number, whenTrue: number, whenFalse: number, operand: number]

/** Loads the lower half of an argument. The kernel reads only that half of the arguments that are checked here. */
const loadArgument = (at: number): Instruction => [OP_LOAD, 0, 0, 16 + 8 * at]
const answer = (value: number): Instruction => [OP_RETURN, 0, 0, value]

/** Runs `body` for one call, if its number is loaded. Every path through `body` ends in an answer. */
const when = (call: number, body: readonly Instruction[]): Instruction[] => [
  [OP_JUMP_EQUAL, 0, body.length, call],
  ...body,
]

/** Refuses a call if an argument has any of the bits. */
const refusedBits = (at: number, bits: number): Instruction[] => [
  loadArgument(at),
  [OP_JUMP_ANY_BIT, 0, 1, bits],
  answer(refuse(ERRNO.EPERM)),
  answer(ANSWER_ALLOW),
]

/** Goes on if an argument is one of the values, and otherwise answers. */
const oneOf = (at: number, values: readonly number[], otherwise: Instruction): Instruction[] => [
  loadArgument(at),
  ...values.map((value, index): Instruction => [OP_JUMP_EQUAL, values.length - index, 0, value]),
  otherwise,
]

/** Refuses socket families outside the list, and protocols for which the kernel would load a module. */
const SOCKET_RULES: readonly Instruction[] = [
  loadArgument(0),
  [OP_JUMP_EQUAL, 0, 1, AF_UNIX],
  answer(ANSWER_ALLOW),
  [OP_JUMP_EQUAL, 0, 4, AF_NETLINK],
  loadArgument(2),
  [OP_JUMP_EQUAL, 0, 1, 0],
  answer(ANSWER_ALLOW),
  answer(refuse(ERRNO.EAFNOSUPPORT)),
  ...oneOf(0, [AF_INET, AF_INET6], answer(refuse(ERRNO.EAFNOSUPPORT))),
  ...oneOf(2, IP_PROTOCOLS, answer(refuse(ERRNO.EPROTONOSUPPORT))),
  answer(ANSWER_ALLOW),
]

/** Refuses to hide the process from the user who started it; the default setting is allowed. */
const DUMPABLE_RULES: readonly Instruction[] = [
  ...oneOf(0, [PR_SET_DUMPABLE], answer(ANSWER_ALLOW)),
  loadArgument(1),
  [OP_JUMP_EQUAL, 0, 1, 1],
  answer(ANSWER_ALLOW),
  answer(refuse(ERRNO.EPERM)),
]

/** Answers the reservation of disk space as unsupported. */
const RESERVE_RULES: readonly Instruction[] = [
  ...oneOf(1, RESERVE_REQUESTS, answer(ANSWER_ALLOW)),
  answer(refuse(ERRNO.EOPNOTSUPP)),
]

/** Options of {@link systemCallFilter}. */
export interface FilterOptions {
  /** True if files in memory (`memfd_create`) are refused, because nothing counts their memory. */
  readonly memoryFiles: boolean
  /** True if `fallocate` is answered as unsupported, because the work directory lies on the disk of the machine. */
  readonly allocation: boolean
}

/**
 * Returns a filter of system calls as a program for the kernel; null for an unknown architecture. The filter refuses memory
 * that belongs to no process (shared memory and message queues of System V, secret memory, pages given to a pipe, file
 * attributes), resources that the whole machine shares (`io_setup`), keys, the kernel log, parts of the kernel with many
 * vulnerabilities (`io_uring`, `bpf`, `perf`, `userfaultfd`, user namespaces), files with set-user-id or set-group-id, sockets
 * of families other than local, IPv4, IPv6 and routes or of protocols other than TCP, UDP and ICMP, hiding from the watcher,
 * and calls of another architecture.
 */
export function systemCallFilter(
  options: FilterOptions,
  architecture: NodeJS.Architecture = process.arch,
): Uint8Array | null {
  const numbers = CALL_NUMBERS[architecture]
  return numbers ? encodeProgram(instructions(numbers, options)) : null
}

function instructions(numbers: Numbers, { memoryFiles, allocation }: FilterOptions): Instruction[] {
  const { audit, refused, modes, opens, socket, socketpair, clone, unshare, memfdCreate, fallocate } = numbers
  const { attributes, prctl, ioctl } = numbers
  const { ioUringSetup, clone3, openat2, memfdSecret, fchmodat2, setxattrat } = COMMON_CALL_NUMBERS
  const errors: [call: number, error: number][] = [
    ...[...refused, ioUringSetup, memfdSecret].map((call): [number, number] => [call, ERRNO.EPERM]),
    // Their arguments are in memory, which a filter cannot read; libraries fall back to the older calls.
    [clone3, ERRNO.ENOSYS],
    [openat2, ERRNO.ENOSYS],
    // The answer of a file system without attributes, which programs handle.
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
        loadArgument(flags),
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

function encodeProgram(program: readonly Instruction[]): Uint8Array {
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
 * Programs that load a filter and then become another program: their arguments are the filter in hexadecimal digits, and the
 * command. Both languages can make a system call without a compiler.
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
 * Returns the start of a command line that loads a filter of system calls and becomes the rest of the command line, for tools
 * that cannot load a filter. Needs Perl or Python in `/usr/bin`; empty without them, or without a filter.
 */
export function loadFilterCommand(filter: Uint8Array | null): string[] {
  const prctl = PRCTL_NUMBERS[process.arch]
  const loader = FILTER_LOADERS.find(([program]) => existsSync(program))
  if (!filter || prctl === undefined || !loader) return []
  const [program, command] = loader
  return [program, ...command(prctl), Buffer.from(filter).toString('hex')]
}
