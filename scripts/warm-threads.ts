/**
 * Runs once before the tests: strips the types of sources that threads will load, and keeps the result in Node's compile
 * cache. A thread would strip types by WebAssembly, which sometimes crashes V8 when threads start and end often
 * (docs/decisions/0092-interpreter-processes-are-kept-ready.md).
 */
import { execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { compileCache } from '../vitest.config.ts'
import { root } from './workspace.ts'

const THREAD_FILES = '{packages,apps}/*/src/**/*-{worker,thread}.ts'

export default function warmThreads(): void {
  const files = globSync([THREAD_FILES, 'packages/*/src/index.ts'], { cwd: root }).map(
    (file) => pathToFileURL(join(root, file)).href,
  )
  // Most of them fail outside a thread, but only after their imports have been loaded.
  const program = `for (const file of ${JSON.stringify(files)}) await import(file).catch(() => {})
process.exit()`
  const flags = ['--conditions=@x/source', '--no-warnings', '--input-type=module', '-e', program]
  execFileSync(process.execPath, flags, {
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache },
    stdio: 'ignore',
    timeout: 60_000,
  })
}
