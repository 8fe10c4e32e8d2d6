import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { XEvent } from '@x/interfaces'
import { startFakeOpenAI } from '@x/testing'
import { expect, it } from 'vitest'
import { demo, type DemoOptions } from './demo.ts'

async function run(
  options: Pick<DemoOptions, 'baseUrl' | 'apiKey' | 'model'>,
): Promise<{ text: string; events: XEvent[] }> {
  const lines: string[] = []
  const events: XEvent[] = []
  const io = { send: (event: XEvent) => void events.push(event), input: () => '' }
  await demo({ ...options, write: (line) => void lines.push(line), io })
  return { text: lines.join(''), events }
}

it('runs a simulated conversation with a failover, a tool call, a program in a sandbox and a table at the end', async () => {
  const { text, events } = await run({ model: 'gpt-5-mini' })
  expect(text).toMatch(/^The model is simulated/u)
  expect(text).toContain('The chat ended by: termination-message.')
  expect(text).toContain('3 of 6 calls failed over to the next config.')
  expect(text).toMatch(/simulated-large │\s+3 │\s+3 │/u)
  expect(text).toMatch(/simulated-small │\s+3 │\s+0 │\s+847 │\s+121 │ \$0\.000454/u)
  expect(events.map(({ type }) => type).filter((type) => !/Start$|End$/u.test(type))).toEqual([
    'receivedMessage',
    'receivedMessage',
    'executeFunction',
    'receivedMessage',
    'receivedMessage',
    'codeOutput',
    'receivedMessage',
    'receivedMessage',
  ])
  expect(JSON.stringify(events)).toContain('exitcode: 0 (execution succeeded)\\nCode output: 2.3')
  expect(text).toMatch(/ran here: (?:sandbox|wasm)\./u)
})

it('says in a line that its record cannot be written', () => {
  const main = fileURLToPath(new URL('main.ts', import.meta.url))
  const words = ['--conditions=@x/source', main, '--record', join(main, 'runs.db')]
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' })
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(/^invalid-argument: cannot open the records .*\n$/u)
})

it('runs the same conversation on another server, and shows no key', async () => {
  await using server = await startFakeOpenAI({
    replies: [
      { tool_calls: [{ id: 'c', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } }] },
      'A raincoat. TERMINATE',
    ],
  })
  const { text, events } = await run({ baseUrl: server.url, apiKey: 'sk-canary-1234567890', model: 'm' })
  expect(text).toMatch(/^The model is m, at http/u)
  expect(text).toContain('Answer: A raincoat.')
  expect(server.requests).toHaveLength(2)
  expect(text + JSON.stringify(events)).not.toContain('canary')
})
