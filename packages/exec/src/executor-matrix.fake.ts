import type { CodeBlock, Isolation } from '@x/interfaces'
import { BACKEND_KINDS, type BackendKind, EXECUTORS } from './backend/kinds.ts'
import { createCodeExecutor, type CodeExecutorOptions } from './create-code-executor.ts'
import type { BlockExecutor } from './executor.ts'
import { lendImage } from './wasm/lent-image.fake.ts'

/** Kind of executor in the tests; `quickjs` and `pyodide` are the two engines of `wasm`. */
export type MatrixKind = Exclude<BackendKind, 'wasm'>

/** Kind of executor, and why this machine cannot run it. */
export interface MatrixExecutor {
  readonly kind: MatrixKind
  /** Language of the tests of this kind. */
  readonly language: 'sh' | 'javascript' | 'python'
  /** Why the kind does not work here; null if it does. */
  readonly missing: string | null
  create(options?: CodeExecutorOptions): BlockExecutor
}

const MATRIX_KINDS = BACKEND_KINDS.filter((kind) => kind !== 'wasm')
const WASM_LANGUAGES = { quickjs: 'javascript', pyodide: 'python' } as const

/** Kinds that run command lines: those of the red team. */
export const COMMAND_LINE_KINDS: readonly MatrixKind[] = MATRIX_KINDS.filter((kind) => !isWasm(kind))

/** Kinds of {@link COMMAND_LINE_KINDS} that keep code away from the machine. */
export const ISOLATED_KINDS: readonly MatrixKind[] = COMMAND_LINE_KINDS.filter((kind) => isolationOf(kind) !== 'host')

/** Kinds whose code runs in processes of this machine, beside those in WebAssembly. */
export const MACHINE_KINDS: readonly MatrixKind[] = COMMAND_LINE_KINDS.filter(
  (kind) => isolationOf(kind) !== 'container',
)

/** Kinds of {@link MACHINE_KINDS} that keep code away from the machine. */
export const SANDBOX_KINDS: readonly MatrixKind[] = MACHINE_KINDS.filter((kind) => isolationOf(kind) === 'sandbox')

/** Returns the isolation that a kind promises. */
export function isolationOf(kind: MatrixKind): Isolation {
  return isWasm(kind) ? 'wasm' : EXECUTORS[kind].isolation
}

function isWasm(kind: MatrixKind): kind is keyof typeof WASM_LANGUAGES {
  return kind in WASM_LANGUAGES
}

/**
 * Returns kinds of executors, by default all, each really tried. A kind that does not work here is an error if the environment
 * variable `X_CI_EXPECTS` names it, else it is reported on the console, for the tests that skip it.
 */
export async function executorMatrix(kinds: readonly MatrixKind[] = MATRIX_KINDS): Promise<MatrixExecutor[]> {
  if (kinds.includes('pyodide')) await lendImage()
  const expected = (process.env['X_CI_EXPECTS'] ?? '').split(',')
  return await Promise.all(
    kinds.map(async (kind) => {
      const language = isWasm(kind) ? WASM_LANGUAGES[kind] : 'sh'
      const create = (options: CodeExecutorOptions = {}): BlockExecutor =>
        createCodeExecutor(isWasm(kind) ? 'wasm' : kind, {
          ...(isolationOf(kind) === 'host' && { trust: 'host' }),
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

/** A block of shell code. */
export const sh = (code: string): CodeBlock => ({ language: 'sh', code })

/** A block of Python. */
export const python = (code: string): CodeBlock => ({ language: 'python', code })
