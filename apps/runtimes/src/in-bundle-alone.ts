import { createCodeExecutor } from '@x/exec'
import { codeOf, FIRST_CALLS } from './first-calls.ts'
import { NO_THREADS } from './refusals.ts'
import { tryAll } from './try-all.ts'

const runCode = async (): Promise<unknown> => {
  const executor = createCodeExecutor('wasm', { timeout: 20 })
  return await executor.executeCodeBlocks([{ language: 'javascript', code: 'console.log(6 * 7)' }])
}

const rows = await tryAll(
  [...FIRST_CALLS, ...NO_THREADS, ['QuickJS is refused', () => codeOf(runCode, /^invalid-state$/u)]],
  process.argv[2]!,
)
console.log(`\n${JSON.stringify(rows)}`)
