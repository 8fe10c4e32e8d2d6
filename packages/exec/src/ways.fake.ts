import { createCodeExecutor, type CodeExecutorOptions, type ExecutorKind } from './create-code-executor.ts'
import type { BlockExecutor } from './executor.ts'

/** A way to run code that this machine has, or why it has it not. */
export interface Way {
  readonly kind: Exclude<ExecutorKind, 'auto' | 'sandbox'>
  /** Null when it works here. */
  readonly missing: string | null
  create(options?: CodeExecutorOptions): BlockExecutor
}

const KINDS = ['local', 'bubblewrap', 'unshare', 'wasm', 'container'] as const

/**
 * All ways to run code, each really tried. What the environment's `X_CI_EXPECTS` names and is missing is an error; other
 * missing ones are told on the console, for the tests that skip them.
 */
export async function ways(): Promise<Way[]> {
  const expected = (process.env['X_CI_EXPECTS'] ?? '').split(',')
  return await Promise.all(
    KINDS.map(async (kind) => {
      const create = (options: CodeExecutorOptions = {}): BlockExecutor =>
        createCodeExecutor(kind, {
          ...(kind === 'local' && { trust: 'host' }),
          image: process.env['X_EXEC_IMAGE'],
          ...options,
        })
      const missing = await faultOf(create(), kind === 'wasm' ? 'javascript' : 'sh')
      if (missing !== null && expected.includes(kind)) throw new Error(`CI expects ${kind}: ${missing}`)
      if (missing !== null) console.warn(`skipped: ${kind}: ${missing}`)
      return { kind, missing, create }
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
