import { createHost, sqlite } from '@x/host'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const CALLER = fileURLToPath(new URL('killed-caller.fake.ts', import.meta.url))

test('a strict budget of all workers counts the requests of killed ones, which a provider bills', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'killed-caller-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'chats.db')
  let billed = 0
  // A provider that bills what it has read, and takes long.
  const server = createServer((request) => {
    let body = ''
    request.on('data', (piece: Buffer) => (body += piece.toString()))
    request.on('end', () => {
      billed += (Math.ceil(body.length / 4) + 1000) / 1000
      server.emit('billed')
    })
  }).listen(0, '127.0.0.1')
  onTestFinished(() => server.close().closeAllConnections())
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const host = createHost({ chats: [], at: sqlite(file) })
  const budget = host.budget('team', { cost: 2.5, strict: true, minTokens: 1000, lease: 1 })
  const call = (): ReturnType<typeof spawn> =>
    spawn(process.execPath, ['--conditions=@x/source', CALLER, file, url], { stdio: ['ignore', 'ignore', 'pipe'] })

  for (let killed = 1; killed <= 2; killed++) {
    const read = once(server, 'billed')
    const caller = call()
    await read
    caller.kill('SIGKILL')
    await expect.poll(async () => (await budget.state()).open.calls).toBe(0)
    const { used } = await budget.state()
    expect(used.calls).toBe(killed)
    expect(used.cost).toBeGreaterThanOrEqual(billed)
  }
  const late = call()
  let said = ''
  late.stderr!.on('data', (piece: Buffer) => (said += piece.toString()))
  await once(late, 'close')
  expect(said).toContain('budget-exceeded')
  expect(billed).toBeLessThanOrEqual(2.5)
  await host.close()
})
