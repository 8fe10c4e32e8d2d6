import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { guardOf } from '../run/guarded.ts'
import { limitsOf } from '../run/limits.ts'
import type { TransferFrame } from './transfer-frames.ts'
import { readFiles, writeFiles } from './python-workspace.ts'

const LIMITS = limitsOf({})

function directory(): string {
  const made = mkdtempSync(join(tmpdir(), 'x-keep-'))
  onTestFinished(() => rmSync(made, { recursive: true }))
  return made
}

const file = (path: string, text: string = ''): TransferFrame => ({
  header: { path, kind: 'file' },
  body: Buffer.from(text),
})

/** Counts the turns that the event loop gets while something goes on. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0
  let over = false
  const beat = (): void => {
    turns++
    if (!over) setImmediate(beat)
  }
  setImmediate(beat)
  await work
  over = true
  return turns
}

it('copies a deep tree of many files without blocking the event loop', async () => {
  const root = directory()
  const deep = Array.from({ length: 60 }, () => 'd').join('/')
  const parents = Array.from({ length: 60 }, (_, depth): TransferFrame => {
    return { header: { path: deep.slice(0, 2 * depth + 1), kind: 'directory' }, body: new Uint8Array() }
  })
  const said = [...parents, ...Array.from({ length: 500 }, (_, index) => file(`${deep}/${index}`, 'x'))]
  expect(await turnsDuring(writeFiles(root, said, new Set(), LIMITS))).toBeGreaterThan(40)
  expect(readdirSync(join(root, deep))).toHaveLength(500)
  let read: Awaited<ReturnType<typeof readFiles>> = null
  for (let index = 0; index < 1_000; index++) writeFileSync(join(root, `${index}`), '')
  const reading = (async () => (read = await readFiles(root, LIMITS)))()
  expect(await turnsDuring(reading)).toBeGreaterThan(2)
  expect(read!.names.size).toBe(1_560)
})

it('copies nothing of a tree that is over its limits', async () => {
  const root = directory()
  const deep = Array.from({ length: 65 }, () => 'd').join('/')
  for (const said of [
    [file('a'), file(deep)],
    Array.from({ length: 4 }, (_, index) => file(`${index}`)),
    [file('a', 'x'.repeat(600)), file('b', 'x'.repeat(600))],
  ]) {
    expect(
      await writeFiles(root, said, new Set(), { fileBytes: 1000, workspaceBytes: 1000, workspaceEntries: 3 }),
    ).toBe(false)
    expect(readdirSync(root)).toEqual([])
  }
})

it('trusts no name, follows no link and removes only files that were sent', async () => {
  const [root, outside] = [directory(), directory()]
  writeFileSync(join(root, 'sent'), '')
  writeFileSync(join(root, 'other'), '')
  writeFileSync(join(outside, 'secret'), 'mine')
  symlinkSync(outside, join(root, 'way'))
  mkdirSync(join(root, 'directory'))
  const said = ['../out', '/tmp/out', 'a\u200B', 'way/secret', 'directory', 'fine'].map((path) => file(path, 'new'))
  expect(
    await writeFiles(root, [...said, { header: { path: 7 }, body: new Uint8Array() }], new Set(['sent']), LIMITS),
  ).toBe(true)
  expect(readdirSync(root).toSorted()).toEqual(['directory', 'fine', 'other', 'way'])
  expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('mine')
  expect(existsSync(join(root, '..', 'out'))).toBe(false)
})

it('does not change guarded names in a directory of the user', async () => {
  const root = directory()
  mkdirSync(join(root, 'node_modules/.bin'), { recursive: true })
  for (const name of ['package.json', 'node_modules/.bin/tsc', 'mine']) writeFileSync(join(root, name), 'mine')
  const names = [
    'package.json',
    '.git/hooks/pre-commit',
    'sub/.husky/x',
    '.NPMRC',
    'node_modules/.bin/tsc',
    'its',
    '.cache/x',
  ]
  const parents = ['.git', '.git/hooks', 'sub', 'sub/.husky', '.cache'].map((path): TransferFrame => {
    return { header: { path, kind: 'directory' }, body: new Uint8Array() }
  })
  const said = [...parents, ...names.map((name) => file(name, 'its'))]
  const sent = new Set(['mine', 'node_modules', 'node_modules/.bin', 'node_modules/.bin/tsc', 'package.json'])
  await writeFiles(root, said, sent, { ...LIMITS, isGuarded: guardOf(root, []) })
  expect(readdirSync(root).toSorted()).toEqual(['.cache', 'its', 'node_modules', 'package.json', 'sub'])
  expect([readdirSync(join(root, 'sub')), readFileSync(join(root, 'package.json'), 'utf8')]).toEqual([[], 'mine'])
  expect(readFileSync(join(root, 'node_modules/.bin/tsc'), 'utf8')).toBe('mine')
  await writeFiles(root, said, sent, { ...LIMITS, isGuarded: guardOf(root, ['package.json']) })
  expect(readFileSync(join(root, 'package.json'), 'utf8')).toBe('its')
})
