import type { Budget, ChatOptions, ChatResult, Spending, ToolContext, XEvent } from '@x/interfaces'
import { XError } from '@x/kernel'
import { functionModel } from '@x/testing'
import { ConversableAgent, tool, type ConversableAgentOptions } from '../index.ts'

/** An agent that shows nothing and asks nobody. */
export const agent = (name: string, options: Partial<ConversableAgentOptions> = {}): ConversableAgent =>
  new ConversableAgent({ name, io: { send: () => {}, input: () => 'exit' }, humanInputMode: 'NEVER', ...options })

/** A model that always says the same. */
export const says = (text: string): Partial<ConversableAgentOptions> => ({ llmConfig: functionModel(() => text) })

/** A budget of a number of calls. */
export function callsOf(limit: number): Budget {
  const spent: Spending = { cost: 0, tokens: 0, calls: 0 }
  return {
    spent,
    reserve() {
      if (spent.calls >= limit) throw new XError('budget-exceeded', `the budget of ${limit} calls is used up`)
      spent.calls++
      let open = true
      const close = (back: number): void => {
        if (open) spent.calls -= back
        open = false
      }
      return { settle: () => close(0), release: () => close(1) }
    },
  }
}

/** Two agents that talk without an end, each answer of one being a call of a model. */
export const endless = (): readonly [ConversableAgent, ConversableAgent] => [
  agent('clerk', { defaultAutoReply: 'more' }),
  agent('expert', says('well')),
]

/** What a chat whose assistant calls one tool gave, and what its listener got. */
export interface ToolChat {
  readonly result: ChatResult | undefined
  readonly error: unknown
  readonly events: readonly XEvent[]
  /** What the tool answered, as the model was told. */
  readonly answer: string
}

/** A chat whose assistant calls one tool once and then repeats what it answered. */
export async function toolChat(
  execute: (context: ToolContext) => unknown,
  options: ChatOptions & { timeout?: number } = {},
): Promise<ToolChat> {
  const events: XEvent[] = []
  const { timeout, ...chat } = options
  const user = agent('user')
  const assistant = agent('assistant', {
    llmConfig: functionModel(({ messages }) => {
      const last = messages.at(-1)!
      if (last.role === 'tool') return last.content as string
      return {
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'ask', arguments: '{}' } }],
      }
    }),
  })
  user.registerForExecution(
    tool({
      name: 'ask',
      description: 'asks',
      parameters: { type: 'object' },
      timeout,
      execute: (_, context) => execute(context),
    }),
  )
  const emit = (event: XEvent): void => void events.push(event)
  try {
    const result = await user.initiateChat(assistant, { message: 'hi', maxTurns: 2, emit, ...chat })
    return { result, error: undefined, events, answer: result.summary as string }
  } catch (error) {
    return { result: undefined, error, events, answer: '' }
  }
}
