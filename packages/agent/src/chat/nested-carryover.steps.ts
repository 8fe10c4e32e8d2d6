import type { Agent, ChatMessage, ReplyInput } from '@x/interfaces'
import { XError, type Steps } from '@x/kernel'
import { externalCall } from '../run/external-call.steps.ts'
import { textOfResult } from '../memory/text.ts'
import { CARRIED } from '../durability/saved-shapes.ts'
import type { NestedCarryover } from '../options/operations.ts'
import { stateOf } from '../memory/state.ts'
import { reflection } from './summary.steps.ts'

/** The reference leaves out the newest two messages: where it uses this, they only announce the nested chat. */
const ANNOUNCEMENT = 2

/** The first message of a nested queue with the outer chat behind it, under `Context:`. */
export function* withOuterChat(
  text: string,
  { summaryMethod: method, summaryArgs }: NestedCarryover,
  { agent, recipient, input }: { agent: Agent; recipient: Agent; input: ReplyInput },
): Steps<string> {
  const messages = input.messages.slice(0, -ANNOUNCEMENT)
  const args = summaryArgs ?? {}
  const prefix = text === '' ? 'Context:\n' : `${text}\nContext:\n`
  if (method === 'all') return prefix + joined(messages)
  if (method === 'last_msg') return prefix + joined(messages.slice(-1))
  if (method === 'reflection_with_llm') {
    const asking = stateOf(input.sender ?? agent)
    return prefix + (yield* reflection(asking, stateOf(recipient), messages, args))
  }
  if (typeof method !== 'function') {
    throw new XError(
      'invalid-argument',
      `the \`summaryMethod\` of a \`carryoverConfig\` is \`${String(method)}\`: give 'all', 'last_msg', 'reflection_with_llm', or a function`,
    )
  }
  const label = 'the function that sums the outer chat up'
  const call = { kind: 'carryover', label, shape: CARRIED, agent } as const
  const made = yield* externalCall(call, (context) => method(agent, messages, args, context))
  return prefix + (typeof made === 'string' ? made : joined(made))
}

const joined = (messages: readonly ChatMessage[]): string =>
  messages
    .flatMap(({ content }) => (content === null || content === undefined ? [] : [textOfResult(content)]))
    .join('\n')
