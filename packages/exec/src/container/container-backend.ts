import type { Artifact, StopReason } from '@x/interfaces'
import { isXError } from '@x/kernel'
import { asArgument, INTERPRETER_COMMANDS } from '../backend/interpreter.ts'
import { failed, type LimitedBackend, type Job, type Outcome, type Watch } from '../run/job.ts'
import type { Runtime } from '../run/languages.ts'
import type { ExecutionLimits } from '../run/limits.ts'
import { execIn, sendHeartbeat, startContainer, type ExecOutcome } from './container.ts'
import { engineAt } from './engine.ts'

/** Describes a container. */
export interface ContainerSpec {
  readonly kind: 'container'
  /** Sockets to try, best first. */
  readonly sockets: readonly string[]
  readonly image: string
  /** Name of the container, by which asynchronous and blocking calls share it. */
  readonly name: string
  /** Name of the runtime that the engine is to use; default: the engine's own. */
  readonly runtime?: string | undefined
  readonly network: 'none' | 'host'
  readonly env: Readonly<Record<string, string>>
  readonly limits: ExecutionLimits
  /** Seconds that the container stays when this process is gone without closing it; default 300. */
  readonly life?: number | undefined
}

/** Writes its further arguments, joined, to the file named by the first, unless a link would lead it away. */
const SAVE_SCRIPT = `set -u; f=$1; shift
d=$(dirname -- "$f"); mkdir -p -- "$d" || exit 3
case "$(cd -- "$d" && pwd -P)/" in /workspace/*) ;; *) exit 3;; esac
rm -f -- "$f" && [ ! -e "$f" ] || exit 3
set -C; printf %s "$@" > "$f" || { rm -f -- "$f"; exit 4; }`

const CONTAINER_TTL_S = 300

/** Bytes of one argument; Linux takes at most 128 KiB. */
const MAX_ARGUMENT_CHARACTERS = 30_000

/** Bytes of code that one command can carry. */
const MAX_CODE_BYTES = 1_000_000

/** A name with a line end, and what lies below it, would forge lines of the list. */
const LIST_SCRIPT = `find . -mindepth 1 -name '*
*' -prune -o -mindepth 1 -exec stat -c '%F/%s/%n' {} + | head -n 1000`

/** Fails where processes stay, or shared memory and queues of System V, which outlive those who made them. */
const SWEEP_SCRIPT = `kill -9 -1; for i in 1 2 3 4 5 6 7 8 9; do set -- /proc/[0-9]*; [ $# -le 4 ] && break; sleep 0.1; done
[ $# -le 4 ] || exit 1
for kind in shm msg; do { read -r head; read -r line && exit 1; } < /proc/sysvipc/$kind; done`

/** Runs code in a container of Docker's or Podman's that lasts until the executor is closed. */
export function containerBackend(spec: ContainerSpec): LimitedBackend {
  const { name, life = CONTAINER_TTL_S } = spec
  let engine = engineAt(spec.sockets[0] ?? '')
  let started: Promise<void> | undefined
  /** True if there may be a container, perhaps one that did not start. */
  let touched = false
  const commands = new Map<Runtime, readonly string[] | null>()
  /** One block after the other: what is left of a block is ended before the next. */
  let last: Promise<unknown> = Promise.resolve()

  /** What lay in the work directory after the last block, until it is asked for. */
  let list: string | undefined
  let beats: NodeJS.Timeout | undefined
  /** Says often enough that somebody is there. A container that is gone is noticed by the next block. */
  const keepAlive = (): void => {
    clearInterval(beats)
    beats = setInterval(() => void sendHeartbeat(engine, name).catch(() => {}), (life * 1000) / 4)
    beats.unref()
  }

  const open = async (): Promise<void> => {
    let fault: unknown
    for (const socket of spec.sockets) {
      engine = engineAt(socket)
      touched = true
      try {
        await startContainer(engine, { ...spec, life })
        keepAlive()
        return
      } catch (error) {
        fault ??= error
      }
    }
    throw fault ?? new Error('no socket of a container engine was found')
  }
  const ready = (): Promise<void> => {
    if (!started) {
      started = open()
      started.catch(() => (started = undefined))
    }
    return started
  }
  const quick = (argv: readonly string[]): Promise<ExecOutcome> =>
    execIn(engine, name, argv, { outputBytes: 1_000_000 })
  const remove = async (): Promise<void> => {
    started = undefined
    clearInterval(beats)
    await engine.call('DELETE', `/containers/${name}?force=true&v=true`)
  }
  /**
   * Ends everything in the container but its first process, and lists what lies in the work directory: each command takes
   * a tenth of a second. Where that fails or memory stays behind, the container is ended.
   */
  const sweep = async (): Promise<void> => {
    try {
      const { exitCode, stdout } = await quick(['/bin/sh', '-c', `${SWEEP_SCRIPT}\n${LIST_SCRIPT}`])
      if (exitCode === 0) {
        list = stdout
        return
      }
    } catch {
      // It cannot start one process more, or is gone.
    }
    await remove()
  }

  const commandFor = async (runtime: Runtime): Promise<readonly string[] | null> => {
    const known = commands.get(runtime)
    if (known !== undefined) return known
    let first: readonly string[] | null = null
    for (const command of INTERPRETER_COMMANDS[runtime] ?? []) {
      const { exitCode } = await quick(['/bin/sh', '-c', 'command -v "$0"', command[0]])
      if (exitCode === 0) {
        first = command
        break
      }
    }
    commands.set(runtime, first)
    return first
  }

  const ran = async (job: Job, watch: Watch): Promise<Outcome> => {
    const { file, code, runtime, saveOnly } = job
    list = undefined
    await ready()
    if (code.includes('\0') || Buffer.byteLength(code) > MAX_CODE_BYTES) {
      return failed('bad-filename', `code for a container is at most ${MAX_CODE_BYTES} bytes, none of them zero`)
    }
    const pieces = code.match(new RegExp(`[\\s\\S]{1,${MAX_ARGUMENT_CHARACTERS}}`, 'gu')) ?? ['']
    const { exitCode, stderr } = await quick(['/bin/sh', '-c', SAVE_SCRIPT, 'save', `./${file}`, ...pieces])
    if (exitCode === 3) return failed('bad-filename', `cannot save \`${file}\` in the workspace: choose another name`)
    if (exitCode !== 0) return failed('disk', `cannot save \`${file}\`: the work directory is full\n${stderr}`)
    const savedAs = `/workspace/${file}`
    if (saveOnly) return { ...failed('saved', '', 0), stdout: `Code saved to ${savedAs}\n`, savedAs }
    const command = await commandFor(runtime)
    if (!command) return { ...failed('unsupported-language', `the image \`${spec.image}\` has no ${runtime}`), savedAs }
    return { ...(await runFile(job, [...command, asArgument(file)], watch)), isolation: 'container', savedAs }
  }

  const runFile = async ({ limits: its }: Job, argv: string[], { signal, onOutput }: Watch): Promise<Outcome> => {
    const timeout = AbortSignal.timeout(its.timeout * 1000)
    const { exitCode, flooded, ...output } = await execIn(engine, name, argv, {
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      ...(onOutput && { onOutput }),
      outputBytes: its.outputBytes,
    })
    await sweep()
    if (exitCode !== null) return { ...output, exitCode, reason: 'exit' }
    const reason: StopReason = flooded ? 'output-limit' : timeout.aborted ? 'timeout' : 'exit'
    return { ...output, exitCode: reason === 'timeout' ? 124 : 137, reason }
  }

  return {
    isolation: 'container',
    async fault(runtime) {
      if (spec.sockets.length === 0) return 'no socket of a container engine was found'
      try {
        await ready()
        return (await commandFor(runtime)) ? null : `the image \`${spec.image}\` has no ${runtime}`
      } catch (error) {
        return (error as Error).message
      }
    },
    async run(job, watch) {
      const before = last
      const turn = Promise.withResolvers<void>()
      last = turn.promise
      await before
      try {
        return await ran(job, watch)
      } catch (error) {
        if (!started && isXError(error, 'no-sandbox')) throw error
        // The next block finds the container or makes another one.
        started = undefined
        return failed('engine', (error as Error).message)
      } finally {
        turn.resolve()
      }
    },
    async artifacts() {
      if (!started) return []
      const lines = list ?? (await quick(['/bin/sh', '-c', LIST_SCRIPT])).stdout
      list = undefined
      return lines
        .split('\n')
        .flatMap(artifactOf)
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    },
    async restart() {
      if (started) await engine.call('POST', `/containers/${name}/restart?t=0`)
    },
    async close() {
      await last
      if (!touched) return
      touched = false
      const ran = started !== undefined
      try {
        await remove()
      } catch (error) {
        // With an engine that never answered there is nothing to remove.
        if (ran) throw error
      }
    },
  }
}

function artifactOf(line: string): Artifact[] {
  const [, kind = '', size, name] = /^([^/]*)\/(\d+)\/\.\/(.+)$/su.exec(line) ?? []
  if (name === undefined) return []
  const its = kind.startsWith('regular')
    ? 'file'
    : kind === 'directory'
      ? 'directory'
      : kind.startsWith('symbolic')
        ? 'link'
        : 'other'
  return [{ name, size: its === 'directory' ? 0 : Number(size), kind: its }]
}
