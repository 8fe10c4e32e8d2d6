import { ALLOWED_CALLS, PRIVILEGED_CALLS } from '../../packages/exec/src/backend/allowed-calls.ts'
import { ALLOWED, answerOf, AUDIT } from '../../packages/exec/src/backend/filter-machine.fake.ts'
import { systemCallFilter } from '../../packages/exec/src/backend/system-calls.ts'
import { BrokenPromise, type Target } from './engine.ts'

const ARCHITECTURES = ['x64', 'arm64'] as const

/** Filters by architecture and options. */
const FILTERS = ARCHITECTURES.flatMap((architecture, column) =>
  [true, false].flatMap((counted) =>
    [true, false].map((allocation) => ({
      ...{ counted, allocation, filter: systemCallFilter({ counted, allocation }, architecture)! },
      audit: AUDIT[architecture],
      calls: new Map(Object.entries(ALLOWED_CALLS).map(([name, numbers]) => [numbers[column], name])),
    })),
  ),
)

type Numbers = readonly number[]
const isOneOf = (value: number, allowed: Numbers): boolean => allowed.includes(value)
const setsId = (mode: number): boolean => (mode & 0o6000) !== 0
const creates = (flags: number): boolean => (flags & (0o100 | 0o20000000)) !== 0

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET. */
const NAMESPACE_FLAGS = 0x20000 | 0x2000000 | 0x4000000 | 0x8000000 | 0x10000000 | 0x20000000 | 0x40000000

const isForbiddenSocket: (args: Numbers) => boolean = ([family = 0, , protocol = 0]) =>
  !isOneOf(family, [1, 2, 10, 16]) ||
  (family === 16 && protocol !== 0) ||
  (isOneOf(family, [2, 10]) && !isOneOf(protocol, [0, 1, 6, 17, 58]))

/** What no call may do, said once more and by its purpose, since the filter is a list of jumps. */
const FORBIDDEN: Readonly<Record<string, (args: Numbers, rules: (typeof FILTERS)[number]) => boolean>> = {
  chmod: ([, mode = 0]) => setsId(mode),
  fchmod: ([, mode = 0]) => setsId(mode),
  fchmodat: ([, , mode = 0]) => setsId(mode),
  fchmodat2: ([, , mode = 0]) => setsId(mode),
  mknod: ([, mode = 0]) => setsId(mode),
  mknodat: ([, , mode = 0]) => setsId(mode),
  creat: ([, mode = 0]) => setsId(mode),
  open: ([, flags = 0, mode = 0]) => creates(flags) && setsId(mode),
  openat: ([, , flags = 0, mode = 0]) => creates(flags) && setsId(mode),
  clone: ([flags = 0]) => (flags & NAMESPACE_FLAGS) !== 0,
  socket: isForbiddenSocket,
  socketpair: isForbiddenSocket,
  prctl: ([option = 0, value = 0]) => option === 22 || (option === 4 && value !== 1),
  // The question for the domain has all bits set.
  personality: ([domain = 0]) => domain !== 0xffffffff && (domain & ~0x20008) !== 0,
  fcntl: ([, command = 0], { counted }) => isOneOf(command, counted ? [37, 38] : [37, 38, 1026, 1031]),
  memfd_create: (_, { counted }) => !counted,
  inotify_add_watch: (_, { counted }) => !counted,
  fallocate: (_, { allocation }) => allocation,
  ioctl: ([, request = 0], { allocation }) => allocation && isOneOf(request, [0x40305828, 0x4030582a, 0x40305839]),
  ...Object.fromEntries(['unshare', 'clone3', 'setns', 'mount', 'bpf', 'ptrace'].map((name) => [name, () => true])),
}

/** Errors that the filter gives: EPERM, ENOSYS, EPROTONOSUPPORT, EOPNOTSUPP and EAFNOSUPPORT. */
const ERRORS: ReadonlySet<unknown> = new Set([1, 38, 93, 95, 97])

/** Numbers of all calls that have one, and of those with rules for their arguments. */
const CALLS = [...new Set([...Object.values(ALLOWED_CALLS), ...Object.values(PRIVILEGED_CALLS)].flat())].map(Number)
const RULED_CALLS = Object.keys(FORBIDDEN)
  .flatMap((name) => ALLOWED_CALLS[name] ?? [])
  .map(Number)

/** What has a meaning as an argument: every bit by itself, and values of the rules. */
const BITS = Array.from({ length: 32 }, (_, bit) => (1 << bit) >>> 0)
const ARGUMENTS = [
  ...BITS,
  ...[0, 5, 6, 10, 17, 22, 37, 38, 58, 463, 1026, 1031, 0o101, 0o755, 0o4755, 0o6000, 0o20000001],
  ...[0x20008, 0x40305828, 0x4030582a, 0x40305839, 0x7e020011, 0xffffffff],
]
const ARGUMENT_COUNT = 6

/** The filter of system calls. A character chooses a call, one with rules if its code is even; the next ones its arguments. */
export const FILTER_TARGET: Target = {
  marks: Array.from({ length: 2 * CALLS.length }, (_, code) => String.fromCharCode(code)),
  start: async () => ({
    read(text) {
      for (let at = 0; at < text.length; at += 1 + ARGUMENT_COUNT) {
        const code = text.charCodeAt(at)
        const number = code % 2 === 0 ? RULED_CALLS[(code / 2) % RULED_CALLS.length]! : (CALLS[(code - 1) / 2] ?? code)
        const args = Array.from(
          text.slice(at + 1, at + 1 + ARGUMENT_COUNT),
          (sign) => ARGUMENTS[sign.charCodeAt(0) % ARGUMENTS.length]!,
        )
        for (const rules of FILTERS) check(rules, number, args)
      }
    },
  }),
}

function check(rules: (typeof FILTERS)[number], number: number, args: Numbers): void {
  const answer = answerOf(rules.filter, { audit: rules.audit, number, args })
  const name = rules.calls.get(number)
  const call = `call ${number} (${name ?? 'not in the list'}) with ${args.join(' ')}`
  if (answer !== ALLOWED && !ERRORS.has(answer)) throw new BrokenPromise(`${call} is answered by ${answer}`)
  if (answer === ALLOWED && (name === undefined || FORBIDDEN[name]?.(args, rules)))
    throw new BrokenPromise(`${call} is allowed`)
}
