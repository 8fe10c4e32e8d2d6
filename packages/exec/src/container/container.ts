import { XError } from '@x/kernel'
import type { ExecutionLimits } from '../run/limits.ts'
import { OutputCap } from '../run/output-cap.ts'
import type { OutputChunk } from '../run/job.ts'
import { engineMessage, type Engine, type EngineAnswer, frameReader } from './engine.ts'

/** Options of a container. */
export interface ContainerOptions {
  readonly image: string
  readonly name: string
  /** Name of the runtime that the engine is to use; default: the engine's own. */
  readonly runtime?: string | undefined
  readonly network: 'none' | 'host'
  readonly env: Readonly<Record<string, string>>
  readonly limits: ExecutionLimits
  /** Seconds that it stays without a {@link sendHeartbeat}. */
  readonly life: number
}

/** Directory of the sign of life; only root of the container may write there, which code never is. */
const HEARTBEAT_DIRECTORY = '/x-exec'

/** Seconds between two looks for a sign of life, at most: each look starts a process. */
const MAX_HEARTBEAT_POLL_S = 20

/**
 * What the container itself does: it waits for as long as signs of life come, so that it does not outlive a program that
 * ended without closing it. Its first process ignores signals from inside.
 */
const wait = (seconds: number): string[] => [
  '/bin/sh',
  '-c',
  `last=$(date +%s); while [ $(($(date +%s) - last)) -le ${seconds} ]; do sleep ${Math.min(MAX_HEARTBEAT_POLL_S, seconds)}; [ -e ${HEARTBEAT_DIRECTORY}/alive ] && last=$(stat -c %Y ${HEARTBEAT_DIRECTORY}/alive); done`,
]

/** Makes and starts a container without network, rights and a writable system; uses one of this name that runs. */
export async function startContainer(engine: Engine, options: ContainerOptions): Promise<void> {
  const { name, image } = options
  const known = await engine.call('GET', `/containers/${name}/json`)
  if (known.status !== 200) {
    await pullMissing(engine, image)
    const made = await engine.call('POST', `/containers/create?name=${name}`, containerBody(options))
    // 409: the backend of the other thread was first.
    if (made.status !== 201 && made.status !== 409) throw engineFault(`create a container of \`${image}\``, made)
  }
  if (options.runtime !== undefined) await checkRuntime(engine, name, options.runtime)
  const started = await engine.call('POST', `/containers/${name}/start`)
  if (started.status >= 400) throw engineFault(`start a container of \`${image}\``, started)
  // Podman gives a memory file system the rights of the directory it covers.
  const user = '0:0'
  await execIn(engine, name, ['/bin/sh', '-c', 'chmod 1777 /workspace /tmp'], { user, outputBytes: 4096 })
}

/** Fails when a container has another runtime than it was to have: engines ignore what they do not know. */
async function checkRuntime(engine: Engine, name: string, wanted: string): Promise<void> {
  // Docker tells it to everybody, Podman on a path of its own.
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

/** Lets a container go on waiting. */
export async function sendHeartbeat(engine: Engine, name: string): Promise<void> {
  await execIn(engine, name, ['/bin/sh', '-c', `: > ${HEARTBEAT_DIRECTORY}/alive`], { user: '0:0', outputBytes: 4096 })
}

async function pullMissing(engine: Engine, image: string): Promise<void> {
  const known = await engine.call('GET', `/images/${encodeURIComponent(image)}/json`)
  if (known.status === 200) return
  const pulled = await engine.call('POST', `/images/create?fromImage=${encodeURIComponent(image)}`)
  const said = typeof pulled.body === 'string' ? pulled.body : JSON.stringify(pulled.body)
  // A pull that fails half-way has begun with 200.
  if (pulled.status !== 200 || said.includes('"error"')) {
    throw engineFault(`pull the image \`${image}\``, pulled)
  }
}

function containerBody({ image, runtime, network, env, limits, life }: ContainerOptions): unknown {
  const tmpfs = (bytes: number): string => `rw,nosuid,nodev,exec,size=${bytes},mode=1777`
  return {
    Image: image,
    Entrypoint: wait(life),
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
        // Counted over all containers of the machine; given, because Podman's own default may be more than it may set.
        { Name: 'nproc', Soft: 4096, Hard: 4096 },
      ],
    },
  }
}

/** The result of a command in a container; the exit code is null when it was left before its end. */
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
  /** User and group; default: the container's. */
  readonly user?: string
}

/** Runs a command in a container, as a list of arguments that no shell reads. */
export async function execIn(
  engine: Engine,
  name: string,
  argv: readonly string[],
  { signal, onOutput, outputBytes, user }: ExecOptions,
): Promise<ExecOutcome> {
  const made = await engine.call('POST', `/containers/${name}/exec`, {
    AttachStdout: true,
    AttachStderr: true,
    WorkingDir: '/workspace',
    Cmd: argv,
    ...(user !== undefined && { User: user }),
  })
  const id = (made.body as { Id?: unknown }).Id
  if (made.status !== 201 || typeof id !== 'string') throw engineFault('run a command in the container', made)
  const output = new OutputCap(outputBytes, onOutput)
  const response = await engine.stream('POST', `/exec/${id}/start`, { Detach: false, Tty: false }, undefined)
  if (response.statusCode !== 200) {
    throw engineFault('run a command in the container', { status: response.statusCode ?? 0, body: '' })
  }
  let flooded = false
  const read = frameReader((stream, data) => {
    if (!output.add(stream, data)) flooded = true
  })
  const leave = (): void => void response.destroy()
  signal?.addEventListener('abort', leave)
  if (signal?.aborted) leave()
  try {
    for await (const piece of response as AsyncIterable<Uint8Array>) {
      read(piece)
      if (flooded) break
    }
  } catch (error) {
    if (!signal?.aborted) {
      throw new XError('no-sandbox', 'the container engine broke off while code ran: look at its log', { cause: error })
    }
  } finally {
    signal?.removeEventListener('abort', leave)
    response.destroy()
  }
  if (flooded || signal?.aborted) return { exitCode: null, flooded, ...output.end() }
  const { body } = await engine.call('GET', `/exec/${id}/json`)
  const { ExitCode: code } = body as { ExitCode?: unknown }
  if (typeof code !== 'number') {
    throw new XError('no-sandbox', 'the container engine does not say how the code ended: look at its log')
  }
  return { exitCode: code, flooded, ...output.end() }
}

const engineFault = (what: string, answer: EngineAnswer): XError =>
  new XError('no-sandbox', `cannot ${what} (${engineMessage(answer)}): check the engine and the image`, {
    details: { status: answer.status },
  })
