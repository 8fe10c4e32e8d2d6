import { createCustomExecutor } from '@x/exec'
import { codeExecutorContract } from '@x/testing'
import { describe, expect, test } from 'vitest'
import { acme } from './acme.ts'

const settings = { env: { GREETING: 'hello' } }

codeExecutorContract(
  { describe, test, expect },
  {
    create: ({ timeout, outputBytes }) => createCustomExecutor(acme, { timeout, limits: { outputBytes }, settings }),
    language: 'javascript',
    isolation: 'host',
    files: true,
  },
)

test('the code finds its environment and nothing of the program’s, in both kinds of calls', async () => {
  await using executor = createCustomExecutor(acme, { settings })
  const blocks = [{ language: 'js', code: 'console.log(process.env.GREETING, process.env.PATH)' }]
  expect((await executor.executeCodeBlocks(blocks)).output).toBe('hello undefined\n')
  expect(executor.executeCodeBlocksSync(blocks).output).toBe('hello undefined\n')
})

test('a language that Acme lacks is refused with the reason', async () => {
  await using executor = createCustomExecutor(acme, { settings })
  const { exitCode, output } = await executor.executeCodeBlocks([{ language: 'python', code: 'print(1)' }])
  expect([exitCode, output]).toEqual([1, 'cannot run python: Acme runs JavaScript only'])
})
