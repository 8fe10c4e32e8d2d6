import { setTimeout } from 'node:timers/promises'
import type { ChatMessage, LlmConfig, ModelEvent } from '@x/interfaces'
import { functionModel, type ScriptedReply } from '@x/testing'

/** Names of the inner agents by which a group asks a model for the next speaker. */
const [SELECTING_AGENT_NAME, CHECKING_AGENT_NAME] = ['speaker_selection_agent', 'checking_agent']

/** The reply of a member: a text, or a call of a tool. */
type Part = string | { readonly name: string; readonly arguments: object }

/**
 * Makes a model that plays all members of the example group and chooses the speakers, for users without a key. `pace` is
 * the time between two words, in milliseconds.
 */
export function simulatedGroup(pace = 30): LlmConfig {
  return functionModel(
    ({ messages, agent = '' }) => {
      const conversation = messages.filter(({ role, name }) => role !== 'system' && name !== CHECKING_AGENT_NAME)
      const part = agent === SELECTING_AGENT_NAME ? nextSpeaker(conversation) : replyOf(agent, conversation)
      const usage = usageOf(messages, part)
      if (typeof part === 'string')
        return agent === SELECTING_AGENT_NAME ? { content: part, usage } : streamWords(part, usage, pace)
      const { name, arguments: args } = part
      const called = { name, arguments: JSON.stringify(args) }
      return {
        content: null,
        tool_calls: [{ id: `${name}_${conversation.length}`, type: 'function', function: called }],
        usage,
      }
    },
    { model: 'simulated' },
  )
}

/** Chooses the speaker after the last message: planner, person, cook, critic, buyer, and the planner again. */
function nextSpeaker(messages: readonly ChatMessage[]): string {
  const last = messages.at(-1)
  if (last?.name === 'user') return messages.at(-2)?.name === 'planner' && !isEnd(messages.at(-2)!) ? 'cook' : 'planner'
  if (last?.role === 'tool') return 'buyer'
  return { planner: 'user', cook: 'critic', critic: 'buyer' }[last?.name ?? ''] ?? 'planner'
}

const isEnd = ({ content }: ChatMessage): boolean => typeof content === 'string' && content.includes('TERMINATE')

function replyOf(agent: string, messages: readonly ChatMessage[]): Part {
  if (agent === 'buyer') return buy(messages.at(-1))
  if (agent === 'critic') return 'That is a lot at once at 19:40. Lay the table first, and buy the pears ripe.'
  if (agent === 'cook') {
    const wish = lastUserText(messages)
    return (
      `${wish && `“${wish}”: I keep it in mind. `}Soup first: simmer two leeks in \`1 l\` of stock for 20 minutes. Then the ` +
      'trout, 8 minutes on each side:\n\n```\n18:30  potatoes\n19:10  soup\n19:40  trout\n```'
    )
  }
  if (messages.at(-1)?.name === 'buyer') {
    return 'So it is settled: **leek soup**, **trout with potatoes**, **pears in red wine**. Dinner is at eight. TERMINATE'
  }
  return 'I propose:\n\n- leek soup\n- trout with potatoes\n- pears in red wine\n\nIs there anything that you do not eat?'
}

/** Returns the turn of the buyer: looks a price up, orders, and reports. */
function buy(last: ChatMessage | undefined): Part {
  const result = last?.role === 'tool' && typeof last.content === 'string' ? last.content : null
  if (result === null) return { name: 'look_up_price', arguments: { item: 'trout' } }
  if (result.startsWith('Error')) return `I have ordered nothing. ${result}`
  if (!result.startsWith('{')) return `The shop says: ${result}`
  const { euros = 0 } = JSON.parse(result) as { euros?: number }
  const items = ['4 trout', '2 leeks', '1 kg of potatoes', '6 pears']
  const note = 'Please ring twice.'
  return {
    name: 'order_groceries',
    arguments: { shop: 'market', items, limit: Math.ceil(euros * 8), note, express: false },
  }
}

/** Returns the last message of the person; empty if they stayed silent. */
function lastUserText(messages: readonly ChatMessage[]): string {
  const { content } = messages.findLast(({ name }) => name === 'user') ?? {}
  return typeof content === 'string' && !content.startsWith('(') ? content : ''
}

/** Estimates the tokens that a model would count: four characters a token. */
function usageOf(messages: readonly ChatMessage[], part: Part): [prompt: number, completion: number] {
  return [Math.ceil(JSON.stringify(messages).length / 4), Math.ceil(JSON.stringify(part).length / 4)]
}

/** Streams a text word by word, as a model behind a provider does. */
function streamWords(text: string, usage: [prompt: number, completion: number], pace: number): ScriptedReply {
  if (pace === 0) return { content: text, usage }
  const deltas = (text.match(/\S+\s*/gu) ?? []).map((word): ModelEvent => ({ type: 'textDelta', index: 0, text: word }))
  const [prompt, completion] = usage
  return {
    stream: [
      ...deltas.flatMap((delta, index) => [setTimeout(index * pace), delta]),
      { type: 'finish', index: 0, reason: 'stop' },
      {
        type: 'usage',
        usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
      },
    ],
  }
}
