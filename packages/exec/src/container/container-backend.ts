import type { Artifact, StopReason } from '@x/interfaces'
import { isXError } from '@x/kernel'
import { asArgument, INTERPRETER_COMMANDS } from '../backend/programs.ts'
import { failedOutcome, type LimitedBackend, type Job, type Outcome, type Watch } from '../run/job.ts'
import type { Runtime } from '../run/languages.ts'
import type { ExecutionLimits } from '../run/limits.ts'
import { execIn, sendHeartbeat, startContainer, type ExecOutcome } from './container.ts'
import { engineAt, type Engine } from './engine.ts'

/** Description of a container. */
export interface ContainerSpec {
  readonly kind: 'container'
  /** Sockets of engines to try, best first. */
  readonly sockets: readonly string[]
  readonly image: string
  /** Name of the container, by which asynchronous and blocking calls share it. */
  readonly name: string
  /** Container runtime; default: the default of the engine. */
  readonly runtime?: string | undefined
  readonly network: 'none' | 'host'
  readonly env: Readonly<Record<string, string>>
  readonly limits: ExecutionLimits
  /** Seconds that the container stays after this process has ended without closing it; default 300. */
  readonly ttl?: number | undefined
}

/** Prints how many processes of the container the kernel has killed for want of memory, by its files of either version. */
const KILLS_SCRIPT = `kills=0
for events in /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control; do
[ -r $events ] && while read -r key value; do [ "$key" = oom_kill ] && kills=$value; done < $events
done
echo "oom_kill $kills"`

/**
 * Prints {@link KILLS_SCRIPT}, and writes its further arguments, joined, to the file named by the first, unless a link leads out
 * of the work directory.
 */
const SAVE_SCRIPT = `${KILLS_SCRIPT}
set -u; f=$1; shift
d=$(dirname -- "$f"); mkdir -p -- "$d" || exit 3
case "$(cd -- "$d" && pwd -P)/" in /workspace/*) ;; *) exit 3;; esac
rm -f -- "$f" && [ ! -e "$f" ] || exit 3
set -C; printf %s "$@" > "$f" || { rm -f -- "$f"; exit 4; }`

const CONTAINER_TTL_S = 300

/** Characters of one argument. Linux takes at most 128 KiB, and a character has at most 4 bytes. */
const MAX_ARGUMENT_CHARACTERS = 30_000

/** Bytes of code that one command can carry. */
const MAX_CODE_BYTES = 1_000_000

/** Lists the work directory. Leaves out names with a line end, and everything below them, which would forge lines. */
const LIST_SCRIPT = `find . -mindepth 1 -name '*
*' -prune -o -mindepth 1 -exec stat -c '%F/%s/%n' {} + | head -n 1000`

/** Kills all processes, and prints {@link KILLS_SCRIPT}. Fails if some stay, or if shared memory or message queues, which outlive their processes, are left. */
const SWEEP_SCRIPT = `kill -9 -1
${KILLS_SCRIPT}
for i in 1 2 3 4 5 6 7 8 9; do set -- /proc/[0-9]*; [ $# -le 4 ] && break; sleep 0.1; done
[ $# -le 4 ] || exit 1
for kind in shm msg; do { read -r head; read -r line && exit 1; } < /proc/sysvipc/$kind; done`

/** Runs code in a container of Docker or Podman that lasts until the executor is closed. */
export function containerBackend(spec: ContainerSpec): LimitedBackend {
  return new ContainerBackend(spec)
}

/** Note in the output of a block whose processes could only be ended with their container. */
const REMOVED_NOTE = '\nThe container had to be removed, and all files with it; the next block gets a new one.\n'

class ContainerBackend implements LimitedBackend {
  readonly isolation = 'container' as const
  readonly #spec: ContainerSpec
  readonly #ttl: number
  #engine: Engine
  #started: Promise<void> | undefined
  /** True if there may be a container, perhaps one that failed to start. */
  #mayExist = false
  readonly #commands: Map<Runtime, readonly string[] | null> = new Map()
  /** The last block. Blocks run one at a time, since the processes of a block are killed before the next. */
  #lastBlock: Promise<unknown> = Promise.resolve()
  /** Listing of the work directory after the last block, until it is read. */
  #listing: string | undefined
  #heartbeat: NodeJS.Timeout | undefined

  constructor(spec: ContainerSpec) {
    this.#spec = spec
    this.#ttl = spec.ttl ?? CONTAINER_TTL_S
    this.#engine = engineAt(spec.sockets[0] ?? '')
  }

  async fault(runtime: Runtime): Promise<string | null> {
    if (this.#spec.sockets.length === 0) return 'no socket of a container engine was found'
    try {
      await this.#ready()
      return (await this.#commandFor(runtime)) ? null : `the image \`${this.#spec.image}\` has no ${runtime}`
    } catch (error) {
      return (error as Error).message
    }
  }

  async run(job: Job, watch: Watch): Promise<Outcome> {
    const before = this.#lastBlock
    const turn = Promise.withResolvers<void>()
    this.#lastBlock = turn.promise
    await before
    try {
      return await this.#runBlock(job, watch)
    } catch (error) {
      if (!this.#started && isXError(error, 'no-sandbox')) throw error
      // The next block finds the container or makes another one.
      this.#started = undefined
      return failedOutcome('engine', (error as Error).message)
    } finally {
      turn.resolve()
    }
  }

  async artifacts(): Promise<Artifact[]> {
    if (!this.#started) return []
    const listing = this.#listing ?? (await this.#exec(['/bin/sh', '-c', LIST_SCRIPT])).stdout
    this.#listing = undefined
    return listing
      .split('\n')
      .flatMap(parseArtifact)
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }

  async restart(): Promise<void> {
    if (this.#started) await this.#engine.call('POST', `/containers/${this.#spec.name}/restart?t=0`)
  }

  async close(): Promise<void> {
    await this.#lastBlock
    if (!this.#mayExist) return
    this.#mayExist = false
    const hasStarted = this.#started !== undefined
    try {
      await this.#remove()
    } catch (error) {
      // If the engine never answered, there is nothing to remove.
      if (hasStarted) throw error
    }
  }

  async #runBlock(job: Job, watch: Watch): Promise<Outcome> {
    const { file, code, runtime, saveOnly } = job
    this.#listing = undefined
    await this.#ready()
    if (code.includes('\0') || Buffer.byteLength(code) > MAX_CODE_BYTES) {
      return failedOutcome('bad-filename', `code for a container is at most ${MAX_CODE_BYTES} bytes, none of them zero`)
    }
    const pieces = code.match(new RegExp(`[\\s\\S]{1,${MAX_ARGUMENT_CHARACTERS}}`, 'gu')) ?? ['']
    const { exitCode, stdout, stderr } = await this.#exec([
      '/bin/sh',
      '-c',
      SAVE_SCRIPT,
      'save',
      `./${file}`,
      ...pieces,
    ])
    if (exitCode === 3)
      return failedOutcome('bad-filename', `cannot save \`${file}\` in the workspace: choose another name`)
    if (exitCode !== 0) return failedOutcome('disk', `cannot save \`${file}\`: the work directory is full\n${stderr}`)
    const savedAs = `/workspace/${file}`
    if (saveOnly) return { ...failedOutcome('saved', '', 0), stdout: `Code saved to ${savedAs}\n`, savedAs }
    const command = await this.#commandFor(runtime)
    if (!command) {
      return {
        ...failedOutcome('unsupported-language', `the image \`${this.#spec.image}\` has no ${runtime}`),
        savedAs,
      }
    }
    const outcome = await this.#runFile(job, { argv: [...command, asArgument(file)], kills: killsIn(stdout) }, watch)
    return { ...outcome, isolation: 'container', savedAs }
  }

  async #runFile({ limits }: Job, { argv, kills }: SavedCommand, { signal, onOutput }: Watch): Promise<Outcome> {
    const timeout = AbortSignal.timeout(Math.ceil(limits.timeout * 1000))
    const { exitCode, flooded, ...given } = await execIn(this.#engine, this.#spec.name, argv, {
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      ...(onOutput && { onOutput }),
      outputBytes: limits.outputBytes,
    })
    const outOfMemory = (await this.#sweep()) > kills
    const output = this.#started ? given : { ...given, stderr: `${given.stderr}${REMOVED_NOTE}` }
    if (exitCode !== null && outOfMemory) return { ...output, exitCode: exitCode || 137, reason: 'memory' }
    if (exitCode !== null) return { ...output, exitCode, reason: 'exit' }
    const reason: StopReason = flooded ? 'output-limit' : timeout.aborted ? 'timeout' : 'exit'
    return { ...output, exitCode: reason === 'timeout' ? 124 : 137, reason }
  }

  /**
   * Kills everything in the container but its first process, and lists the work directory in the same command, since each
   * command takes a tenth of a second. If that fails or memory is left, removes the container. Returns the number of processes
   * that the kernel has killed in the container for want of memory, as far as it tells.
   */
  async #sweep(): Promise<number> {
    let kills = 0
    try {
      const { exitCode, stdout } = await this.#exec(['/bin/sh', '-c', `${SWEEP_SCRIPT}\n${LIST_SCRIPT}`])
      kills = killsIn(stdout)
      if (exitCode === 0) {
        this.#listing = stdout
        return kills
      }
    } catch {
      // The container cannot start another process, or is gone.
    }
    await this.#remove()
    return kills
  }

  async #commandFor(runtime: Runtime): Promise<readonly string[] | null> {
    const cached = this.#commands.get(runtime)
    if (cached !== undefined) return cached
    let first: readonly string[] | null = null
    for (const command of INTERPRETER_COMMANDS[runtime] ?? []) {
      const { exitCode } = await this.#exec(['/bin/sh', '-c', 'command -v "$0"', command[0]])
      if (exitCode === 0) {
        first = command
        break
      }
    }
    this.#commands.set(runtime, first)
    return first
  }

  async #exec(argv: readonly string[]): Promise<ExecOutcome> {
    return await execIn(this.#engine, this.#spec.name, argv, { outputBytes: 1_000_000 })
  }

  #ready(): Promise<void> {
    if (!this.#started) {
      this.#started = this.#start()
      this.#started.catch(() => (this.#started = undefined))
    }
    return this.#started
  }

  async #start(): Promise<void> {
    let fault: unknown
    for (const socket of this.#spec.sockets) {
      this.#engine = engineAt(socket)
      this.#mayExist = true
      try {
        await startContainer(this.#engine, { ...this.#spec, ttl: this.#ttl })
        this.#startHeartbeat()
        return
      } catch (error) {
        fault ??= error
      }
    }
    throw fault ?? new Error('no socket of a container engine was found')
  }

  /** Keeps the container alive. The next block notices if it is gone. */
  #startHeartbeat(): void {
    clearInterval(this.#heartbeat)
    this.#heartbeat = setInterval(
      () => void sendHeartbeat(this.#engine, this.#spec.name).catch(() => {}),
      (this.#ttl * 1000) / 4,
    )
    this.#heartbeat.unref()
  }

  async #remove(): Promise<void> {
    this.#started = undefined
    clearInterval(this.#heartbeat)
    await this.#engine.call('DELETE', `/containers/${this.#spec.name}?force=true&v=true`)
  }
}

/** A command that runs a saved file. */
interface SavedCommand {
  readonly argv: string[]
  /** Processes that the kernel had killed in the container before, for want of memory. */
  readonly kills: number
}

/** Reads what {@link KILLS_SCRIPT} has printed first; 0 if the container cannot know. */
const killsIn = (output: string): number => Number(/^oom_kill (?<kills>\d+)\n/u.exec(output)?.groups?.['kills'] ?? 0)

function parseArtifact(line: string): Artifact[] {
  const [, type = '', size, name] = /^([^/]*)\/(\d+)\/\.\/(.+)$/su.exec(line) ?? []
  if (name === undefined) return []
  const kind = type.startsWith('regular')
    ? 'file'
    : type === 'directory'
      ? 'directory'
      : type.startsWith('symbolic')
        ? 'link'
        : 'other'
  return [{ name, size: kind === 'directory' ? 0 : Number(size), kind }]
}
