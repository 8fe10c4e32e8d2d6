import { createAgent, tool, type ConversableAgent } from '@x/agent'
import type { ChatMessage, EventStream, XEvent } from '@x/interfaces'
import { functionModel, type ScriptedReply } from '@x/testing'
import fc from 'fast-check'

/** A turn of an agent: what it says, and which tools it calls at once. Its last turn calls none. */
interface Turn {
  readonly text: string
  readonly calls: readonly (ToolKind | Plan)[]
}
/** An agent: the turns of each of its runs. An agent in a call is asked as a tool. */
export interface Plan {
  readonly turns: readonly Turn[]
  readonly ends: 'well' | 'badly'
}
const TOOLS = ['look', 'fail', 'approve', 'ask', 'unknown'] as const
type ToolKind = (typeof TOOLS)[number]

const textOf = fc.constantFrom('', 'One.', 'Two words.')
/** Plans of agents, with agents inside tools. */
export const plans = fc.letrec<{ plan: Plan; turn: Turn }>((tie) => ({
  turn: fc.record({
    text: textOf,
    calls: fc.array(fc.oneof({ depthSize: 'small', withCrossShrink: true }, fc.constantFrom(...TOOLS), tie('plan')), {
      minLength: 1,
      maxLength: 3,
    }),
  }),
  plan: fc.record({
    turns: fc.array(tie('turn'), { maxLength: 2 }),
    ends: fc.constantFrom('well', 'well', 'well', 'badly'),
  }),
})).plan

const NO_PARAMETERS = { type: 'object', properties: {} }
const tools = [
  tool({ name: 'look', description: 'l', parameters: NO_PARAMETERS, execute: () => ({ seen: [1, 'two'] }) }),
  tool({
    name: 'fail',
    description: 'f',
    parameters: NO_PARAMETERS,
    execute: () => {
      throw new Error('a secret path')
    },
  }),
  tool({
    name: 'approve',
    description: 'a',
    parameters: NO_PARAMETERS,
    needsApproval: true,
    execute: () => 'approved',
  }),
  tool({ name: 'ask', description: 'a', parameters: NO_PARAMETERS, execute: (_, { io }) => io?.input('Which?') }),
]

/** Makes an agent that follows a plan, whatever the order in which its calls are answered. */
export function agentOf({ turns, ends }: Plan, name: string): ConversableAgent {
  const inner = turns.flatMap(({ calls }, turn) =>
    calls.flatMap((call, index) => (typeof call === 'string' ? [] : [agentOf(call, `${name}_${turn}_${index}`)])),
  )
  const model = functionModel(({ messages }) => {
    const turn = messages.filter(({ role }) => role === 'assistant').length
    const { text, calls } = turns[turn] ?? { text: `${name} is done.`, calls: [] }
    if (calls.length === 0 && ends === 'badly')
      return { stream: [{ type: 'textDelta', index: 0, text: 'Half' }], error: new Error('a secret path') }
    return reply(
      text,
      calls.map((call, index) => (typeof call === 'string' ? call : `${name}_${turn}_${index}`)),
    )
  })
  const asTools = inner.map((agent) => agent.asTool())
  return createAgent({ name, description: name, model, tools: [...tools, ...asTools] })
}

function reply(content: string, names: readonly string[]): ScriptedReply {
  // Ids that come again in other turns and agents.
  const calls = names.map((name, index) => {
    const args = name.includes('_') ? '{"question":"Go on."}' : '{}'
    return { id: `c${index}`, function: { name, arguments: args } }
  })
  return { content: content || null, ...(calls.length > 0 && { tool_calls: calls }) }
}

/** Returns what the agent has said, by the messages of its run. */
export const textsIn = (messages: readonly ChatMessage[]): string[] =>
  messages.flatMap(({ content, role, name }) =>
    typeof content === 'string' && content && (role === 'assistant' || name === 'main') ? [content] : [],
  )

/** Passes events on, and stops their run behind a number of them. */
export async function* stopBehind(
  run: EventStream<unknown>,
  count: number,
  stop: AbortController,
): AsyncGenerator<XEvent> {
  let seen = 0
  for await (const event of run) {
    yield event
    if (++seen === count) stop.abort()
  }
}
