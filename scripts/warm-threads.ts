/**
 * Runs once before the tests: sources that threads will load are stripped of their types here and kept in Node's compile
 * cache. A thread that strips them itself does so by WebAssembly, which in threads that come and go brings V8 down now
 * and then (docs/decisions/0092-interpreter-processes-are-kept-ready.md).
 */
import { execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { compileCache } from '../vitest.config.ts'
import { root } from './workspace.ts'

const THREADS = '{packages,apps}/*/src/**/*-{worker,thread}.ts'

export default function warmThreads(): void {
  const files = globSync([THREADS, 'packages/*/src/index.ts'], { cwd: root }).map(
    (file) => pathToFileURL(join(root, file)).href,
  )
  // Outside a thread most of them fail, after all they import was loaded.
  const program = `for (const file of ${JSON.stringify(files)}) await import(file).catch(() => {})
process.exit()`
  const flags = ['--conditions=@x/source', '--no-warnings', '--input-type=module', '-e', program]
  execFileSync(process.execPath, flags, {
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache },
    stdio: 'ignore',
    timeout: 60_000,
  })
}
