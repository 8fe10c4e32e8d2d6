/**
 * Runs the tests of the packages that change; those of their dependants on demand.
 *
 *   pnpm dev [package ...] [--dependants]            after every saved file, the tests of its package
 *   pnpm test:changed [package ...] [--dependants]   once, for the uncommitted changes or else the last commit
 *
 * A name limits both to that package. While `pnpm dev` waits, Enter repeats the last run and `d` with Enter adds the
 * packages that depend on it. Test files share a process, which takes a third of the time; `pnpm test` and CI give
 * each file a process of its own.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, watch } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import {
  FOLDERS,
  foldersNamed,
  foldersOf,
  readCommittedFiles,
  readUncommittedFiles,
  SCRIPTS_FOLDER,
  withDependants,
} from './changed-packages.ts'
import { root } from './workspace.ts'

/** An editor saves a file in several steps, and several files at once. */
const SETTLE_DELAY_MS = 50

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { dependants: { type: 'boolean', default: false }, watch: { type: 'boolean', default: false } },
})
const named = foldersNamed(positionals)
if (values.watch) {
  watchAndRun(named.length > 0 ? named : foldersOf(readUncommittedFiles()))
} else {
  const uncommitted = named.length > 0 ? named : foldersOf(readUncommittedFiles())
  const folders = uncommitted.length > 0 ? uncommitted : foldersOf(readCommittedFiles())
  process.exitCode = folders.length > 0 ? await exitCodeOf(startTests(folders, values.dependants)) : 0
}

/** Starts vitest on the tests of folders. */
function startTests(folders: readonly string[], dependants: boolean): ChildProcess {
  const tested = dependants ? withDependants(folders) : folders
  console.log(`Tests of ${tested.join(', ')}`)
  const vitest = join(fileURLToPath(import.meta.resolve('vitest/package.json')), '../vitest.mjs')
  const flags = ['run', '--project', 'fast', '--passWithNoTests']
  // The slash tells `packages/host/` from `packages/host-servers/`.
  return spawn(process.execPath, [vitest, ...flags, ...tested.map((folder) => `${folder}/`)], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
}

async function exitCodeOf(child: ChildProcess): Promise<number> {
  const [code] = (await once(child, 'exit')) as [number | null]
  return code ?? 1
}

/** Runs the tests of the first folders, then those of every package in which a file is saved, until it is stopped. */
function watchAndRun(first: readonly string[]): void {
  let latest = first
  let running: ChildProcess | undefined
  const run = async (folders: readonly string[], dependants: boolean): Promise<void> => {
    if (folders.length > 0) latest = folders
    else return console.log('Waiting for changes.')
    // A run that is under way is out of date; its own call tells nothing more.
    running?.kill()
    const started = performance.now()
    const child = startTests(folders, dependants)
    running = child
    await exitCodeOf(child)
    if (running !== child) return
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    console.log(`${seconds} s; waiting for changes (Enter: once more, d and Enter: with dependants)`)
  }
  watchSources((folders) => void run(folders, values.dependants))
  createInterface({ input: process.stdin }).on('line', (line) => void run(latest, line.trim() === 'd'))
  void run(first, values.dependants)
}

/** Calls `onChange` with the folders in which files were saved, once they have settled. */
function watchSources(onChange: (folders: readonly string[]) => void): void {
  const changed = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  for (const folder of named.length > 0 ? named : FOLDERS) {
    const sources = join(root, folder, folder === SCRIPTS_FOLDER ? '' : 'src')
    if (!existsSync(sources)) continue
    watch(sources, { recursive: true }, (_, file) => {
      if (!/\.(?:tsx?|json)$/u.test(file ?? '')) return
      changed.add(folder)
      clearTimeout(timer)
      timer = setTimeout(() => {
        const folders = [...changed]
        changed.clear()
        onChange(folders)
      }, SETTLE_DELAY_MS)
    })
  }
}
