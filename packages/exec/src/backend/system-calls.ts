import { existsSync } from 'node:fs'
import { ALLOWED_CALLS, PRIVILEGED_CALLS } from './allowed-calls.ts'

/** The kernel's own numbers of the architectures. */
const AUDIT_NUMBERS: Readonly<Partial<Record<NodeJS.Architecture, number>>> = { x64: 0xc000003e, arm64: 0xc00000b7 }

/** Calls that set the mode of a file, each with the index of that argument. */
const MODE_CALLS: readonly (readonly [call: string, mode: number])[] = [
  ['chmod', 1],
  ['fchmod', 1],
  ['fchmodat', 2],
  ['fchmodat2', 2],
  ['mknod', 1],
  ['mknodat', 2],
  ['creat', 1],
]

/** Calls that open a file, each with the indexes of the flags and the mode. */
const OPEN_CALLS: readonly (readonly [call: string, flags: number, mode: number])[] = [
  ['open', 1, 2],
  ['openat', 2, 3],
]

/** Calls that set an attribute of a file: `setxattr`, `lsetxattr`, `fsetxattr` and `setxattrat`. */
const ATTRIBUTE_CALL_NUMBERS: Readonly<Partial<Record<NodeJS.Architecture, readonly number[]>>> = {
  x64: [188, 189, 190, 463],
  arm64: [5, 6, 7, 463],
}

/** Calls whose memory only a control group counts: files in memory, and watches of files. */
const COUNTED_CALLS: ReadonlySet<string> = new Set([
  'memfd_create',
  'inotify_init',
  'inotify_init1',
  'inotify_add_watch',
  'inotify_rm_watch',
])

const OP_LOAD = 0x20
const OP_JUMP_EQUAL = 0x15
const OP_JUMP_ABOVE = 0x25
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

/** Flags of `clone` for namespaces: all but time, whose bit means a signal there. */
const NAMESPACE_FLAGS = 0x7e020000

const AF_UNIX = 1
const AF_INET = 2
const AF_INET6 = 10
/** Allowed with protocol 0 only, which lists interfaces and routes of the namespace. */
const AF_NETLINK = 16

/** Protocols of IPv4 and IPv6: default of the socket type, ICMP, TCP, UDP, ICMPv6. */
const IP_PROTOCOLS = [0, 1, 6, 17, 58] as const

/** `PR_SET_DUMPABLE`, with which a process hides its open files from the user who started it. */
const PR_SET_DUMPABLE = 4

/** `PR_SET_SECCOMP`: each filter takes memory that nothing counts. */
const PR_SET_SECCOMP = 22

/** `F_OFD_SETLK` and `F_OFD_SETLKW`: locks of no process, which nothing counts. */
const LOCK_FCNTL_COMMANDS = [37, 38] as const

/** `F_NOTIFY` and `F_SETPIPE_SZ`: watches of directories, and pipes of more than the usual size. */
const UNCOUNTED_FCNTL_COMMANDS = [1026, 1031] as const

/** Execution domains of the profile: Linux, Linux on 32 bits, both with versions as before 3.0, and a question. */
const PERSONALITY_NUMBERS = [0x0, 0x8, 0x20000, 0x20008, 0xffffffff] as const

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

/** Refuses to hide the process from the user who started it, and filters of its own; other settings are allowed. */
const PRCTL_RULES: readonly Instruction[] = [
  loadArgument(0),
  [OP_JUMP_EQUAL, 2, 0, PR_SET_SECCOMP],
  [OP_JUMP_EQUAL, 2, 0, PR_SET_DUMPABLE],
  answer(ANSWER_ALLOW),
  answer(refuse(ERRNO.EPERM)),
  loadArgument(1),
  [OP_JUMP_EQUAL, 0, 1, 1],
  answer(ANSWER_ALLOW),
  answer(refuse(ERRNO.EPERM)),
]

const PERSONALITY_RULES: readonly Instruction[] = [
  ...oneOf(0, PERSONALITY_NUMBERS, answer(refuse(ERRNO.EPERM))),
  answer(ANSWER_ALLOW),
]

const fcntlRules = (counted: boolean): readonly Instruction[] => [
  ...oneOf(1, [...LOCK_FCNTL_COMMANDS, ...(counted ? [] : UNCOUNTED_FCNTL_COMMANDS)], answer(ANSWER_ALLOW)),
  answer(refuse(ERRNO.EPERM)),
]

/** Answers the reservation of disk space as unsupported. */
const RESERVE_RULES: readonly Instruction[] = [
  ...oneOf(1, RESERVE_REQUESTS, answer(ANSWER_ALLOW)),
  answer(refuse(ERRNO.EOPNOTSUPP)),
]

/** Options of {@link systemCallFilter}. */
export interface FilterOptions {
  /** True if a control group counts the memory of the kernel; else files in memory, watches of files and large pipes are refused. */
  readonly counted: boolean
  /** True if `fallocate` is answered as unsupported, because the work directory lies on the disk of the machine. */
  readonly allocation: boolean
}

/**
 * Returns a filter of system calls as a program for the kernel; null for an unknown architecture. {@link ALLOWED_CALLS} are
 * allowed, some of them only with certain arguments: no file with set-user-id or set-group-id, no namespaces, no sockets of
 * families other than local, IPv4, IPv6 and routes or of protocols other than TCP, UDP and ICMP, no hiding from the watcher.
 * Calls that need privileges are refused as always. Any other call, and any call of another architecture, is answered as by a
 * kernel that does not have it: libraries do without.
 */
export function systemCallFilter(
  options: FilterOptions,
  architecture: NodeJS.Architecture = process.arch,
): Uint8Array | null {
  const audit = AUDIT_NUMBERS[architecture]
  if (audit === undefined) return null
  const column = architecture === 'x64' ? 0 : 1
  const numberOf = (call: string): number | null => ALLOWED_CALLS[call]![column]
  return encodeProgram([
    [OP_LOAD, 0, 0, 4],
    [OP_JUMP_EQUAL, 1, 0, audit],
    answer(refuse(ERRNO.ENOSYS)),
    [OP_LOAD, 0, 0, 0],
    [OP_JUMP_AT_LEAST, 0, 1, X32_FIRST_CALL],
    answer(refuse(ERRNO.ENOSYS)),
    ...argumentRules(options).flatMap(([call, body]) => {
      const number = numberOf(call)
      return number === null ? [] : when(number, body)
    }),
    // The answer of a file system without attributes, which programs handle.
    ...ATTRIBUTE_CALL_NUMBERS[architecture]!.flatMap((call) => when(call, [answer(refuse(ERRNO.EOPNOTSUPP))])),
    ...allowedRanges(
      Object.keys(ALLOWED_CALLS)
        .filter((call) => options.counted || !COUNTED_CALLS.has(call))
        .flatMap((call) => numberOf(call) ?? []),
    ),
    ...Object.values(PRIVILEGED_CALLS).flatMap((numbers) =>
      numbers[column] === null ? [] : when(numbers[column], [answer(refuse(ERRNO.EPERM))]),
    ),
    answer(refuse(ERRNO.ENOSYS)),
  ])
}

/** Returns the rules for calls that are allowed only with certain arguments, the most frequent first. */
function argumentRules({ counted, allocation }: FilterOptions): [call: string, body: readonly Instruction[]][] {
  return [
    ...OPEN_CALLS.map(([call, flags, mode]): [string, Instruction[]] => [
      call,
      [
        loadArgument(flags),
        [OP_JUMP_ANY_BIT, 1, 0, CREATE_FLAGS],
        answer(ANSWER_ALLOW),
        ...refusedBits(mode, SET_ID_BITS),
      ],
    ]),
    ['fcntl', fcntlRules(counted)],
    ...MODE_CALLS.map(([call, mode]): [string, Instruction[]] => [call, refusedBits(mode, SET_ID_BITS)]),
    ['clone', refusedBits(0, NAMESPACE_FLAGS)],
    ['socket', SOCKET_RULES],
    ['socketpair', SOCKET_RULES],
    ['prctl', PRCTL_RULES],
    ['personality', PERSONALITY_RULES],
    ...(allocation
      ? ([
          ['ioctl', RESERVE_RULES],
          ['fallocate', [answer(refuse(ERRNO.EOPNOTSUPP))]],
        ] as [string, readonly Instruction[]][])
      : []),
  ]
}

/** Allows numbers, and goes on with any other. The numbers become ranges, of which there are about forty. */
function allowedRanges(numbers: readonly number[]): Instruction[] {
  const ranges: [first: number, last: number][] = []
  for (const number of numbers.toSorted((a, b) => a - b)) {
    const range = ranges.at(-1)
    if (range && range[1] === number - 1) range[1] = number
    else ranges.push([number, number])
  }
  return [
    ...ranges.flatMap(([first, last], index): Instruction[] => {
      const left = (ranges.length - index) * 2
      // A number below this range lies between it and the last one.
      return [
        [OP_JUMP_AT_LEAST, 0, left, first],
        [OP_JUMP_ABOVE, left === 2 ? 1 : 0, left - 2, last],
      ]
    }),
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
  const loader = FILTER_LOADERS.find(([program]) => existsSync(program))
  if (!filter || !loader) return []
  const [program, command] = loader
  const prctl = ALLOWED_CALLS['prctl']![process.arch === 'x64' ? 0 : 1]!
  return [program, ...command(prctl), Buffer.from(filter).toString('hex')]
}
