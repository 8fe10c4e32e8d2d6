import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'

const PAGE = readFileSync(new URL('../../../docs/code-on-each-system.md', import.meta.url), 'utf8')

/** Systems of the page, by `process.platform`. */
const SYSTEMS: readonly (readonly [platform: NodeJS.Platform, title: string])[] = [
  ['darwin', 'macOS'],
  ['win32', 'Windows'],
]

/** Outcome of a kind for a language where no engine for containers runs: the isolation of the code, or the refusal. */
const OUTCOMES: readonly (readonly [kind: string, language: string, outcome: RegExp])[] = [
  ['auto', 'js', /^wasm ran$/u],
  ['auto', 'sh', /^no-sandbox .*needs Linux.*trust: 'host'/u],
  ['auto', 'pwsh', /^no-sandbox .*needs Linux.*trust: 'host'/u],
  ['wasm', 'js', /^wasm ran$/u],
  ['wasm', 'sh', /^saved unknown language sh/u],
  ['sandbox', 'js', /^no-sandbox .*needs Linux/u],
  ['bubblewrap', 'sh', /^no-sandbox .*needs Linux/u],
  ['unshare', 'python', /^no-sandbox .*needs Linux/u],
  ['container', 'sh', /^no-sandbox /u],
]

/** Code that leaves a file if it gets at the machine. */
const CODE: Readonly<Record<string, string>> = {
  js: 'console.log("ran")',
  sh: 'echo ran > ran',
  pwsh: 'echo ran > ran',
  python: 'open("ran", "w")',
}

const home = mkdtempSync(join(tmpdir(), 'x-platform-'))
afterAll(() => rmSync(home, { recursive: true }))

/** Asks every kind of {@link OUTCOMES} on a system, which a machine with Linux imitates in a process. */
async function outcomesOn(platform: NodeJS.Platform): Promise<string[]> {
  const script = `Object.defineProperty(process, 'platform', { value: ${JSON.stringify(platform)} })
const { createCodeExecutor } = await import(${JSON.stringify(new URL('./index.ts', import.meta.url).href)})
const outcomes = []
for (const [kind, language, code] of ${JSON.stringify(OUTCOMES.map(([kind, language]) => [kind, language, CODE[language]]))}) {
  const executor = createCodeExecutor(kind, { hostEnv: { PATH: process.env.PATH, DOCKER_HOST: 'tcp://nowhere' } })
  try {
    const { output, blocks } = await executor.executeCodeBlocks([{ language, code }])
    outcomes.push((blocks[0]?.isolation ?? 'saved') + ' ' + output.trim())
  } catch (error) {
    outcomes.push(error.code + ' ' + error.message.replaceAll('\\n', ' '))
  } finally { await executor.close() }
}
console.log(JSON.stringify(outcomes))`
  const args = ['--conditions=@x/source', '--input-type=module', '-e', script]
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: home,
    env: { ...process.env, TEMP: tmpdir() },
  })
  return JSON.parse(stdout) as string[]
}

const here = SYSTEMS.filter(([platform]) => process.platform === 'linux' || process.platform === platform)
describe.each(here)('code on %s', (platform, title) => {
  it('runs isolated or not at all, and the refusal says what to do', async () => {
    const outcomes = await outcomesOn(platform)
    for (const [index, [kind, language, expected]] of OUTCOMES.entries()) {
      expect(outcomes[index], `${kind}, ${language}`).toMatch(expected)
    }
    expect(readdirSync(home)).toEqual([])
  })

  it('is described, kind by kind', () => {
    const section = PAGE.split(/^## /mu).find((each) => each.startsWith(title))!
    for (const [kind] of OUTCOMES) expect(section).toContain(`| \`${kind}\``)
  })
})
