import { XError } from '@x/kernel'
import { type GroupBases, findGroups } from './control-group.ts'
import type { SandboxSpec } from './sandbox-spec.ts'
import { loadFilterCommand, systemCallFilter } from './system-calls.ts'

/** Limits and boundaries between code and the machine, and how each is kept. */
export interface Walls {
  /**
   * `kernel`: the kernel, or the engine that runs the code, gives no more than the limit. `watched`: a thread looks ten times a
   * second, and ends what has more. `none`: nothing limits it.
   */
  readonly memory: 'kernel' | 'watched' | 'none'
  /** The same for processes and threads. */
  readonly processes: 'kernel' | 'watched' | 'none'
  /** The same for the work directory: `kernel` is a file system of fixed size. */
  readonly disk: 'kernel' | 'watched' | 'none'
  /** `closed`: code reaches no network, not even that of the machine itself. */
  readonly network: 'closed' | 'open'
  /**
   * `own`: code talks to a kernel of its own (gVisor), or makes no system calls at all (WebAssembly). `filtered`: to that of the
   * machine, by the system calls of a list. `shared`: to that of the machine.
   */
  readonly kernel: 'own' | 'filtered' | 'shared'
  /** Rights of this program, which code would have that breaks out of everything else: `user` is anybody but root. */
  readonly program: 'user' | 'root'
}

/** Wall that has to stand, as name and least strength: `memory:watched` is met by `kernel` as well. */
export type WallRequirement = { [Name in keyof Walls]: `${Name}:${Walls[Name]}` }[keyof Walls]

/** How each wall may be kept, weakest first. */
const STRENGTHS: { readonly [Name in keyof Walls]: readonly Walls[Name][] } = {
  memory: ['none', 'watched', 'kernel'],
  processes: ['none', 'watched', 'kernel'],
  disk: ['none', 'watched', 'kernel'],
  network: ['open', 'closed'],
  kernel: ['shared', 'filtered', 'own'],
  program: ['root', 'user'],
}

const WALL_NAMES = Object.keys(STRENGTHS) as (keyof Walls)[]

const strengthOf = (name: keyof Walls, value: string): number => (STRENGTHS[name] as readonly string[]).indexOf(value)

/** Facts of a machine on which walls depend. */
export interface MachineFacts {
  /** True if this program runs as root. */
  readonly isRoot: boolean
  /** Where this program can make control groups; null for nowhere. */
  readonly groups: Pick<GroupBases, 'memory' | 'pids'> | null
  /** True if the filter of system calls is known for this processor. */
  readonly hasFilter: boolean
  /** True if a program is there that loads the filter for `unshare`. */
  readonly hasLoader: boolean
}

/** Returns the facts of this machine. Looks where control groups can be made, by making one. */
export function machineFacts(): MachineFacts {
  const filter = systemCallFilter({ counted: true, allocation: false })
  return {
    isRoot: process.getuid?.() === 0,
    groups: process.platform === 'linux' ? findGroups() : null,
    hasFilter: filter !== null,
    hasLoader: loadFilterCommand(filter).length > 0,
  }
}

/** Walls of code that is not isolated, or of which nothing is known. */
export const NO_WALLS: Omit<Walls, 'program'> = {
  memory: 'none',
  processes: 'none',
  disk: 'none',
  network: 'open',
  kernel: 'shared',
}

/** Walls of code in WebAssembly: it has no processes, and its files lie in its memory. */
export const WASM_WALLS: Omit<Walls, 'program'> = {
  memory: 'kernel',
  processes: 'kernel',
  disk: 'kernel',
  network: 'closed',
  kernel: 'own',
}

/** Container runtimes with a kernel of their own. */
const OWN_KERNEL_RUNTIME = /^(?:runsc|gvisor|kata)/u

/** Returns the walls of a container. */
export const containerWalls = (runtime: string | undefined, network: 'none' | 'host'): Omit<Walls, 'program'> => ({
  memory: 'kernel',
  processes: 'kernel',
  disk: 'kernel',
  network: network === 'none' ? 'closed' : 'open',
  kernel: OWN_KERNEL_RUNTIME.test(runtime ?? '') ? 'own' : 'filtered',
})

/** Returns the walls of a sandbox on a machine. */
export function sandboxWalls(
  { kind, workspace, network }: SandboxSpec,
  { isRoot, groups, hasFilter, hasLoader }: MachineFacts,
): Omit<Walls, 'program'> {
  return {
    memory: groups?.memory ? 'kernel' : 'watched',
    // The kernel counts the processes of any user but root, who may have no other user to run code as.
    processes: groups?.pids || !isRoot ? 'kernel' : 'watched',
    disk: workspace.holder === null ? 'watched' : 'kernel',
    network: network === 'none' ? 'closed' : 'open',
    kernel: hasFilter && (kind === 'bubblewrap' || hasLoader) ? 'filtered' : 'shared',
  }
}

/** Returns the weakest of each wall. */
export const weakestWalls = (all: readonly Walls[]): Walls =>
  all.reduce(
    (a, b) =>
      Object.fromEntries(
        WALL_NAMES.map((name) => [name, strengthOf(name, a[name]) <= strengthOf(name, b[name]) ? a[name] : b[name]]),
      ) as unknown as Walls,
  )

/** Returns a text for each requirement that walls do not meet: what stands, and what is required. */
export const unmetRequirements = (walls: Walls, required: readonly WallRequirement[]): string[] =>
  required.flatMap((requirement) => {
    const [name, value] = requirement.split(':') as [keyof Walls, string]
    const isMet = strengthOf(name, walls[name]) >= strengthOf(name, value)
    return isMet ? [] : [`\`${name}:${walls[name]}\` and not \`${requirement}\``]
  })

/** Refuses requirements that do not exist. */
export function checkRequirements(required: readonly unknown[]): void {
  const known = WALL_NAMES.flatMap((name) => STRENGTHS[name].map((value) => `${name}:${value}`))
  const unknown = required.find((each) => typeof each !== 'string' || !known.includes(each))
  if (unknown === undefined) return
  const name = typeof unknown === 'string' ? unknown : typeof unknown
  throw new XError(
    'invalid-argument',
    `cannot create a code executor: \`require\` has \`${name}\`, which is not a wall; there are \`${known.join('`, `')}\``,
    { details: { requirement: unknown, known } },
  )
}
