import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ContestantProcess, type MockServer, startServer, type WorkerOptions } from './host.ts'
import { entriesOf, install } from './install.ts'
import { check, measure, type RunOptions } from './run.ts'

let scratch: string
let server: MockServer
let worker: WorkerOptions

beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'bench-test-'))
  server = await startServer(-1)
  worker = { scratch, core: -1, baseURL: server.baseURL }
  // Without dependencies, so that nothing is installed.
  expect(install(scratch, entriesOf(['http'], '', {}))).toEqual({})
})

afterAll(() => {
  server.stop()
  rmSync(scratch, { recursive: true, force: true })
})

async function optionsOf(name: string): Promise<RunOptions> {
  const process = await ContestantProcess.start(name, worker)
  await process.stop()
  const params = { n: 2, turns: [2, 4], wake: 0 }
  return {
    server,
    worker,
    hellos: new Map([[name, process.hello]]),
    base: name,
    quick: true,
    rounds: 2,
    params,
    log() {},
  }
}

describe('a run', () => {
  it('checks a contestant, and measures it in as many rounds as it is asked to', async () => {
    const options = await optionsOf('http')
    const { http } = await check(options)
    expect(Object.keys(http!)).toEqual(['call', 'call64', 'stream', 'fallback', 'cache', 'tools', 'chat', 'chat fake'])
    expect(Object.values(http!).every((found) => found === 'ok')).toBe(true)
    const { measured, noise } = await measure(options, 'chat')
    expect(measured.rounds).toBe(2)
    expect(Object.keys(measured.table)).toEqual(['http/http', 'http/fake'])
    expect(measured.table['http/http']).toMatchObject({ ratio: { cpu_us_4: 1 } })
    expect(noise).toHaveLength(3)
  }, 60_000)

  it('finds a contestant that asks twice', async () => {
    const cheat = `
import { create as createRight, info } from './right.mjs'
export { info }
export async function create(connection) {
  const right = await createRight(connection)
  return { ...right, call: async (question) => (await right.call(question), right.call(question)) }
}`
    install(scratch, [{ name: 'cheat', from: 'http' }])
    const folder = join(scratch, 'contestants/cheat')
    cpSync(join(folder, 'index.mjs'), join(folder, 'right.mjs'))
    writeFileSync(join(folder, 'index.mjs'), cheat)
    const { cheat: found } = await check(await optionsOf('cheat'))
    expect(found).toMatchObject({ call: { bad: ['requests: 42, expected 21'] }, tools: 'ok' })
  }, 60_000)
})

describe('the strict server', () => {
  it('says what a real one would refuse', async () => {
    await server.strict(true)
    await server.stats()
    const messages = [
      { role: 'user', content: '' },
      { role: 'tool', tool_call_id: 'c1', content: 'sunny' },
      { role: 'robot', content: 'hi' },
    ]
    const response = await fetch(`${server.baseURL}/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ messages }),
    })
    expect(response.status).toBe(200)
    const { violations, maxMessages } = await server.stats()
    expect(violations).toEqual(['no model', 'empty user message', 'tool result without a call', 'role robot'])
    expect(maxMessages).toBe(3)
    await server.strict(false)
  })
})
