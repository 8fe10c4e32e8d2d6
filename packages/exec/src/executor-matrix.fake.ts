import { createCodeExecutor, type CodeExecutorOptions } from './create-code-executor.ts'
import type { BlockExecutor } from './executor.ts'
import { lendImage } from './wasm/lent-image.fake.ts'

/** Name of a way to run code; `quickjs` and `pyodide` are the two engines of `wasm`. */
export type WayKind = (typeof MATRIX_KINDS)[number]

/** A way to run code that this machine has, or why it has it not. */
export interface Way {
  readonly kind: WayKind
  /** Language that its tests are written in. */
  readonly language: 'sh' | 'javascript' | 'python'
  /** Null when it works here. */
  readonly missing: string | null
  create(options?: CodeExecutorOptions): BlockExecutor
}

const MATRIX_KINDS = ['local', 'bubblewrap', 'unshare', 'quickjs', 'pyodide', 'container'] as const
const WASM_LANGUAGES = { quickjs: 'javascript', pyodide: 'python' } as const

/**
 * Returns ways to run code, all unless told which, each really tried. What the environment's `X_CI_EXPECTS` names and is missing is an error; other
 * missing ones are told on the console, for the tests that skip them.
 */
export async function ways(kinds: readonly WayKind[] = MATRIX_KINDS): Promise<Way[]> {
  if (kinds.includes('pyodide')) await lendImage()
  const expected = (process.env['X_CI_EXPECTS'] ?? '').split(',')
  return await Promise.all(
    kinds.map(async (kind) => {
      const language = kind === 'quickjs' || kind === 'pyodide' ? WASM_LANGUAGES[kind] : 'sh'
      const create = (options: CodeExecutorOptions = {}): BlockExecutor =>
        createCodeExecutor(kind === 'quickjs' || kind === 'pyodide' ? 'wasm' : kind, {
          ...(kind === 'local' && { trust: 'host' }),
          image: process.env['X_EXEC_IMAGE'],
          runtime: process.env['X_EXEC_RUNTIME'],
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
