import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { executorMatrix, SANDBOX_KINDS } from '../executor-matrix.fake.ts'

// Each starts programs of its own, several of them.
vi.setConfig({ testTimeout: 120_000 })

// What code sees of a machine whose user lives or works among the system's own directories.
const AMONG = '/usr/share/doc'
const root = process.getuid?.() === 0
const planted = root ? ['/usr/src/x-exec-test', '/usr/local/etc/x-exec-test', '/usr/local/lib/x-exec-test'] : []
let home: string
beforeAll(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'x-home-')))
  chmodSync(home, 0o755)
  for (const place of planted) {
    mkdirSync(place, { recursive: true })
    writeFileSync(join(place, '.env'), 'canary')
  }
})
afterAll(() => {
  for (const place of [home, ...planted]) rmSync(place, { recursive: true })
})

const index = JSON.stringify(new URL('../index.ts', import.meta.url).href)

const environment = (HOME: string): NodeJS.ProcessEnv => ({
  PATH: '/usr/bin:/bin',
  TMPDIR: tmpdir(),
  HOME,
  // Without it, each program takes the types out of its sources anew.
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
})

/** What a shell prints in a sandbox that a program starts in some directory, with some home. */
function said(
  kind: string,
  code: string,
  { cwd, HOME = home, options = {} }: { cwd: string; HOME?: string; options?: object },
): string {
  const script = `const { createCodeExecutor } = await import(${index})
const executor = createCodeExecutor('${kind}', ${JSON.stringify(options)})
try {
  const { output } = await executor.executeCodeBlocks([${JSON.stringify({ language: 'sh', code })}])
  process.stdout.write(output)
} finally { await executor.close() }`
  const flags = ['--conditions=@x/source', '--input-type=module', '-e', script]
  return execFileSync(process.execPath, flags, {
    cwd,
    encoding: 'utf8',
    env: environment(HOME),
  })
}

const matrix = await executorMatrix(SANDBOX_KINDS)
describe.each(matrix)('$kind shows', ({ kind, missing, create }) => {
  const test = it.skipIf(missing !== null)

  test('only programs and what they read', async () => {
    await using executor = create()
    const { output } = await executor.executeCodeBlocks([{ language: 'sh', code: 'ls / /usr /usr/local /etc' }])
    const names = new Set(output.split(/\s+/u).filter((name) => name !== '' && !name.endsWith(':')))
    for (const name of ['src', 'games', 'home', 'root', 'var', 'opt', 'passwd', 'hostname', 'local/etc', 'man']) {
      expect([name, names.has(name)]).toEqual([name, false])
    }
    expect(names).toContain('lib')
  })

  it.skipIf(missing !== null || !existsSync(AMONG) || readdirSync(AMONG).length === 0)(
    'no working directory and no home, wherever they lie',
    () => {
      expect(said(kind, `ls ${AMONG} | wc -l; ls /usr/share | grep -c doc`, { cwd: '/' })).not.toMatch(/^0/u)
      expect(said(kind, `ls ${AMONG} | wc -l`, { cwd: AMONG })).toBe('0\n')
      expect(said(kind, `ls ${AMONG} | wc -l`, { cwd: '/', HOME: AMONG })).toBe('0\n')
      // By whatever link.
      symlinkSync(AMONG, join(home, kind))
      expect(said(kind, `ls ${AMONG} | wc -l`, { cwd: '/', HOME: join(home, kind) })).toBe('0\n')
      // One that holds all programs is no reason to show none.
      for (const cwd of ['/', '/usr/lib']) expect(said(kind, 'echo ran', { cwd, HOME: cwd })).toBe('ran\n')
    },
  )

  it.skipIf(missing !== null || !root)('no settings of an application among the system’s own directories', () => {
    const reading = `cat ${planted.map((place) => `${place}/.env`).join(' ')} 2>/dev/null; echo end`
    expect(said(kind, reading, { cwd: '/usr/local/lib/x-exec-test' })).toBe('end\n')
    // A work directory is a place too.
    const workDir = '/usr/local/lib/x-exec-test'
    const options = { workDir }
    expect(said(kind, `cat ${workDir}/.env 2>/dev/null; echo end`, { cwd: '/', options })).toBe('end\n')
  })

  test.each([
    ['~/.local/bin', '.local/bin', 'home', '.local/share/keyrings/login'],
    ['bin of a home that is a link', 'bin', 'linked', '.ssh/id'],
    ['bin of a home by another way', 'bin', 'home', '.ssh/id'],
    ['~/.local by another name', 'tools/bin', 'home', '.local/share/secret'],
  ])('no home by an interpreter in %s', (_, bin, as, secret) => {
    const place = mkdtempSync(join(home, 'h-'))
    chmodSync(place, 0o755)
    const real = join(place, 'real')
    mkdirSync(join(real, dirname(secret)), { recursive: true })
    writeFileSync(join(real, secret), 'canary')
    if (bin === 'tools/bin') symlinkSync('.local', join(real, 'tools'))
    const directory = bin === 'tools/bin' ? '.local/bin' : bin
    mkdirSync(join(real, directory), { recursive: true })
    writeFileSync(
      join(real, directory, 'pwsh'),
      '#!/bin/sh\nfor last; do :; done\n[ "$last" = exit ] && exit 0\nexec sh "$last"\n',
      { mode: 0o755 },
    )
    symlinkSync(real, join(place, 'linked'))
    const HOME = as === 'linked' ? join(place, 'linked') : real
    const options = { hostEnv: { PATH: `${join(place, 'linked', bin)}:/usr/bin` } }
    const script = `cat ${join(real, secret)} ${join(HOME, secret)} 2>/dev/null; echo end`
    const code = `const { createCodeExecutor } = await import(${index})
const executor = createCodeExecutor('${kind}', ${JSON.stringify(options)})
const { output } = await executor.executeCodeBlocks([{ language: 'pwsh', code: ${JSON.stringify(script)} }])
console.log(output)
await executor.close()`
    const flags = ['--conditions=@x/source', '--input-type=module', '-e', code]
    const output = execFileSync(process.execPath, flags, {
      cwd: '/',
      encoding: 'utf8',
      env: environment(HOME),
    })
    expect(output).toContain('to code: it lies at')
    expect(output).not.toContain('canary')
  })
})
