import { getEventListeners } from 'node:events'
import type { ChatMessage, XEvent } from '@x/interfaces'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { ConversableAgent } from './index.ts'
import { type Conversation, stateOf } from './memory/state.ts'
import { build, chatPlan, type ChatPlan, type Process, type World } from './durability/living-program.fake.ts'
import { unrolled } from './data/message.ts'

type Face = (its: Process, stop: AbortController, onEvent: () => void) => Promise<unknown>

const faces: Record<string, Face> = {
  async: async ({ from, to, options }, stop, emit) =>
    await from.initiateChat(to, { ...options, signal: stop.signal, emit }),
  stream: async ({ from, to, options }, stop, onEvent) => {
    const stream = from.initiateChatStream(to, { ...options, signal: stop.signal })
    for (;;) {
      const item = await stream.next()
      if (item.done) return item.value
      onEvent()
    }
  },
  'a stream that is left': async ({ from, to, options }, stop, onEvent) => {
    const stream = from.initiateChatStream(to, options)
    for (;;) {
      const item: IteratorResult<XEvent, unknown> = await stream.next()
      if (item.done) return item.value
      onEvent()
      if (!stop.signal.aborted) continue
      await stream.return(undefined as never)
      throw stop.signal.reason
    }
  },
}

const histories = (agents: readonly ConversableAgent[]): (readonly ChatMessage[])[] =>
  agents.flatMap(({ chatMessages }) => [...chatMessages.values()].map((messages) => [...messages]))

/** What a strict provider would refuse: calls without all their answers behind them, answers without a call. */
function refusals(history: readonly ChatMessage[]): string[] {
  const seen = history.flatMap(unrolled)
  const problems: string[] = []
  for (const [index, { tool_calls: calls, function_call: call }] of seen.entries()) {
    const behind = seen.slice(index + 1)
    // What is said in place of an answer is said by the program.
    if (behind[0]?.role === 'user' || behind[0]?.role === 'assistant') continue
    const answers = behind.slice(0, behind.findIndex(({ role }) => role !== 'tool') >>> 0)
    const ids = new Set(answers.map(({ tool_call_id: id }) => id))
    for (const { id } of calls ?? []) if (!ids.has(id)) problems.push(`the call ${id} has no answer`)
    if (call && behind[0]?.role !== 'function') problems.push(`the call of ${call.name} has no answer`)
  }
  return problems
}

const settled = async (): Promise<void> => {
  for (let tick = 0; tick < 3; tick++) await new Promise((resolve) => setImmediate(resolve))
}

/** Runs a program and stops it at the moment of a number; says whether there was one. */
async function stops(plan: ChatPlan, face: Face, at: number): Promise<boolean> {
  const stop = new AbortController()
  let moments = 0
  // A chat that has ended may have ended in a call, when its turns were used up.
  let underWay: Conversation[] = []
  const moment = (): void => {
    if (moments++ !== at) return
    underWay = its.made.flatMap((agent) => [...stateOf(agent).conversations.values()].filter(({ chats }) => chats))
    stop.abort(new Error('stopped'))
  }
  const done = new Proxy<string[]>([], {
    set: (target, key, value) => {
      if (key !== 'length' && face !== faces['a stream that is left']) moment()
      return Reflect.set(target, key, value)
    },
  })
  const world: World = { done, failed: new Set() }
  const its = build(plan, world)
  const outcome = await face(its, stop, moment).then(
    () => 'ended',
    (error: unknown) => error as Error,
  )
  expect(getEventListeners(stop.signal, 'abort')).toEqual([])
  if (!stop.signal.aborted) return false
  if (outcome !== 'ended') {
    expect(outcome).toMatchObject(stop.signal.reason === outcome ? {} : { code: 'aborted' })
    expect(underWay.flatMap(({ messages }) => refusals(messages))).toEqual([])
    const left = JSON.stringify(histories(its.made))
    await settled()
    expect(JSON.stringify(histories(its.made))).toEqual(left)
  }
  return true
}

it.each(Object.keys(faces))('a chat stopped anywhere leaves histories that can be sent again (%s)', async (name) => {
  await fc.assert(
    fc.asyncProperty(chatPlan, async (plan) => {
      for (let at = 0; at < 40; at++) if (!(await stops(plan, faces[name]!, at))) break
    }),
    { numRuns: Number(process.env['PROGRAMS'] ?? 15) },
  )
})
