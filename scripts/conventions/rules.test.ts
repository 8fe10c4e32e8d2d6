import { describe, expect, it } from 'vitest'
import { ambientUses } from './ambient.ts'
import { undocumented } from './docstrings.ts'
import { blockingWithoutTwin } from './twins.ts'
import { droppedSteps, stepNames, strayGenerators } from './dropped-steps.ts'
import { hasRuntime, starExports } from './imports.ts'
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
