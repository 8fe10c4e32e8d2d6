import { expect, test } from 'vitest'
import { readTrace } from './read-trace.ts'

const minimal = { name: 'a/b', about: 'x', given: {}, steps: [], recorded: { both: { results: [] } } }

const read = (changes: object): unknown =>
  readTrace(JSON.stringify({ ...minimal, ...changes }).replace('"recorded"', '"then"'), 'b.json')

test('a trace is read as it is', () => {
  expect(read({})).toEqual(minimal)
})

test.each<[string, object, string]>([
  ['an unknown key', { extra: 1 }, '`b.json`.extra is not known'],
  ['no steps', { steps: undefined }, 'has no `steps`'],
  ['no recording', { recorded: undefined }, '`b.json`.then is no object'],
  ['an unknown face', { recorded: { stream: { results: [] } } }, 'then.stream is not known'],
  ['a recording without results', { recorded: { both: {} } }, 'then.both has no `results`'],
  ['an unknown part of a recording', { recorded: { both: { results: [], mood: 1 } } }, 'then.both.mood is not known'],
  ['an unknown key of a step', { steps: [{ do: 'send', by: 'a' }] }, 'steps[0].by is not known'],
  ['a step that does nothing', { steps: [{ on: 'a' }] }, 'steps[0] has no `do`'],
  ['an agent without a class', { given: { agents: { a: {} } } }, 'given.agents.a has no `class`'],
  ['an unknown kind', { given: { functions: { f: { kind: 'song' } } } }, 'given.functions.f.kind `song` is not known'],
  ['an inherited kind', { given: { functions: { f: { kind: 'constructor' } } } }, '`constructor` is not known'],
  ['a foreign field', { given: { functions: { f: { kind: 'filter', append: 'x' } } } }, 'f.append is not known'],
  ['a line that is no text', { given: { human: [1] } }, 'given.human[0] is no string'],
])('%s is refused, and where is said', (_, changes, message) => {
  expect(() => read(changes)).toThrow(expect.objectContaining({ code: 'invalid-argument' }))
  expect(() => read(changes)).toThrow(message)
})

test('what is no JSON is refused', () => {
  expect(() => readTrace('{', 'c.json')).toThrow('the trace `c.json` is no JSON')
})
