import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it, vi } from 'vitest'

// Some load Python in WebAssembly, which is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

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

/** Runs a program on this machine without some of its programs; gives what it prints. */
async function without(covered: readonly string[], script: string): Promise<string> {
  const cover = `for program in ${covered.map((path) => realpathSync(path)).join(' ')}; do mount --bind /dev/null "$program"; done; exec "$@"`
  // A session of its own: a program that ends its own group must not take this one along.
  const { stdout } = await promisify(execFile)('setsid', [
    ...['--wait', 'unshare', '--mount', '--propagation', 'private', '--', 'sh', '-c', cover, 'sh'],
    ...[process.execPath, '--conditions=@x/source', '--input-type=module', '-e', script],
  ])
  return stdout.trim()
}

/** What `auto` comes to for a language on this machine without some of its programs and without an engine. */
async function outcome(covered: readonly string[], language: string, code: string): Promise<string> {
  const script = `const { createCodeExecutor } = await import(${JSON.stringify(new URL('./index.ts', import.meta.url).href)})
const { borrowImage } = await import(${JSON.stringify(new URL('./wasm/lent-image.fake.ts', import.meta.url).href)})
borrowImage()
const executor = createCodeExecutor('auto', { hostEnv: { PATH: '', DOCKER_HOST: 'tcp://nowhere' } })
try {
  const { output, blocks } = await executor.executeCodeBlocks([{ language: ${JSON.stringify(language)}, code: ${JSON.stringify(code)} }])
  console.log(blocks[0].isolation, output.trim())
} catch (error) {
  console.log(error.code, error.message)
} finally { await executor.close() }`
  return await without(covered, script)
}

const [unshare, bwrap, python3] = programs as [string, string, string]
describe.skipIf(why !== null)('a machine', () => {
  it.concurrent.each([
    ['with everything', [], 'sh', 'echo ran', /^sandbox ran$/u],
    ['without Python', [python3], 'python', 'print("ran")', /^wasm ran$/u],
    ['without a sandbox', [bwrap, unshare], 'js', 'console.log("ran")', /^wasm ran$/u],
  ])('%s: %j, %s', async (_, covered, ...[language, code, expected]) => {
    expect(await outcome(covered, language, code)).toMatch(expected)
  })

  it.concurrent('without `unshare` kills none of its own processes when it makes work directories', async () => {
    const script = `const { holdWorkspace } = await import(${JSON.stringify(new URL('./backend/workspace.ts', import.meta.url).href)})
for (let round = 0; round < 60; round++) holdWorkspace(${JSON.stringify(home)}, { workspaceBytes: 1e6, workspaceEntries: 10 }).release()
console.log('lives')`
    expect(await without([unshare], script)).toBe('lives')
  })

  it.concurrent('without a sandbox never runs a shell on the host, and names the remedies', async () => {
    const said = await outcome([bwrap, unshare], 'sh', `echo 1 > ${home}/ran`)
    expect(said).toMatch(/^no-sandbox .*install bubblewrap.*Docker or Podman.*npm i pyodide.*trust: 'host'/u)
    expect(existsSync(join(home, 'ran'))).toBe(false)
  })
})
