import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Mirror } from './mirror.ts'

// Two names of one file stand for a file of the user's that shows through layers.
const LIMITS = { workspaceBytes: 1_000, workspaceEntries: 3 }

let outer: string
let inner: string
let away: string
let its: Mirror
beforeEach(() => {
  outer = mkdtempSync(join(tmpdir(), 'x-outer-'))
  inner = mkdtempSync(join(tmpdir(), 'x-inner-'))
  away = mkdtempSync(join(tmpdir(), 'x-away-'))
  its = new Mirror({ outer, inner, owner: null, rules: { apply: 'safe', writable: [] }, isLayered: true })
})
afterEach(() => {
  for (const path of [outer, inner, away]) rmSync(path, { recursive: true })
})

const put = (root: string, name: string, text: string): void => {
  mkdirSync(dirname(join(root, name)), { recursive: true })
  rmSync(join(root, name), { force: true })
  writeFileSync(join(root, name), text)
}
/** Writes a file of the user's that code sees. */
const show = (name: string, text: string): void => {
  put(outer, name, text)
  mkdirSync(dirname(join(inner, name)), { recursive: true })
  rmSync(join(inner, name), { force: true })
  linkSync(join(outer, name), join(inner, name))
}
const read = (root: string, name: string): string => readFileSync(join(root, name), 'utf8')

/** Names and reasons of what code has changed. */
async function changes(limits = LIMITS): Promise<unknown> {
  const { fits, changes: all } = await its.copyOut(limits)
  return fits ? all.map(({ name, kind, held }) => `${kind} ${name}${held === undefined ? '' : `: ${held}`}`) : fits
}

/** Takes a directory out of the sight of code, so that the files in it are as they were. */
const hide = (name: string): void => renameSync(join(inner, name), join(away, name))

it('copies nothing that code sees anyway, whatever its size, and brings back what code changed', async () => {
  for (let index = 0; index < 6; index++) show(`d${index}/a`, 'x'.repeat(2_000))
  expect(await its.copyIn(LIMITS)).toBe(true)
  expect(statSync(join(inner, 'd5/a')).nlink).toBe(2)
  expect(await changes()).toEqual([])
  for (const name of ['d1', 'd2', 'd3']) hide(name)
  put(inner, 'd1/a', 'its')
  put(inner, 'd1/package.json', 'its')
  mkdirSync(join(inner, 'd2'))
  expect(await changes()).toEqual([
    'removed d2/a',
    'removed d3/a',
    'removed d3',
    'changed d1/a',
    'added d1/package.json: package managers run its scripts and load its code',
  ])
  expect([read(outer, 'd1/a'), existsSync(join(outer, 'd3'))]).toEqual(['its', false])
  put(inner, 'd4/b', 'x'.repeat(1_001))
  expect(await changes()).toBe(false)
})

it('takes nothing for a change of code that the user changed, added or removed during a block', async () => {
  for (const name of ['edited', 'removed', 'kept']) show(name, 'mine')
  await its.copyIn(LIMITS)
  writeFileSync(join(outer, 'edited'), 'newer')
  show('added', 'newer')
  for (const root of [outer, inner]) rmSync(join(root, 'removed'))
  expect(await changes()).toEqual([])
  await its.copyIn(LIMITS)
  expect([await changes(), read(outer, 'edited'), existsSync(join(outer, 'removed'))]).toEqual([[], 'newer', false])
})

it('copies in what code does not see: a file that the user exchanged, or that code had changed', async () => {
  for (const name of ['exchanged', 'setup.py']) show(name, 'mine')
  await its.copyIn(LIMITS)
  put(inner, 'setup.py', 'its')
  await changes()
  for (const name of ['exchanged', 'setup.py']) put(outer, name, 'newer text')
  await its.copyIn(LIMITS)
  expect(['exchanged', 'setup.py'].map((name) => read(inner, name))).toEqual(['newer text', 'newer text'])
  expect(await changes()).toEqual([])
})
