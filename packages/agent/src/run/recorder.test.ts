import { afterEach, expect, it, vi } from 'vitest'
import { openContext, stateOf } from '../memory/state.ts'
import { addParticipant, type Changes, changesOf, participantsIn } from './recorder.ts'
import { agent } from './tool-chat.fake.ts'

afterEach(() => vi.restoreAllMocks())

/** The variables of an agent in a run, and what a journal keeps of them beside the next answer. */
function runWith(contextVariables: Record<string, unknown>): {
  readonly context: Map<string, unknown>
  readonly next: () => Changes
} {
  const state = stateOf(agent('clerk', { contextVariables }))
  const outside = participantsIn(null)
  addParticipant(outside, state)
  const call = { kind: 'tool', label: 'the tool' } as const
  const next = (): Changes => changesOf({ place: '1', call, value: null, around: { outside, inside: null } })
  return { context: openContext(state), next }
}

it('an answer has the variables beside it that differ from those that the journal has', () => {
  const { context, next } = runWith({ list: [1], same: { a: 1 }, gone: true, open: () => {} })
  expect(next()).toEqual({})
  context.set('list', [1, 2])
  context.set('same', { a: 1 })
  context.set('connection', new Map())
  context.delete('gone')
  const changes = next()
  expect(JSON.stringify(changes)).toBe('{"context":{"clerk":{"set":{"list":[1,2]},"unset":["gone"]}},"at":1}')
  // What is kept is what there was.
  ;(context.get('list') as number[]).push(3)
  expect(changes.context!['clerk']!.set).toEqual({ list: [1, 2] })
  expect(next().context).toEqual({ clerk: { set: { list: [1, 2, 3] } } })
  expect(next()).toEqual({})
})

it('a variable that is no plain JSON any more is one that is gone, in the order of the names of an object', () => {
  const { context, next } = runWith({})
  for (const name of ['b', '10', 'a', '9', '__proto__']) context.set(name, { inner: undefined })
  expect(JSON.stringify(next().context)).toBe('{"clerk":{"set":{"9":{},"10":{},"b":{},"a":{}}}}')
  context.set('b', undefined)
  context.set('10', new Date(0))
  context.set('a', Number.NaN)
  context.set('9', null)
  context.delete('__proto__')
  expect(next()).toEqual({ context: { clerk: { set: { 9: null }, unset: ['10', 'b', 'a', '__proto__'] } }, at: 2 })
})

it('an answer reads no variable back that has not changed, and writes each once', () => {
  const large = 'x'.repeat(1000)
  const { context, next } = runWith({ large, other: [large] })
  const written = vi.spyOn(JSON, 'stringify')
  const read = vi.spyOn(JSON, 'parse')
  next()
  expect(written).toHaveBeenCalledTimes(2)
  expect(read).not.toHaveBeenCalled()
  context.set('other', 'new')
  next()
  expect(written).toHaveBeenCalledTimes(4)
  expect(read.mock.calls).toEqual([['"new"']])
})
