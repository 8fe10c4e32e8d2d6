/**
 * Makes the pictures of programs in `docs/pictures`.
 *
 *   pnpm pictures            makes all of them
 *   pnpm pictures --check    fails for one that is not as its program is now
 *
 * A picture is made from what a program prints without a key, so it is the same on every machine. The picture of the page of a
 * search depends on the fonts of a machine: it is made anew, by Chromium, when the words of the search have changed.
 */
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { PROGRAMS } from './pictures/programs.ts'
import { terminalPicture } from './pictures/terminal.ts'
import { root } from './workspace.ts'

const PICTURES = join(root, 'docs/pictures')
/** Time that a program may take, on a busy machine. */
const TIMEOUT_MS = 180_000
const check = process.argv.includes('--check')
const cache = mkdtempSync(join(tmpdir(), 'pictures-'))
/** The outputs of programs, each of which runs once for all its pictures. */
const outputs = new Map<string, Promise<string>>()
const waiting = Object.entries(PROGRAMS)
try {
  await Promise.all(Array.from({ length: availableParallelism() }, makeWaiting))
  await makeSearchPage()
} finally {
  rmSync(cache, { recursive: true })
}

/** Makes or compares pictures until none is left. */
async function makeWaiting(): Promise<void> {
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const [name, { title, command, program, part = (lines: readonly string[]) => lines }] = next
    const output = outputs.get(program) ?? run([program])
    outputs.set(program, output)
    const lines = part((await output).split('\n'))
    const picture = terminalPicture({ title, lines: command ? [`$ ${command}`, '', ...lines] : lines })
    if (!isCurrent(name, picture) && !check) writeFileSync(join(PICTURES, name), picture)
  }
}

/** Makes or compares the picture of the page that `x reason --html` writes, with what the command prints beside it. */
async function makeSearchPage(): Promise<void> {
  const page = join(cache, 'tree.html')
  const task = join(root, 'packages/cli/src/coins.fake.ts')
  const printed = await run(['packages/cli/src/main.ts', 'reason', '30', '--task', task, '--html', page])
  if (isCurrent('search-page.txt', `${printed}\n`) || check) return
  const file = join(PICTURES, 'search-page.png')
  const options = ['--headless', '--no-sandbox', '--hide-scrollbars', '--window-size=900,470', `--screenshot=${file}`]
  await promisify(execFile)(process.env['X_CHROMIUM'] ?? '/usr/bin/chromium', [...options, pathToFileURL(page).href])
  writeFileSync(join(PICTURES, 'search-page.txt'), `${printed}\n`)
}

/** Says whether a file of `docs/pictures` has these contents; with `--check` another one fails. */
function isCurrent(name: string, contents: string): boolean {
  const file = join(PICTURES, name)
  if (existsSync(file) && readFileSync(file, 'utf8') === contents) return true
  if (check) {
    console.error(`docs/pictures/${name} is not what its program prints: run \`pnpm pictures\``)
    process.exitCode = 1
  }
  return false
}

/** Runs a program without keys in an empty folder, and returns what it prints, without blank lines at the end. */
async function run([program, ...args]: readonly [string, ...string[]]): Promise<string> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !key.endsWith('_API_KEY')))
  const folder = mkdtempSync(join(cache, 'folder-'))
  const all = ['--conditions=@x/source', join(root, program), ...args]
  const { stdout } = await promisify(execFile)(process.execPath, all, {
    // Types are stripped from the sources once, not once for each program.
    env: { ...env, NO_COLOR: '1', NODE_COMPILE_CACHE: cache },
    cwd: folder,
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
  })
  return stdout.trimEnd()
}
