import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'

// Machines that lack something: programs are covered in a view of the files that only the child has. `unshare` cannot
// show what is covered so; that it stands in for bubblewrap is tested with the choice itself.
const programs = ['/usr/bin/unshare', '/usr/bin/bwrap', '/usr/bin/python3']
const why =
  process.platform !== 'linux' || process.getuid?.() !== 0
    ? 'covering programs needs root on Linux'
    : (programs.find((program) => !existsSync(program)) ?? null)
if (why !== null) console.warn(`skipped: machines that lack something: ${why}`)

const home = mkdtempSync(join(tmpdir(), 'x-machine-'))
afterAll(() => rmSync(home, { recursive: true }))

/** What `auto` comes to for a language on this machine without some of its programs and without an engine. */
async function outcome(covered: readonly string[], language: string, code: string): Promise<string> {
  const script = `const { createCodeExecutor } = await import(${JSON.stringify(new URL('./index.ts', import.meta.url).href)})
const executor = createCodeExecutor('auto', { hostEnv: { PATH: '', DOCKER_HOST: 'tcp://nowhere' } })
try {
  const { output, blocks } = await executor.executeCodeBlocks([{ language: ${JSON.stringify(language)}, code: ${JSON.stringify(code)} }])
  console.log(blocks[0].isolation, output.trim())
} catch (error) {
  console.log(error.code, error.message)
} finally { await executor.close() }`
  const cover = `for program in ${covered.map((path) => realpathSync(path)).join(' ')}; do mount --bind /dev/null "$program"; done; exec "$@"`
  const { stdout } = await promisify(execFile)('unshare', [
    ...['--mount', '--propagation', 'private', '--', 'sh', '-c', cover, 'sh'],
    ...[process.execPath, '--conditions=@x/source', '--input-type=module', '-e', script],
  ])
  return stdout.trim()
}

const [unshare, bwrap, python3] = programs as [string, string, string]
describe.skipIf(why !== null)('a machine', () => {
  it.each([
    ['with everything', [], 'sh', 'echo ran', /^sandbox ran$/u],
    ['without Python', [python3], 'python', 'print("ran")', /^wasm ran$/u],
    ['without a sandbox', [bwrap, unshare], 'python', 'print("ran")', /^wasm ran$/u],
    ['without a sandbox', [bwrap, unshare], 'js', 'console.log("ran")', /^wasm ran$/u],
  ])('%s: %j, %s', async (_, covered, ...[language, code, expected]) => {
    expect(await outcome(covered, language, code)).toMatch(expected)
  })

  it('without a sandbox never runs a shell on itself, and says what would help', async () => {
    const said = await outcome([bwrap, unshare], 'sh', `echo 1 > ${home}/ran`)
    expect(said).toMatch(/^no-sandbox .*install bubblewrap.*Docker or Podman.*npm i pyodide.*trust: 'host'/u)
    expect(existsSync(join(home, 'ran'))).toBe(false)
  })
})
