import { createCodeExecutor, type CodeExecutorOptions } from './create-code-executor.ts'
import type { BlockExecutor } from './executor.ts'
import { lendImage } from './wasm/lent-image.fake.ts'

/** Kind of executor in the tests; `quickjs` and `pyodide` are the two engines of `wasm`. */
export type MatrixKind = (typeof MATRIX_KINDS)[number]

/** Kind of executor, and why this machine cannot run it. */
export interface MatrixExecutor {
  readonly kind: MatrixKind
  /** Language of the tests of this kind. */
  readonly language: 'sh' | 'javascript' | 'python'
  /** Why the kind does not work here; null if it does. */
  readonly missing: string | null
  create(options?: CodeExecutorOptions): BlockExecutor
}

const MATRIX_KINDS = ['local', 'bubblewrap', 'unshare', 'quickjs', 'pyodide', 'container'] as const
const WASM_LANGUAGES = { quickjs: 'javascript', pyodide: 'python' } as const

/**
 * Returns kinds of executors, by default all, each really tried. A kind that does not work here is an error if the environment
 * variable `X_CI_EXPECTS` names it, else it is reported on the console, for the tests that skip it.
 */
export async function executorMatrix(kinds: readonly MatrixKind[] = MATRIX_KINDS): Promise<MatrixExecutor[]> {
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
