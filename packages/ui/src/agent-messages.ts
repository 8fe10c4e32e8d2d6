import type { XEvent } from '@x/interfaces'
import { contentText } from '@x/kernel/tool-content'
import { readable } from './json.ts'
import { type Place, STOPPED } from './run-places.ts'
import type { UiAgentMessage, UiAgentPart, UiError, UiMessageChunk } from './ui-message-chunk.ts'

const STATES = { ok: 'done', error: 'failed', aborted: 'stopped', suspended: 'waiting' } as const

/**
 * The agents inside tools and chats: a message for each text and each call, and one without parts that has the state of the agent.
 * Each changes once at most, so that what an agent says is not sent again with all that follows.
 */
export class AgentMessages {
  readonly #errorText: (error: UiError) => string
  /** The ends of the messages that are under way, by their spans. */
  readonly #open = new Map<string, UiMessageChunk>()

  constructor(errorText: (error: UiError) => string) {
    this.#errorText = errorText
  }

  /** Returns a message of an agent as a part, if an event makes or changes one. */
  add(
    event: XEvent,
    { owner, agent }: Extract<Place, { level: 'agent' }>,
    toolCallId: string | null,
    isReasoned: boolean,
  ): UiMessageChunk | null {
    const put = (
      key: string | number,
      parts: readonly UiAgentPart[],
      state?: UiAgentMessage['metadata']['state'],
    ): UiMessageChunk => {
      const id = `${owner}-${key}`
      const metadata = { agent, toolCallId, ...(state && { state }) }
      return { type: 'data-agent', id, data: { id, role: 'assistant', metadata, parts } satisfies UiAgentMessage }
    }
    switch (event.type) {
      case 'chatStart':
        this.#open.set(event.id, put('', [], 'stopped'))
        return put('', [], 'running')
      case 'chatEnd':
        if (event.outcome !== 'suspended') this.#open.delete(event.id)
        return put('', [], STATES[event.outcome])
      case 'toolStart':
        this.#open.set(event.id, put(event.id, [this.#failed(event, null)]))
        return put(event.id, [{ ...callOf(event), state: 'input-available' }])
      case 'toolEnd':
        if (event.outcome === 'suspended') return null
        this.#open.delete(event.id)
        return put(event.id, [this.#ended(event)])
      case 'modelCallEnd':
      case 'replyEnd': {
        const reasoning = (isReasoned && event.type === 'modelCallEnd' && event.details?.reasoning) || ''
        const text = textOf(event.type === 'replyEnd' ? event.reply : event.message)
        const parts = [...textPart('reasoning', reasoning), ...textPart('text', text)]
        return parts.length > 0 ? put(event.seq, parts) : null
      }
      default:
        return null
    }
  }

  /** Ends what was stopped in the middle. */
  endAll(): Iterable<UiMessageChunk> {
    return this.#open.values()
  }

  #ended(event: Extract<XEvent, { type: 'toolEnd' }>): UiAgentPart {
    const { id, approval, outcome, parts, result, error } = event
    if (approval?.allow === false) {
      const reason = approval.reason === null ? {} : { reason: approval.reason }
      return { ...callOf(event), state: 'output-denied', approval: { id, approved: false, ...reason } }
    }
    if (outcome === 'ok') return { ...callOf(event), state: 'output-available', output: parts ?? result }
    return this.#failed(event, error)
  }

  #failed(event: ToolEvent, error: UiError | null): UiAgentPart {
    return { ...callOf(event), state: 'output-error', errorText: this.#errorText(error ?? STOPPED) }
  }
}

type ToolEvent = Extract<XEvent, { type: 'toolStart' | 'toolEnd' }>

const callOf = ({ id, name, arguments: input }: ToolEvent) =>
  ({ type: `tool-${name}`, toolCallId: id, input: readable(input) }) as const

const textPart = (type: 'text' | 'reasoning', text: string): UiAgentPart[] =>
  text ? [{ type, text, state: 'done' }] : []

const textOf = (reply: Extract<XEvent, { type: 'replyEnd' }>['reply']): string =>
  typeof reply === 'object' ? (reply?.role === 'tool' ? '' : contentText(reply?.content)) : reply
