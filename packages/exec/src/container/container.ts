import { XError } from '@x/kernel'
import type { ExecutionLimits } from '../run/limits.ts'
import { OutputCap } from '../run/output-cap.ts'
import type { OutputChunk } from '../run/job.ts'
import { engineMessage, type Engine, type EngineAnswer, frameReader } from './engine.ts'

/** Options of a container. */
export interface ContainerOptions {
  readonly image: string
  readonly name: string
  /** Container runtime; default: the default of the engine. */
  readonly runtime?: string | undefined
  readonly network: 'none' | 'host'
  readonly env: Readonly<Record<string, string>>
  readonly limits: ExecutionLimits
  /** Seconds that the container stays without a {@link sendHeartbeat}. */
  readonly ttl: number
}

/** Directory of the heartbeat file. Only root of the container may write to it, and code never runs as root. */
const HEARTBEAT_DIRECTORY = '/x-exec'

/** Longest interval between two looks for a heartbeat, in seconds; each look starts a process. */
const MAX_HEARTBEAT_POLL_S = 20

/**
 * Returns the command of the container, which waits as long as heartbeats come, so that the container does not outlive a
 * program that ended without closing it. The first process of a container ignores signals from inside.
 */
const waitCommand = (seconds: number): string[] => [
  '/bin/sh',
  '-c',
  `last=$(date +%s); while [ $(($(date +%s) - last)) -le ${seconds} ]; do sleep ${Math.min(MAX_HEARTBEAT_POLL_S, seconds)}; [ -e ${HEARTBEAT_DIRECTORY}/alive ] && last=$(stat -c %Y ${HEARTBEAT_DIRECTORY}/alive); done`,
]

/** Starts a container without privileges and without a writable system, or uses the running container of that name. */
export async function startContainer(engine: Engine, options: ContainerOptions): Promise<void> {
  const { name, image } = options
  const existing = await engine.call('GET', `/containers/${name}/json`)
  if (existing.status !== 200) {
    await pullMissing(engine, image)
    const createAnswer = await engine.call('POST', `/containers/create?name=${name}`, containerBody(options))
    // 409: the backend of the other thread was faster.
    if (createAnswer.status !== 201 && createAnswer.status !== 409)
      throw engineFault(`create a container of \`${image}\``, createAnswer)
  }
  if (options.runtime !== undefined) await checkRuntime(engine, name, options.runtime)
  const startAnswer = await engine.call('POST', `/containers/${name}/start`)
  if (startAnswer.status >= 400) throw engineFault(`start a container of \`${image}\``, startAnswer)
  // Podman gives a file system in memory the permissions of the directory below it.
  const user = '0:0'
  await execIn(engine, name, ['/bin/sh', '-c', 'chmod 1777 /workspace /tmp'], { user, outputBytes: 4096 })
}

/** Fails if a container has another runtime than requested: engines ignore a runtime that they do not know. */
async function checkRuntime(engine: Engine, name: string, wanted: string): Promise<void> {
  // Podman reports the runtime on a path of its own.
  for (const path of [`/containers/${name}/json`, `/v4.0.0/libpod/containers/${name}/json`]) {
    const { status, body } = await engine.call('GET', path)
    if (status !== 200) continue
    const { HostConfig, OCIRuntime } = body as { HostConfig?: { Runtime?: unknown } | null; OCIRuntime?: unknown }
    if (HostConfig?.Runtime === wanted || OCIRuntime === wanted) return
  }
  await engine.call('DELETE', `/containers/${name}?force=true`)
  throw new XError(
    'no-sandbox',
    `cannot create a container with the runtime \`${wanted}\`: the engine took another one. Register it with Docker (\`runtimes\` of \`daemon.json\`), or start Podman's service with it (\`runtime\` of \`containers.conf\`)`,
    { details: { runtime: wanted } },
  )
}

/** Sends a heartbeat, so that the container stays. */
export async function sendHeartbeat(engine: Engine, name: string): Promise<void> {
  await execIn(engine, name, ['/bin/sh', '-c', `: > ${HEARTBEAT_DIRECTORY}/alive`], { user: '0:0', outputBytes: 4096 })
}

async function pullMissing(engine: Engine, image: string): Promise<void> {
  const existing = await engine.call('GET', `/images/${encodeURIComponent(image)}/json`)
  if (existing.status === 200) return
  const pullAnswer = await engine.call('POST', `/images/create?fromImage=${encodeURIComponent(image)}`)
  const text = typeof pullAnswer.body === 'string' ? pullAnswer.body : JSON.stringify(pullAnswer.body)
  // A pull that fails half-way has status 200.
  if (pullAnswer.status !== 200 || text.includes('"error"')) {
    throw engineFault(`pull the image \`${image}\``, pullAnswer)
  }
}

function containerBody({ image, runtime, network, env, limits, ttl }: ContainerOptions): unknown {
  const tmpfs = (bytes: number): string => `rw,nosuid,nodev,exec,size=${bytes},mode=1777`
  return {
    Image: image,
    Entrypoint: waitCommand(ttl),
    Cmd: [],
    User: '65534:65534',
    WorkingDir: '/workspace',
    Env: Object.entries({ HOME: '/workspace', TMPDIR: '/tmp', LANG: 'C.UTF-8', ...env }).map((pair) => pair.join('=')),
    Labels: { 'x.exec': 'true', 'x.exec.process': `${process.pid}` },
    NetworkDisabled: network === 'none',
    Hostname: 'sandbox',
    HostConfig: {
      AutoRemove: true,
      ...(runtime !== undefined && { Runtime: runtime }),
      NetworkMode: network === 'none' ? 'none' : 'bridge',
      Memory: limits.memoryBytes,
      MemorySwap: limits.memoryBytes,
      PidsLimit: limits.pids,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      ReadonlyRootfs: true,
      Tmpfs: {
        '/workspace': tmpfs(limits.workspaceBytes),
        '/tmp': tmpfs(16 * 2 ** 20),
        [HEARTBEAT_DIRECTORY]: 'rw,nosuid,nodev,noexec,size=4096,mode=755',
      },
      Ulimits: [
        { Name: 'nofile', Soft: limits.openFiles, Hard: limits.openFiles },
        { Name: 'fsize', Soft: limits.fileBytes, Hard: limits.fileBytes },
        { Name: 'core', Soft: 0, Hard: 0 },
        // Counted over all containers of the machine. Set here because Podman's default may exceed what it may set.
        { Name: 'nproc', Soft: 4096, Hard: 4096 },
      ],
    },
  }
}

/** Result of a command in a container; the exit code is null if the command was abandoned before its end. */
export interface ExecOutcome {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
  readonly truncatedBytes: number
  readonly flooded: boolean
}

/** Options of {@link execIn}. */
export interface ExecOptions {
  readonly signal?: AbortSignal
  readonly onOutput?: (chunk: OutputChunk) => void
  readonly outputBytes: number
  /** User and group; default: those of the container. */
  readonly user?: string
}

/** Runs a command in a container, as a list of arguments that no shell interprets. */
export async function execIn(
  engine: Engine,
  name: string,
  argv: readonly string[],
  { signal, onOutput, outputBytes, user }: ExecOptions,
): Promise<ExecOutcome> {
  const createAnswer = await engine.call('POST', `/containers/${name}/exec`, {
    AttachStdout: true,
    AttachStderr: true,
    WorkingDir: '/workspace',
    Cmd: argv,
    ...(user !== undefined && { User: user }),
  })
  const id = (createAnswer.body as { Id?: unknown }).Id
  if (createAnswer.status !== 201 || typeof id !== 'string')
    throw engineFault('run a command in the container', createAnswer)
  const output = new OutputCap(outputBytes, onOutput)
  const response = await engine.stream('POST', `/exec/${id}/start`, { Detach: false, Tty: false }, undefined)
  if (response.statusCode !== 200) {
    throw engineFault('run a command in the container', { status: response.statusCode ?? 0, body: '' })
  }
  let flooded = false
  const read = frameReader((stream, data) => {
    if (!output.add(stream, data)) flooded = true
  })
  const abandon = (): void => void response.destroy()
  signal?.addEventListener('abort', abandon)
  if (signal?.aborted) abandon()
  try {
    for await (const piece of response as AsyncIterable<Uint8Array>) {
      read(piece)
      if (flooded) break
    }
  } catch (error) {
    if (!signal?.aborted) {
      throw new XError(
        'no-sandbox',
        'cannot run code in a container: the engine broke off the connection. Look at its log',
        { cause: error },
      )
    }
  } finally {
    signal?.removeEventListener('abort', abandon)
    response.destroy()
  }
  if (flooded || signal?.aborted) return { exitCode: null, flooded, ...output.end() }
  const { body } = await engine.call('GET', `/exec/${id}/json`)
  const { ExitCode: code } = body as { ExitCode?: unknown }
  if (typeof code !== 'number') {
    throw new XError(
      'no-sandbox',
      'cannot run code in a container: the engine does not report how it ended. Look at its log',
    )
  }
  return { exitCode: code, flooded, ...output.end() }
}

const engineFault = (operation: string, answer: EngineAnswer): XError =>
  new XError('no-sandbox', `cannot ${operation} (${engineMessage(answer)}): check the engine and the image`, {
    details: { status: answer.status },
  })
