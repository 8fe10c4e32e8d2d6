import { createCodeExecutor, type CodeExecutorOptions } from './create-code-executor.ts'
import type { BlockExecutor } from './executor.ts'

/** A way to run code that this machine has, or why it has it not. */
export interface Way {
  readonly kind: (typeof KINDS)[number]
  /** Language that its tests are written in. */
  readonly language: 'sh' | 'javascript' | 'python'
  /** Null when it works here. */
  readonly missing: string | null
  create(options?: CodeExecutorOptions): BlockExecutor
}

/** `quickjs` and `pyodide` are the two engines of `wasm`. */
const KINDS = ['local', 'bubblewrap', 'unshare', 'quickjs', 'pyodide', 'container'] as const
const LANGUAGES = { quickjs: 'javascript', pyodide: 'python' } as const

/**
 * All ways to run code, each really tried. What the environment's `X_CI_EXPECTS` names and is missing is an error; other
 * missing ones are told on the console, for the tests that skip them.
 */
export async function ways(): Promise<Way[]> {
  const expected = (process.env['X_CI_EXPECTS'] ?? '').split(',')
  return await Promise.all(
    KINDS.map(async (kind) => {
      const language = kind === 'quickjs' || kind === 'pyodide' ? LANGUAGES[kind] : 'sh'
      const create = (options: CodeExecutorOptions = {}): BlockExecutor =>
        createCodeExecutor(kind === 'quickjs' || kind === 'pyodide' ? 'wasm' : kind, {
          ...(kind === 'local' && { trust: 'host' }),
          image: process.env['X_EXEC_IMAGE'],
          ...options,
        })
      const missing = await faultOf(create(), language)
      if (missing !== null && expected.includes(kind)) throw new Error(`CI expects ${kind}: ${missing}`)
      if (missing !== null) console.warn(`skipped: ${kind}: ${missing}`)
      return { kind, language, missing, create }
    }),
  )
}

async function faultOf(executor: BlockExecutor, language: string): Promise<string | null> {
  try {
    const { exitCode, output } = await executor.executeCodeBlocks([{ language, code: language === 'sh' ? ':' : '' }])
    return exitCode === 0 ? null : output
  } catch (error) {
    return (error as Error).message
  } finally {
    await executor.close()
  }
}
