/**
 * Runs the programs under `examples/` without API keys, as a newcomer would. Those that have a picture are run by
 * `pnpm pictures --check`, in the same way.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { PROGRAMS } from './pictures/programs.ts'
import { root } from './workspace.ts'

const pictured = new Set(Object.values(PROGRAMS).map(({ program }) => program))
const examples = ['', 'ports/']
  .flatMap((folder) =>
    readdirSync(join(root, 'examples', folder)).flatMap((file) => (file.endsWith('.ts') ? [`${folder}${file}`] : [])),
  )
  .filter((file) => !pictured.has(`examples/${file}`))
// Programs leave files behind, such as a cache, that do not belong in the repository.
const folder = mkdtempSync(join(tmpdir(), 'examples-'))
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.endsWith('_API_KEY')))
// Types are stripped from the sources once, not once for each program.
env['NODE_COMPILE_CACHE'] = join(folder, 'compile-cache')
try {
  // Many of them wait most of the time.
  await Promise.all([runWaiting(), runWaiting()])
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function runWaiting(): Promise<void> {
  for (let file = examples.shift(); file !== undefined; file = examples.shift()) {
    const cwd = mkdtempSync(join(folder, 'program-'))
    const args = [...process.execArgv, join(root, 'examples', file)]
    try {
      await promisify(execFile)(process.execPath, args, { cwd, env, timeout: 180_000 })
      console.log(`ran ${file}`)
    } catch (error) {
      const { stdout, stderr } = error as { stdout: string; stderr: string }
      console.error(`\`examples/${file}\` failed:\n${stdout}${stderr}`)
      process.exitCode = 1
    }
  }
}
