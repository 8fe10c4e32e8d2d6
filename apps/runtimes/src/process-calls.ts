import { createCodeExecutor } from '@x/exec'
import type { CodeResult } from '@x/interfaces'
import { createDiskCache } from '@x/model'
import { answeredOnce, differs, modelAt, type Trial, type Trials } from './first-calls.ts'

/** Further tries, which have to work in a process of Node, Bun or Deno. */
export const PROCESS_CALLS: Trials = [
  [
    'a blocking call',
    async (url) => {
      const { choices } = modelAt(url, {})
        .createModel()
        .createSync({ messages: [{ role: 'user', content: 'block' }] })
      return differs(choices[0]?.message.content, /^Answer \d+$/u)
    },
  ],
  ['a cache on disk', async (url) => await answeredOnce(url, { cache: createDiskCache({ dir: '.cache-of-trial' }) })],
  ['JavaScript by QuickJS', prints('javascript', 'console.log(6 * 7)')],
  ['TypeScript by QuickJS', prints('typescript', 'enum A { b = 41 }\nconst n: number = A.b + 1\nconsole.log(n)')],
  [
    'QuickJS in a blocking call',
    () => prints42((executor) => executor.executeCodeBlocksSync([{ language: 'javascript', code: 'console.log(42)' }])),
  ],
]

/** Runs a code that shall print 42. */
function prints(language: string, code: string): Trial {
  return () => prints42((executor) => executor.executeCodeBlocks([{ language, code }]))
}

async function prints42(run: (executor: Executor) => CodeResult | Promise<CodeResult>): Promise<string | undefined> {
  const executor = createCodeExecutor('wasm', { timeout: 20 })
  try {
    const { exitCode, output } = await run(executor)
    return differs(`${exitCode} ${output.trim()}`, /^0 42$/u)
  } finally {
    await executor.close()
  }
}

type Executor = ReturnType<typeof createCodeExecutor>
