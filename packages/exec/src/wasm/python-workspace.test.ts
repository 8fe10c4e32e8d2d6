import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { limitsOf } from '../run/limits.ts'
import type { TransferFrame } from './transfer-frames.ts'
import { GivenDirectory, readFiles, writeFiles, type SentEntry } from './python-workspace.ts'

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
  expect(await turnsDuring(writeFiles(root, said, new Map(), LIMITS))).toBeGreaterThan(40)
  expect(readdirSync(join(root, deep))).toHaveLength(500)
  let read: Awaited<ReturnType<typeof readFiles>> = null
  for (let index = 0; index < 1_000; index++) writeFileSync(join(root, `${index}`), '')
  const reading = (async () => (read = await readFiles(root, LIMITS)))()
  expect(await turnsDuring(reading)).toBeGreaterThan(2)
  expect(read!.size).toBe(1_560)
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
      await writeFiles(root, said, new Map(), { fileBytes: 1000, workspaceBytes: 1000, workspaceEntries: 3 }),
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
  const sent = new Map([['sent', { given: Buffer.from(''), original: Buffer.from('') }]])
  await writeFiles(root, [...said, { header: { path: 7 }, body: new Uint8Array() }], sent, LIMITS)
  expect(readdirSync(root).toSorted()).toEqual(['directory', 'fine', 'other', 'way'])
  expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('mine')
  expect(existsSync(join(root, '..', 'out'))).toBe(false)
})

const SAFE = { apply: 'safe', writable: [] } as const
const directories = (...names: string[]): TransferFrame[] =>
  names.map((path) => ({ header: { path, kind: 'directory' }, body: new Uint8Array() }))
const shown = (changes: readonly { readonly name: string; readonly held?: string | undefined }[]): string[] =>
  changes.map(({ name, held }) => (held === undefined ? name : `${name}: ${held}`))
const textIn = (sent: ReadonlyMap<string, SentEntry> | null, name: string): string | undefined => {
  const given = sent!.get(name)?.given
  return given ? Buffer.from(given).toString() : undefined
}

it('holds back files on which programs of the user act, and shows them to the next block', async () => {
  const root = directory()
  for (const name of ['package.json', 'mine']) writeFileSync(join(root, name), 'mine')
  const given = new GivenDirectory(root, SAFE)
  const own = file('tmp.py', 'code')
  const said = [
    own,
    ...directories('.git', '.git/hooks'),
    ...['package.json', '.git/hooks/pre-commit', '.NPMRC', 'its'].map((name) => file(name, 'its')),
  ]
  const first = await given.read(LIMITS, 'tmp.py', 'code')
  const { changes } = await given.write(said, first!, { limits: LIMITS })
  expect(readdirSync(root).toSorted()).toEqual(['its', 'package.json', 'tmp.py'])
  expect(readFileSync(join(root, 'package.json'), 'utf8')).toBe('mine')
  expect(shown(changes.filter(({ held }) => held === undefined))).toEqual(['mine', 'its'])
  const second = await given.read(LIMITS, 'tmp.py', 'code')
  expect(textIn(second, 'package.json')).toBe('its')
  expect((await given.write(said, second!, { limits: LIMITS })).changes).toEqual([])
  // What the user writes meanwhile goes before what was held back.
  writeFileSync(join(root, 'package.json'), 'new')
  expect(textIn(await given.read(LIMITS, 'tmp.py', 'code'), 'package.json')).toBe('new')
})

it('writes nothing over an original that was changed meanwhile', async () => {
  const root = directory()
  for (const name of ['a', 'b']) writeFileSync(join(root, name), 'mine')
  const given = new GivenDirectory(root, { apply: 'all', writable: [] })
  const sent = await given.read(LIMITS, 'tmp.py', '')
  for (const name of ['a', 'b', 'c']) writeFileSync(join(root, name), 'newer')
  const { changes } = await given.write([file('a', 'its'), file('c', 'its')], sent!, { limits: LIMITS })
  const why = 'the original was changed meanwhile'
  expect(shown(changes)).toEqual([`b: ${why}`, `a: ${why}`, `c: ${why}`])
  expect(['a', 'b', 'c'].map((name) => readFileSync(join(root, name), 'utf8'))).toEqual(['newer', 'newer', 'newer'])
})

it('proposes what can come back, and writes what is chosen', async () => {
  const root = directory()
  writeFileSync(join(root, 'package.json'), 'mine\n', { mode: 0o640 })
  const given = new GivenDirectory(root, SAFE)
  const said = [file('tmp.py', 'code'), file('package.json', 'its\n'), file('a', 'its'), file('b', 'its')]
  const sent = await given.read(LIMITS, 'tmp.py', 'code')
  const { changes, proposal } = await given.write(said, sent!, { limits: LIMITS, asks: true })
  expect([changes, readdirSync(root)]).toEqual([[], ['package.json']])
  expect(proposal!.changes.map(({ name }) => name)).toEqual(['package.json', 'a', 'b'])
  expect(proposal!.diff).toContain('-mine\n+its\n')
  expect(shown(await given.settle(proposal!.id, ['package.json', 'a']))).toEqual([
    'package.json',
    'a',
    'b: it was not allowed',
  ])
  expect(readFileSync(join(root, 'package.json'), 'utf8')).toBe('its\n')
  expect(statSync(join(root, 'package.json')).mode & 0o777).toBe(0o640)
  const next = await given.read(LIMITS, 'tmp.py', 'code')
  expect(['a', 'b'].map((name) => textIn(next, name))).toEqual(['its', 'its'])
})

it('proposes again what nobody has decided on', async () => {
  const root = directory()
  for (const name of ['a', 'gone']) writeFileSync(join(root, name), 'mine')
  const given = new GivenDirectory(root, SAFE)
  const said = [file('tmp.py', 'code'), file('a', 'its'), file('b', 'its')]
  const propose = async () => {
    const sent = await given.read(LIMITS, 'tmp.py', 'code')
    return (await given.write(said, sent!, { limits: LIMITS, asks: true })).proposal
  }
  await propose()
  const proposal = await propose()
  expect(proposal!.changes.map(({ name }) => name)).toEqual(['gone', 'a', 'b'])
  expect(shown(await given.settle(proposal!.id, ['a', 'gone']))).toEqual(['gone', 'a', 'b: it was not allowed'])
  expect([existsSync(join(root, 'gone')), readFileSync(join(root, 'a'), 'utf8')]).toEqual([false, 'its'])
  expect(await propose()).toBeUndefined()
})

it('lets a block make again what an earlier one removed, and remove what only blocks have seen', async () => {
  const root = directory()
  writeFileSync(join(root, 'package.json'), 'mine')
  const given = new GivenDirectory(root, SAFE)
  const one = await given.read(LIMITS, 'tmp.py', '')
  await given.write([file('tmp.py'), file('.npmrc', 'its')], one!, { limits: LIMITS })
  const two = await given.read(LIMITS, 'tmp.py', '')
  expect([textIn(two, 'package.json'), textIn(two, '.npmrc')]).toEqual([undefined, 'its'])
  const { changes } = await given.write([file('tmp.py'), file('package.json', 'its')], two!, { limits: LIMITS })
  expect(changes).toMatchObject([{ name: 'package.json', kind: 'changed', risk: expect.any(String) }])
  const three = await given.read(LIMITS, 'tmp.py', '')
  expect([textIn(three, 'package.json'), textIn(three, '.npmrc')]).toEqual(['its', undefined])
})
