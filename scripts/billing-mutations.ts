/**
 * Seeds faults into the account of requests and runs the suite of billing on each; fails if it does not catch one that the
 * list of survivors does not name, or catches one that it names.
 *
 *   node scripts/billing-mutations.ts [part of a name ...]
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  BILLING_MUTATIONS,
  BILLING_SURVIVORS,
  type BillingMutation,
} from '../apps/conformance/src/billing-mutations.fake.ts'
import { readApps, readPackages, root } from './workspace.ts'

/** The suite: in one process, and over sockets. */
const SUITE = ['billing-contract', 'billing-calls', 'billing'].map((name) => `apps/conformance/src/${name}.test.ts`)

/** Files of the root that the suite needs. */
const ROOT_FILES = ['package.json', 'tsconfig.base.json', 'vitest.config.ts', 'vitest.setup.ts']

/** A fault may make a call that never ends. */
const RUN_TIMEOUT_MS = 180_000

/** Copies the workspace; links between packages are relative and lead to the copies. */
function copyWorkspace(): string {
  const scratch = mkdtempSync(join(tmpdir(), 'x-mutations-'))
  symlinkSync(join(root, 'node_modules'), join(scratch, 'node_modules'))
  for (const file of ROOT_FILES) cpSync(join(root, file), join(scratch, file))
  cpSync(join(root, 'scripts'), join(scratch, 'scripts'), { recursive: true })
  const folders = [...readPackages(), ...readApps()].map(({ folder }) => folder)
  for (const folder of folders) {
    mkdirSync(join(scratch, folder), { recursive: true })
    for (const part of ['package.json', 'src', 'node_modules']) {
      const from = join(root, folder, part)
      if (existsSync(from)) cpSync(from, join(scratch, folder, part), { recursive: true, verbatimSymlinks: true })
    }
  }
  return scratch
}

/** Runs the suite in a copy until a test fails; tells whether all pass. */
function passes(scratch: string): boolean {
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'fast', '--bail', '1', ...SUITE]
  const { status } = spawnSync(process.execPath, args, { cwd: scratch, timeout: RUN_TIMEOUT_MS, stdio: 'ignore' })
  return status === 0
}

/** Tells whether the suite passes with a fault. */
function survives(scratch: string, { file, part, instead }: BillingMutation): boolean {
  const path = join(scratch, file)
  const source = readFileSync(path, 'utf8')
  if (source.split(part).length !== 2) throw new Error(`\`${file}\` has not once what a mutation replaces: ${part}`)
  writeFileSync(
    path,
    source.replace(part, () => instead),
  )
  try {
    return passes(scratch)
  } finally {
    writeFileSync(path, source)
  }
}

const wanted = process.argv.slice(2)
const chosen = Object.entries(BILLING_MUTATIONS).filter(
  ([name]) => wanted.length === 0 || wanted.some((part) => name.includes(part)),
)
const scratch = copyWorkspace()
try {
  if (!passes(scratch)) throw new Error('the suite fails without a fault')
  for (const [name, mutation] of chosen) {
    const isExpected = Object.hasOwn(BILLING_SURVIVORS, name)
    const survived = survives(scratch, mutation)
    if (survived !== isExpected) process.exitCode = 1
    console.log(`${survived ? 'survives' : 'caught  '}${survived === isExpected ? '' : ' (unexpected)'} ${name}`)
  }
} finally {
  rmSync(scratch, { recursive: true })
}
