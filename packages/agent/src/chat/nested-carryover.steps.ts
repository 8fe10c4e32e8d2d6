import type { Agent, ChatMessage, MaybePromise, ReplyInput, SummaryArgs } from '@x/interfaces'
import { XError, type Steps } from '@x/kernel'
import type { ConversableAgent } from '../conversable-agent.ts'
import { leaf } from '../resume/leaf.steps.ts'
import { textOfResult } from '../tool/result-text.ts'
import { CARRIED } from '../resume/saved-shapes.ts'
import { stateOf } from '../state/state.ts'
import { reflection } from './summary.steps.ts'

/** How the outer chat is told to the first chat of a nested queue. */
export interface NestedCarryover {
  /** All its messages, the last one, a summary by a model, or what a function makes of them. */
  readonly summaryMethod:
    | 'all'
    | 'last_msg'
    | 'reflection_with_llm'
    | ((agent: Agent, messages: readonly ChatMessage[], args: SummaryArgs) => MaybePromise<string | ChatMessage[]>)
  readonly summaryArgs?: SummaryArgs | null | undefined
}

/** The reference leaves out the newest two messages: where it uses this, they only announce the nested chat. */
const ANNOUNCEMENT = 2

/** The first message of a nested queue with the outer chat behind it, under `Context:`. */
export function* withOuterChat(
  text: string,
  { summaryMethod: method, summaryArgs }: NestedCarryover,
  { agent, recipient, input }: { agent: ConversableAgent; recipient: ConversableAgent; input: ReplyInput },
): Steps<string> {
  const messages = input.messages.slice(0, -ANNOUNCEMENT)
  const args = summaryArgs ?? {}
  const prefix = text === '' ? 'Context:\n' : `${text}\nContext:\n`
  if (method === 'all') return prefix + joined(messages)
  if (method === 'last_msg') return prefix + joined(messages.slice(-1))
  if (method === 'reflection_with_llm') {
    const asking = stateOf((input.sender ?? agent) as ConversableAgent)
    return prefix + (yield* reflection(asking, stateOf(recipient), messages, args))
  }
  if (typeof method !== 'function') {
    throw new XError(
      'invalid-argument',
      `the \`summaryMethod\` of a \`carryoverConfig\` is \`${String(method)}\`: give 'all', 'last_msg', 'reflection_with_llm', or a function`,
    )
  }
  const what = 'the function that sums the outer chat up'
  const made = yield* leaf(stateOf(agent), what, () => method(agent, messages, args), CARRIED)
  return prefix + (typeof made === 'string' ? made : joined(made))
}

const joined = (messages: readonly ChatMessage[]): string =>
  messages
    .flatMap(({ content }) => (content === null || content === undefined ? [] : [textOfResult(content)]))
    .join('\n')
