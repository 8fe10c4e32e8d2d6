import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Change } from './change.ts'
import type { ToolItem } from './item.ts'
import { freePort, startRedis, type RedisServer } from './redis-server.ts'
import { installedRedis } from './redis.fake.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const socket = process.env['DOCKER_HOST']
const podman = (...args: readonly string[]): readonly string[] => [...(socket ? ['--url', socket] : []), ...args]
const redisProgram = installedRedis()

/** Says why no image can be built here; null when one can. Throws if CI should have installed an engine. */
function missingEngine(): string | null {
  const found = spawnSync('podman', podman('version'), { encoding: 'utf8' })
  if (found.status === 0 && process.platform === 'linux') return null
  const reason = `the image of the web example needs Podman on Linux: ${found.error?.message ?? found.stderr}`
  if ((process.env['X_CI_EXPECTS'] ?? '').split(',').includes('container')) throw new Error(reason)
  console.warn(`skipped: ${reason}`)
  return reason
}

describe.skipIf(missingEngine() ?? !redisProgram)('the image', { timeout: 120_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'image-'))
  const tag = `localhost/web-chat-test:${process.pid}`
  const base = `localhost/web-chat-base:${process.pid}`
  const TOKEN = 'a-token-of-the-test'
  let redis: RedisServer | undefined
  const started: ChildProcess[] = []

  beforeAll(async () => {
    importBase(join(folder, 'base'), base)
    execFileSync(process.execPath, ['scripts/image.ts', '--base', base, '--tag', tag, '--engine', 'podman'], {
      cwd: root,
    })
    redis = await startRedis(redisProgram!, join(folder, 'redis'))
  }, 120_000)
  afterAll(async () => {
    for (const child of started) child.kill('SIGKILL')
    spawnSync('podman', podman('rmi', '--force', tag, base))
    await redis?.[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true })
  })

  /** Starts a program of the image as `compose.yaml` does, and resolves when its health is served at the port. */
  async function start(name: string, monitor: number, ...args: readonly string[]): Promise<ChildProcess> {
    const child = spawn(
      'podman',
      podman(
        ...['run', '--rm', '--name', `${name}-${process.pid}`, '--network=host', '--no-healthcheck'],
        ...['--read-only', '--tmpfs=/tmp', '--cap-drop=ALL', '--security-opt=no-new-privileges'],
        ...['--env', `WEB_CHAT_AT=${redis!.address}`, '--env', `WEB_CHAT_TOKEN=${TOKEN}`, tag],
        ...['node', `dist/${name}.js`, '--monitor', String(monitor), '--folder', '/data', '--pace', '0', ...args],
      ),
      { stdio: ['ignore', 'ignore', 'inherit'] },
    )
    started.push(child)
    await expect.poll(async () => (await get(monitor, '/readyz')) === 'ready\n').toBe(true)
    return child
  }
  const get = async (port: number, path: string): Promise<string | null> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => null)
    return response?.ok ? await response.text() : null
  }

  it('serves and works as a user without rights, and hands over at SIGTERM', async () => {
    const [port, monitor] = [await freePort(), await freePort()]
    await start('serve', monitor, '--port', String(port))
    const workerMonitor = await freePort()
    const worker = await start('work', workerMonitor)
    expect(await get(workerMonitor, '/healthz')).not.toBeNull()
    expect(await get(monitor, '/metrics')).toMatch(/^web_chat_pages 0$/mu)

    const origin = `http://127.0.0.1:${port}`
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}`, origin }
    const post = async (path: string, body: object): Promise<Response> =>
      await fetch(`${origin}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    const { id } = (await (await post('/chats', { kind: 'assistant' })).json()) as { id: string }
    expect((await post(`/chats/${id}/messages`, { text: 'Compute process.getuid?.() ?? 6 * 7' })).status).toBe(204)
    const call = await changesOf(`${origin}/events?chat=${id}&token=${TOKEN}`)
    expect(call).toMatchObject({ name: 'run_code', result: expect.stringContaining('42') as string })

    const ended = once(worker, 'exit')
    execFileSync('podman', podman('stop', '--time', '30', `work-${process.pid}`), { stdio: 'ignore' })
    expect(await ended).toEqual([0, null])
    const facts = execFileSync('podman', podman('image', 'inspect', tag), { encoding: 'utf8' })
    expect(JSON.parse(facts)).toMatchObject([{ Config: { User: '10001:10001', StopSignal: 'SIGTERM' } }])
    expect(facts).not.toContain(TOKEN)
  })
})

/** Reads the changes of a chat until its tool call is done, and returns the call. */
async function changesOf(url: string): Promise<ToolItem> {
  const response = await fetch(url)
  let text = ''
  for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
    text += part
    const frames = text.split('\n\n')
    text = frames.pop()!
    for (const frame of frames) {
      const data = /^data: (.*)$/mu.exec(frame)?.[1]
      const change = data === undefined ? null : (JSON.parse(data) as Change)
      if (change?.type === 'item' && change.item.kind === 'tool' && change.item.state === 'done') return change.item
    }
  }
  throw new Error('the stream ended before the call was done')
}

/** Makes a base image of this machine's own files, for machines that reach no registry of images: Node, and what executors call. */
function importBase(tree: string, tag: string): void {
  for (const each of ['proc', 'dev', 'sys', 'etc', 'tmp']) mkdirSync(join(tree, each), { recursive: true })
  chmodSync(join(tree, 'tmp'), 0o1777)
  const copy = (from: string, to = from): void => {
    mkdirSync(join(tree, dirname(to)), { recursive: true })
    copyFileSync(from, join(tree, to))
  }
  const programs = [[process.execPath, '/usr/local/bin/node'], ['/bin/chmod'], ['/bin/rm'], ['/bin/sh']] as const
  for (const [from, to] of programs) {
    copy(from, to)
    const libraries = execFileSync('ldd', [from], { encoding: 'utf8' }).match(/\/[^ :)\n]+/gu) ?? []
    for (const library of new Set(libraries)) copy(library)
  }
  const archive = `${tree}.tar`
  execFileSync('tar', ['-C', tree, '-cf', archive, '.'])
  execFileSync('podman', podman('import', '--quiet', '--change', 'ENV PATH=/usr/local/bin', archive, tag))
}
