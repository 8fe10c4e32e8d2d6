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
import { limitsOf } from '../run/limits.ts'
import type { TransferFrame } from './transfer-frames.ts'
import { readFiles, writeFiles, type HeldFiles } from './python-workspace.ts'

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
  expect(await turnsDuring(writeFiles(root, said, new Map(), { limits: LIMITS }))).toBeGreaterThan(40)
  expect(readdirSync(join(root, deep))).toHaveLength(500)
  let read: Awaited<ReturnType<typeof readFiles>> = null
  for (let index = 0; index < 1_000; index++) writeFileSync(join(root, `${index}`), '')
  const reading = (async () => (read = await readFiles(root, LIMITS)))()
  expect(await turnsDuring(reading)).toBeGreaterThan(2)
  expect(read!.sent.size).toBe(1_560)
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
      await writeFiles(root, said, new Map(), {
        limits: { fileBytes: 1000, workspaceBytes: 1000, workspaceEntries: 3 },
      }),
    ).toBeNull()
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
  const sent = new Map([['sent', { given: Buffer.from(''), original: Buffer.from('') }]])
  await writeFiles(root, [...said, { header: { path: 7 }, body: new Uint8Array() }], sent, { limits: LIMITS })
  expect(readdirSync(root).toSorted()).toEqual(['directory', 'fine', 'other', 'way'])
  expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('mine')
  expect(existsSync(join(root, '..', 'out'))).toBe(false)
})

it('holds back files on which programs of the user act, and shows them to the next block', async () => {
  const root = directory()
  for (const name of ['package.json', 'mine']) writeFileSync(join(root, name), 'mine')
  const held: HeldFiles = new Map()
  const rules = { apply: 'safe', writable: [] } as const
  const parents = ['.git', '.git/hooks'].map((path): TransferFrame => {
    return { header: { path, kind: 'directory' }, body: new Uint8Array() }
  })
  const said = [
    ...parents,
    ...['package.json', '.git/hooks/pre-commit', '.NPMRC', 'its'].map((name) => file(name, 'its')),
  ]
  const first = await readFiles(root, LIMITS, held)
  const changes = await writeFiles(root, said, first!.sent, { limits: LIMITS, rules, held })
  expect(readdirSync(root).toSorted()).toEqual(['its', 'package.json'])
  expect(readFileSync(join(root, 'package.json'), 'utf8')).toBe('mine')
  expect(changes!.filter((change) => change.held === undefined).map(({ name, kind }) => `${name} ${kind}`)).toEqual([
    'mine removed',
    'its added',
  ])
  const second = await readFiles(root, LIMITS, held)
  expect(Buffer.from(second!.sent.get('package.json')!.given!).toString()).toBe('its')
  expect(await writeFiles(root, said, second!.sent, { limits: LIMITS, rules, held })).toEqual([])
  // What the user writes meanwhile goes before what was held back.
  writeFileSync(join(root, 'package.json'), 'new')
  const third = await readFiles(root, LIMITS, held)
  expect(Buffer.from(third!.sent.get('package.json')!.given!).toString()).toBe('new')
})

it('never writes over an original that was changed meanwhile', async () => {
  const root = directory()
  for (const name of ['a', 'b']) writeFileSync(join(root, name), 'mine')
  const { sent } = (await readFiles(root, LIMITS))!
  for (const name of ['a', 'b', 'c']) writeFileSync(join(root, name), 'newer')
  const rules = { apply: 'all', writable: [] } as const
  const changes = await writeFiles(root, [file('a', 'its'), file('c', 'its')], sent, { limits: LIMITS, rules })
  expect(changes!.map(({ name, held }) => [name, held])).toEqual(
    ['b', 'a', 'c'].map((name) => [name, 'the original was changed meanwhile']),
  )
  for (const name of ['a', 'b', 'c']) expect(readFileSync(join(root, name), 'utf8')).toBe('newer')
})
