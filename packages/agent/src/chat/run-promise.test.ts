import { execFile } from 'node:child_process'
import { setImmediate as tick } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { functionModel } from '@x/testing'
import { expect, it } from 'vitest'
import { createAgent } from '../index.ts'

const PROGRAM = `
import { createAgent } from '@x/agent'
import { scriptedModel } from '@x/testing'
const agent = createAgent({ name: 'clerk', model: scriptedModel(['x'], { repeatLast: true }), silent: true })
`

/** Runs the end of a program in a process of its own, and returns what it prints. */
async function printed(end: string): Promise<string> {
  const args = ['--conditions=@x/source', '--input-type=module', '-e', PROGRAM + end]
  const cwd = fileURLToPath(new URL('.', import.meta.url))
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd })
  return stdout + stderr
}

it.each([
  ['is warned of, once for each agent', "agent.run('one'); agent.run('two')", 1],
  [
    'is nothing to warn of if it is awaited later',
    "const run = agent.run('one'); await agent.run('two'); await run",
    0,
  ],
  ['is nothing to warn of in a list', "await Promise.all([agent.run('one'), agent.run('two')])", 0],
])('a run that nobody awaits %s', async (_, end, times) => {
  const text = await printed(end)
  expect(text.match(/the result of a run was lost/gu)?.length ?? 0).toBe(times)
  if (times > 0) expect(text).toContain('await clerk.run(…)')
})

it('an error of a run names the function that asked', async () => {
  const model = functionModel(async () => {
    await tick()
    throw new Error('down')
  })
  const agent = createAgent({ name: 'clerk', model })
  async function answerTheCustomer(): Promise<string> {
    return (await agent.run('one')).text
  }
  const error: unknown = await answerTheCustomer().catch((reason: unknown) => reason)
  expect((error as Error).stack).toContain('answerTheCustomer')
})
