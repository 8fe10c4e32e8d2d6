import { describe, expect, it } from 'vitest'
import { ambientUses } from './ambient.ts'
import { undocumented } from './docstrings.ts'
import { blockingWithoutTwin } from './twins.ts'
import { droppedSteps, stepNames, strayGenerators } from './dropped-steps.ts'
import { longSubjects } from './commit-subjects.ts'
import { hasRuntime, starExports } from './imports.ts'
import { countLines, findBareConstants, findLongFunctions, findRelativeComments, findSmallFiles } from './shape.ts'
import { parseText, type Source } from './source.ts'

const source = (text: string, file = 'a.ts'): Source => parseText(file, text)

describe('docstrings', () => {
  it.each([
    ['export const a = 1', ['a.ts:1 a']],
    ['/** */\nexport const a = 1', ['a.ts:2 a']],
    ['// A line.\nexport function f(): void {}', ['a.ts:2 f']],
    ['/* A comment. */\nexport type T = 1', ['a.ts:2 T']],
    ['/** no sentence */\nexport class C {}', ['a.ts:2 C']],
    ['/** A file. */\nconst b = 1\nexport interface I {}', ['a.ts:3 I']],
    ['/** Gives one. */\nexport const a = 1', []],
    ['/**\n * `a` gives\n * one.\n */\nexport const a = 1', []],
    [
      '/** One or two. */\nexport function f(a: 1): 1\nexport function f(a: 2): 2\nexport function f(a: any): any {}',
      [],
    ],
    ['const hidden = 1', []],
  ])('%j', (text, missing) => {
    expect(undocumented(source(text))).toEqual(missing)
  })
})

describe('ambient', () => {
  it.each([
    ['const now = Date.now()', ['1 Date.now']],
    ['const now = Date.now', ['1 Date.now']],
    ['const now = new Date()', ['1 new Date()']],
    ['const then = new Date(0)', []],
    ['await fetch(url)', ['1 fetch']],
    ['await options.fetch(url)', []],
    ['const f = async ({ fetch }: Options) => await fetch(url)', []],
    ['function f(fetch = globalThis.fetch) { return fetch(url) }', ['1 globalThis.fetch']],
    ['type F = typeof globalThis.fetch', []],
    ['const key = process.env["KEY"]', ['1 process.env']],
    ['function f(random = Math.random) {}', ['1 Math.random']],
    ['const a = globalThis.process?.env ?? {}', ['1 process.env']],
  ])('%j', (text, uses) => {
    expect(ambientUses(source(text))).toEqual(uses)
  })
})

describe('blocking operations', () => {
  it.each([
    ['class A { runSync() {} }', ['a.ts:1 runSync']],
    ['class A { runSync() {} run() {} }', []],
    ['interface A { runSync(): void }', ['a.ts:1 runSync']],
    ['class A { private runSync() {} }', []],
    ['export { runSync } from "./b.ts"', ['a.ts:1 runSync']],
    ['export { run, runSync } from "./b.ts"', []],
  ])('%j', (text, alone) => {
    expect(blockingWithoutTwin(source(text))).toEqual(alone)
  })
})

describe('steps', () => {
  const names = stepNames([
    source(`
      function* walk(): Steps<void> {}
      function all(): Steps<void> {}
      const later = (): Steps<void> => walk()
      interface Strategy { ask(): Steps<void>; tell: (x: 1) => Steps<void> }
      class Tree { *grow(): Steps<void> {} }
      async function* stream() {}
      function plain(): void {}
    `),
  ])

  it('knows what gives steps', () => {
    expect([...names].toSorted()).toEqual(['all', 'ask', 'grow', 'later', 'tell', 'walk'])
  })

  it.each([
    ['walk()', ['walk']],
    ['this.tree.grow()', ['grow']],
    ['strategy?.ask()', ['ask']],
    ['ready && walk()', ['walk']],
    ['ready ? walk() : all()', ['walk', 'all']],
    ['void walk()', ['walk']],
    ['yield* walk()', []],
    ['ready && (yield* walk())', []],
    ['const steps = walk()', []],
    ['plain()', []],
  ])('%s', (statement, dropped) => {
    const text = `function* f() { ${statement} }`
    expect(droppedSteps(source(text), names)).toEqual(dropped.map((name) => `a.ts:1 ${name}`))
  })

  it('belong in files made for them', () => {
    const text = 'function* f(): Steps<void> {}'
    expect([strayGenerators(source(text)), strayGenerators(source(text, 'a.steps.ts'))]).toEqual([['a.ts:1'], []])
  })
})

describe('entries', () => {
  it.each([
    ['export * from "./a.ts"', 1],
    ['export const a = 1', 1],
    ['export { a } from "./a.ts"', 0],
    ['export type { A } from "./a.ts"', 0],
  ])('%j', (text, count) => {
    expect(starExports(source(text))).toHaveLength(count)
  })

  it.each([
    ['export type A = 1', false],
    ['import type { A } from "a"', false],
    ['export type { A } from "a"', false],
    ['export interface A {}', false],
    ['import "a"', true],
    ['export const a = 1', true],
    ['export class A {}', true],
  ])('%j', (text, runtime) => {
    expect(hasRuntime(source(text))).toBe(runtime)
  })
})

describe('long functions', () => {
  const lines = (count: number): string => '\n'.repeat(count - 1)

  it.each([
    [`function f() {${lines(61)}}`, ['f']],
    [`function* f() {${lines(61)}}`, ['f']],
    [`export async function f() {${lines(61)}}`, ['f']],
    [`const f = () => {${lines(61)}}`, ['f']],
    [`class C { m() {${lines(61)}} }`, ['m']],
    [`class C { *#m() {${lines(61)}} }`, ['#m']],
    [`class C { get m() {${lines(61)}} }`, ['m']],
    [`const o = { m() {${lines(61)}} }`, ['m']],
    [`describe('a suite', () => {${lines(61)}})`, ['module']],
    [`function outer() { return () => {${lines(61)}} }`, ['outer']],
    [`function f() {${lines(60)}}`, []],
    [`function f(${lines(61)}) {}`, []],
    [`class C {${lines(70)}m() {} }`, []],
    [`abstract class C { abstract m(): void }${lines(70)}`, []],
  ])('%j', (text, names) => {
    expect(findLongFunctions(source(text))).toEqual(names)
  })
})

describe('small files', () => {
  const find = (graph: Record<string, string[]>, lines = 50): string[] =>
    findSmallFiles(new Map(Object.entries(graph)), ['index.ts', 'steps.ts'], () => lines)

  it.each([
    ['that one other imports', { 'a.ts': ['b.ts'], 'b.ts': [] }, ['b.ts']],
    ['that one other imports and exports again', { 'a.ts': ['b.ts', 'b.ts'], 'b.ts': [] }, ['b.ts']],
    ['that two import', { 'a.ts': ['b.ts', 'c.ts'], 'c.ts': ['b.ts'], 'b.ts': [] }, ['c.ts']],
    ['that nobody imports', { 'a.ts': [] }, []],
    ['that is an entry', { 'a.ts': ['steps.ts'], 'steps.ts': [] }, []],
    ['that an entry alone exports', { 'index.ts': ['b.ts'], 'b.ts': [] }, []],
  ])('%s', (_, graph, small) => {
    expect(find(graph as unknown as Record<string, string[]>)).toEqual(small)
  })

  it('may have more lines', () => {
    expect(find({ 'a.ts': ['b.ts'], 'b.ts': [] }, 51)).toEqual([])
  })

  it('are counted by their lines', () => {
    expect(countLines(source('const a = 1\nconst b = 2\n'))).toBe(2)
  })
})

describe('constants', () => {
  it.each([
    ['const PATIENCE = 20', ['PATIENCE']],
    ['export const PATIENCE = 20', ['PATIENCE']],
    ['const PATIENCE: number = patience()', ['PATIENCE']],
    ['const DAY = 24 * HOUR_MS', ['DAY']],
    ['const AGAIN = [5, 1000]', ['AGAIN']],
    ['const AGAIN = [5, 1000] as const', ['AGAIN']],
    ['const LEAST = -1, MOST = 1n', ['LEAST', 'MOST']],
    ['const MOST = Number.MAX_SAFE_INTEGER', ['MOST']],
    ['const MOST = Math.max(1, LIMIT_MS)', ['MOST']],
    ['const SECOND = 1 + 2', ['SECOND']],
    ['const RETRY_DELAY_MS = 20', []],
    ['const KINDS = { a: 1 }', []],
    ['const NAMES = ["a"]', []],
    ['const EMPTY = []', []],
    ['const TEXT = "a" + 1', []],
    ['const patience = 20', []],
    ['function f() { const MOST = 1 }', []],
  ])('%j', (text, names) => {
    expect(findBareConstants(source(text))).toEqual(names)
  })
})

describe('doc comments', () => {
  it.each([
    ['/** What makes a reasoner. */', ['a.ts:1']],
    ['/**\n * What makes\n * a reasoner.\n */', ['a.ts:1']],
    ['let a\n/** Whether it ended. */', ['a.ts:2']],
    ['interface I { /** Who spoke last. */ a: 1 }', ['a.ts:1']],
    ['/** Whose turn it is. */', ['a.ts:1']],
    ['/** Which agents take part. */', ['a.ts:1']],
    ['/** Whatever a tool returns. */', []],
    ['/** True if the chat ended. */', []],
    ['// What follows is no doc comment.', []],
    ['/* What follows is no doc comment. */', []],
  ])('%j', (text, places) => {
    expect(findRelativeComments(source(text))).toEqual(places)
  })
})

describe('subjects of commits', () => {
  it('have at most 72 characters', () => {
    const fits = 'A'.repeat(72)
    expect(longSubjects([fits, `${fits}B`])).toEqual([`${fits}B`])
  })
})
