import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AssistantAgent, tool } from '../../../packages/agent/src/index.ts'
import { openRecords } from '../../../packages/records/src/index.ts'
import { functionModel } from '../../../packages/testing/src/index.ts'
import { root } from '../../workspace.ts'
import { type } from '../transcript.ts'

const cwd = mkdtempSync(join(tmpdir(), 'x-log-'))
const records = openRecords(join(cwd, 'runs.db'))
const call = { id: 'c1', function: { name: 'price', arguments: '{"item":"tea"}' } }
const clerk = new AssistantAgent({
  name: 'clerk',
  silent: true,
  llmConfig: functionModel(
    ({ messages }) => (messages.at(-1)?.role === 'tool' ? 'Tea costs 3 euros.' : { tool_calls: [call] }),
    { usage: [212, 18], cost: 0.0021 },
  ),
})
const guide = new AssistantAgent({
  name: 'guide',
  silent: true,
  llmConfig: functionModel(() => '3 euros', { usage: [90, 4], cost: 0.0004 }),
})
const price = tool({
  name: 'price',
  description: 'The price of an item.',
  parameters: { type: 'object', properties: { item: { type: 'string' } } },
  execute: async ({ item }, { run }) => (await guide.run(`What does ${String(item)} cost?`, { run })).text,
})
await clerk.run('How much is tea?', { tools: price, tracer: records.tagged({ app: 'shop' }) })
records.close()

const x = join(cwd, 'x')
writeFileSync(x, `#!/bin/sh\nexec node --conditions=@x/source ${join(root, 'packages/cli/src/main.ts')} "$@"\n`)
chmodSync(x, 0o755)
process.env['PATH'] = `${cwd}:${process.env['PATH']}`
// Ids and times differ from run to run.
const shown = (text: string): string =>
  text.replaceAll(/(?: ·)? +\d+ ms| · \d+ ms(?= ·)/gu, '').replace(/^run \S+ .*$/mu, 'run 9c1f2b7e-…')
await type('x log show --file runs.db', { cwd, shown })
rmSync(cwd, { recursive: true })
