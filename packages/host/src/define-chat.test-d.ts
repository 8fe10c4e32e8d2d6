/** Types of `defineChat`: what a program gets of its state, and one error where a mistake stands. */
import type { StandardSchema } from '@x/agent'
import type { Run } from '@x/interfaces'
import { defineChat } from './index.ts'

const named = { name: 'a', version: '1' }
const schema = null as unknown as StandardSchema<{ names: string[]; open: number }>
const input = null as unknown as StandardSchema<{ order: string }>

void [
  defineChat({
    ...named,
    state: { count: 0 },
    onMessage(state, message, run, { end, usage }) {
      const [count, given, own]: [number, unknown, Run] = [state.count, message, run]
      end({ given, own, cost: usage().totalCost })
      return { count: count + 1 }
    },
  }),
  defineChat({ ...named, state: { count: 0 }, onMessage: (state) => void (state.count += 1) }),
  defineChat({
    ...named,
    input,
    state: ({ order }) => ({ order }),
    onMessage: ({ order }) => ({ order: `${order}!` }),
  }),
  defineChat({
    ...named,
    state: { names: [], open: 0 },
    stateSchema: schema,
    migrate: (state, version) => ({ names: [version, String(state)], open: 1 }),
    onMessage: ({ names, open }, message) => ({ names: [...names, String(message)], open }),
  }),
  defineChat({
    ...named,
    state: { done: 0 },
    async run({ state, checkpoint }) {
      const done: number = state.done + 1
      await checkpoint({ done })
      return done
    },
  }),
  defineChat({ ...named, run: async ({ state, checkpoint }) => await checkpoint([state]) }),
]

void [
  // @ts-expect-error -- another state than that of the definition
  defineChat({ ...named, state: { count: 0 }, onMessage: () => ({ count: 'one' }) }),
  // @ts-expect-error -- a conversation without a state
  defineChat({ ...named, onMessage: () => {} }),
  // @ts-expect-error -- both forms of a program
  defineChat({ ...named, state: 1, onMessage: () => {}, run: () => 1 }),
  // @ts-expect-error -- neither of them
  defineChat({ ...named, state: 1 }),
  // @ts-expect-error -- a state that does not fit its schema
  defineChat({ ...named, state: { names: 'ann', open: 0 }, stateSchema: schema, onMessage: () => {} }),
  // @ts-expect-error -- a migration to another state
  defineChat({ ...named, state: { count: 0 }, migrate: () => ({ sum: 0 }), onMessage: () => {} }),
  // @ts-expect-error -- a checkpoint of another state
  defineChat({ ...named, state: { done: 0 }, run: async ({ checkpoint }) => await checkpoint({ done: 'all' }) }),
]
