import { execFile } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { confinedNode } from './confined-node.ts'

vi.setConfig({ testTimeout: 120_000 })

let outside: string
beforeAll(() => {
  outside = mkdtempSync(join(tmpdir(), 'x-realm-'))
})
afterAll(() => rmSync(outside, { recursive: true }))

const realm = new URL('./python-realm.ts', import.meta.url).href
const pyodide = realpathSync(dirname(createRequire(import.meta.url).resolve('pyodide/package.json')))

/** Runs a script as the process of Python's is run; gives what it wrote. */
async function confined(script: string): Promise<string> {
  const file = join(outside, 'attack.mjs')
  writeFileSync(
    file,
    `import { writeSync } from 'node:fs'
const out = (name, value) => writeSync(1, name + ': ' + value + '\\n')
const { emptyProcess } = await import(${JSON.stringify(realm)})
const { limitFiles } = await import(${JSON.stringify(new URL('./python-files.ts', import.meta.url).href)})
const newRealm = await emptyProcess(${JSON.stringify(pyodide)}, () => {})
${script}`,
  )
  const flags = ['--experimental-vm-modules', '--frozen-intrinsics']
  const [node, ...args] = confinedNode(file, [pyodide, dirname(fileURLToPath(realm))], flags)
  const { stdout } = await promisify(execFile)(node, args, { env: {}, cwd: outside })
  return stdout
}

/** Attempts that need no name of Node; each gives `GAVE` where it got something. */
const ATTEMPTS = `
const attempt = async (name, work) => {
  try { const value = await work(); out(name, value === undefined ? 'nothing' : 'GAVE ' + String(value)) } catch (error) { out(name, error.name) }
}
await attempt('process', () => process)
await attempt('eval', () => eval('1'))
await attempt('constructor', () => (() => {}).constructor('return 7')())
await attempt('async constructor', () => (async () => {}).constructor('return 7')())
await attempt('generator constructor', () => (function* () {}).constructor('yield 7')().next())
for (const name of ['node:fs', 'node:child_process', 'node:net', 'node:sqlite', 'node:worker_threads', 'node:inspector', 'node:vm', 'node:module', 'data:text/javascript,1', ${JSON.stringify(pathToFileURL(process.execPath).href)}, ${JSON.stringify(realm)}]) {
  await attempt('import ' + name.split(':')[1].slice(0, 15), () => import(name).then(() => 7))
}
await attempt('frames', () => {
  Error.prepareStackTrace = (_, frames) => frames
  return typeof new Error('x').stack === 'string' ? undefined : 7
})
`

// What no trick of Python's could do better.
it('leaves no power in the process, for JavaScript that got out of its realm', async () => {
  const said = await confined(`
out('globals', Reflect.ownKeys(globalThis).filter((key) => typeof key === 'symbol' || /^[a-z]/.test(key)).map(String).sort().join(' '))
${ATTEMPTS}
await attempt('a prototype that changes', () => {
  Object.prototype.zzz = 7
  return {}.zzz
})
await attempt('a method that changes', () => {
  Uint8Array.prototype.set = () => 7
  return new Uint8Array(1).set([1])
})`)
  expect(said).not.toContain('GAVE')
  expect(said).toContain('a method that changes')
  expect(/^globals: (?<names>.*)$/mu.exec(said)?.groups?.['names']).toBe(
    'console decodeURI decodeURIComponent encodeURI encodeURIComponent escape eval globalThis isFinite isNaN parseFloat parseInt undefined unescape',
  )
})

it('leaves no power in a realm', async () => {
  const said = await confined(`
const its = newRealm()
const attack = its.run(${JSON.stringify(`async (out) => {${ATTEMPTS}
await attempt('timer', () => setTimeout(() => {}, 0).constructor.constructor('return 7')())
await attempt('text of a timer', () => setTimeout('1'))
for (const name of ['clearTimeout', 'setTimeout', 'TextDecoder', 'TextEncoder', 'URL', 'fetch']) {
  await attempt(name, () => globalThis[name].constructor('return 7')())
}
await attempt('an asset', () => fetch('file:///etc/passwd'))
}`)})
await attack(its.run('(out) => (name, value) => out(String(name), String(value))')(out))`)
  expect(said).not.toContain('GAVE')
  expect(said).toContain('an asset: Error')
})

it('lets no object of the process into a realm, before and after Python is loaded', async () => {
  const walk = `() => {
  const foreign = []
  const seen = new Set()
  const left = [['globalThis', globalThis]]
  const caught = (work) => { try { work() } catch (error) { left.push([String(work), error]) } }
  caught(() => crypto.getRandomValues({}))
  caught(() => new TextDecoder('no such').decode(new Uint8Array(1)))
  caught(() => new TextDecoder().decode({}))
  caught(() => new TextEncoder().encodeInto('a', {}))
  caught(() => new URL('::'))
  caught(() => setTimeout(1))
  left.push(['timer', setTimeout(() => {}, 0)], ['bytes', new TextEncoder().encode('ä')], ['address', new URL('http://a/')])
  for (const [path, value] of left) {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) continue
    seen.add(value)
    let top = value
    while (Object.getPrototypeOf(top) !== null) top = Object.getPrototypeOf(top)
    if (!(top instanceof Object) && top !== Object.prototype && 'hasOwnProperty' in top) foreign.push(path)
    left.push([path + '.__proto__', Object.getPrototypeOf(value)])
    // Of bytes only what they are.
    if (ArrayBuffer.isView(value)) continue
    for (const key of Reflect.ownKeys(value)) {
      const { value: own, get, set } = Object.getOwnPropertyDescriptor(value, key) ?? {}
      for (const next of [own, get, set]) left.push([path + '.' + String(key), next])
    }
  }
  return JSON.stringify({ foreign, walked: seen.size > 500 })
}`
  const said = await confined(`
const its = newRealm()
const look = its.run(${JSON.stringify(walk)})
out('before', look())
const { python } = await its.load({ env: {} })
limitFiles(python.FS, { fileBytes: 1, workspaceBytes: 1, workspaceEntries: 1 }, its.wrap)
its.run('(python) => { globalThis.python = python }')(python)
out('after', look())`)
  const empty = JSON.stringify({ foreign: [], walked: true })
  expect(said).toBe(`before: ${empty}\nafter: ${empty}\n`)
})
