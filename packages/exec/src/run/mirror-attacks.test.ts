import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Change } from '../changes/changeset.ts'
import { heldText } from '../changes/changeset-text.ts'
import { Mirror } from './mirror.ts'

// What code that wants out leaves in its copy, where everybody else writes plain files.
const LIMITS = { workspaceBytes: 2 ** 20, workspaceEntries: 500 }

let outer: string
let inner: string
let its: Mirror
beforeEach(() => {
  outer = mkdtempSync(join(tmpdir(), 'x-outer-'))
  inner = mkdtempSync(join(tmpdir(), 'x-inner-'))
  its = new Mirror({ outer, inner, owner: null, rules: { apply: 'safe', writable: [] } })
})
afterEach(() => {
  for (const path of [outer, inner]) rmSync(path, { recursive: true })
})

const put = (root: string, name: string, text: string): void => {
  mkdirSync(dirname(join(root, name)), { recursive: true })
  writeFileSync(join(root, name), text)
}

async function block(work: () => void): Promise<readonly Change[]> {
  await its.copyIn(LIMITS)
  work()
  return (await its.copyOut(LIMITS)).changes
}

const names = (changes: readonly Change[]): string[] =>
  changes.map(({ name, kind, held }) => `${held === undefined ? kind : 'held'} ${name}`)

it('brings back no pipe, and opens none', async () => {
  put(outer, 'a.txt', 'mine')
  const changes = await block(() => {
    execFileSync('sh', ['-c', 'mkfifo pipe package.json'], { cwd: inner })
    rmSync(join(inner, 'a.txt'))
    execFileSync('sh', ['-c', 'mkfifo a.txt'], { cwd: inner })
  })
  expect([names(changes), readdirSync(outer)]).toEqual([['held a.txt'], ['a.txt']])
})

it('gives each name of a file with several a file of its own', async () => {
  await block(() => {
    put(inner, 'one', 'its')
    linkSync(join(inner, 'one'), join(inner, 'two'))
  })
  expect(['one', 'two'].map((name) => lstatSync(join(outer, name)).nlink)).toEqual([1, 1])
})

it('marks by the name that an entry has at the end: a directory or a file that was renamed into place', async () => {
  put(outer, 'plain/pre-commit', 'mine')
  put(outer, 'notes.txt', 'mine')
  const changes = await block(() => {
    renameSync(join(inner, 'plain'), join(inner, '.husky'))
    renameSync(join(inner, 'notes.txt'), join(inner, 'Makefile'))
  })
  expect(names(changes).toSorted()).toEqual([
    'held .husky',
    'held .husky/pre-commit',
    'held Makefile',
    'removed notes.txt',
    'removed plain',
    'removed plain/pre-commit',
  ])
})

it('holds back the removal of marked files, and of the directories above them', async () => {
  put(outer, 'a/b/package.json', 'mine')
  put(outer, '.git/config', 'mine')
  const changes = await block(() => {
    for (const name of ['a', '.git']) rmSync(join(inner, name), { recursive: true })
  })
  expect(changes.every(({ held }) => held !== undefined)).toBe(true)
  expect(['a/b/package.json', '.git/config'].map((name) => existsSync(join(outer, name)))).toEqual([true, true])
})

it('tells a change of permissions alone, and holds that of a marked file', async () => {
  for (const name of ['run.sh', '.git/hooks/pre-commit']) put(outer, name, 'mine')
  const changes = await block(() => {
    for (const name of ['run.sh', '.git/hooks/pre-commit']) chmodSync(join(inner, name), 0o755)
  })
  expect(names(changes)).toEqual(['changed run.sh', 'held .git/hooks/pre-commit'])
  expect(lstatSync(join(outer, '.git/hooks/pre-commit')).mode & 0o111).toBe(0)
})

it('leaves alone what has no name in UTF-8, and what lies deeper than it looks', async () => {
  const strange = Buffer.concat([Buffer.from(`${outer}/`), Buffer.from([0xff, 0xfe])])
  writeFileSync(strange, 'mine')
  const deep = Array.from({ length: 80 }, () => 'd').join('/')
  put(outer, `${deep}/a.txt`, 'mine')
  await block(() => {
    writeFileSync(Buffer.concat([Buffer.from(`${inner}/`), Buffer.from([0xff])]), 'its')
    rmSync(join(inner, 'd'), { recursive: true })
    put(inner, `${deep}/b.txt`, 'its')
  })
  expect([readFileSync(strange, 'utf8'), existsSync(join(outer, deep, 'a.txt'))]).toEqual(['mine', true])
  expect([existsSync(join(outer, deep, 'b.txt')), readdirSync(outer, 'buffer').length]).toEqual([false, 2])
})

it('writes into no directory that another run exchanged for a link meanwhile', async () => {
  const outside = mkdtempSync(join(tmpdir(), 'x-outside-'))
  put(outer, 'd/a.txt', 'mine')
  const changes = await block(() => {
    put(inner, 'd/a.txt', 'its')
    put(inner, 'd/b.txt', 'its')
    rmSync(join(outer, 'd'), { recursive: true })
    symlinkSync(outside, join(outer, 'd'))
  })
  expect([changes.every(({ held }) => held !== undefined), readdirSync(outside)]).toEqual([true, []])
  rmSync(outside, { recursive: true })
})

it('tells names so that they neither act on a terminal nor pass for lines of their own', async () => {
  const name = 'a\n- "b" removed: \u001B[2J\u202E.pth'
  const text = heldText(await block(() => put(inner, name, 'its')))!
  expect([text.split('\n').length, ...['\u001B', '\u202E'].map((sign) => text.includes(sign))]).toEqual([
    3,
    false,
    false,
  ])
})

it('stays quick with many long and nearly equal names', async () => {
  const started = performance.now()
  await block(() => {
    for (let index = 0; index < 400; index++) put(inner, `${'a~1.'.repeat(40)}${index}`, '')
  })
  expect(performance.now() - started).toBeLessThan(5_000)
})
