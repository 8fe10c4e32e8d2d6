import type { XEvent } from '@x/interfaces'
import { contentText } from '@x/kernel/tool-content'
import type { Place } from './run-places.ts'
import type { UiAgentMessage, UiAgentPart, UiError, UiMessageChunk } from './ui-message-chunk.ts'

type AgentPlace = Extract<Place, { level: 'agent' }>
type State = UiAgentMessage['metadata']['state']

const STATES = { ok: 'done', error: 'failed', aborted: 'stopped', suspended: 'waiting' } as const

/** The agents inside tools and chats, each as a message of its own. */
export class AgentMessages {
  readonly #errorText: (error: UiError) => string
  readonly #messages = new Map<string, UiAgentMessage>()

  constructor(errorText: (error: UiError) => string) {
    this.#errorText = errorText
  }

  /** Returns the message of an agent as a part, if an event changes it. */
  add(event: XEvent, place: AgentPlace, toolCallId: string | null, isReasoned: boolean): UiMessageChunk | null {
    const message = this.#messages.get(place.owner) ?? newMessage(event, place, toolCallId)
    const changed = this.#changed(message, event, isReasoned)
    if (!changed) return null
    this.#messages.set(place.owner, changed)
    return partOf(changed)
  }

  /** Ends those that were stopped in the middle. */
  endAll(): UiMessageChunk[] {
    const open = [...this.#messages.values()].filter(
      ({ metadata: { state } }) => state === 'running' || state === 'waiting',
    )
    return open.map((message) => partOf(withState(message, 'stopped')))
  }

  #changed(message: UiAgentMessage, event: XEvent, isReasoned: boolean): UiAgentMessage | null {
    switch (event.type) {
      case 'chatStart':
        return withState(message, 'running')
      case 'chatEnd':
        return withState(message, STATES[event.outcome])
      case 'modelCallEnd': {
        const reasoning = isReasoned ? (event.details?.reasoning ?? '') : ''
        return withParts(message, [...textPart('reasoning', reasoning), ...textPart('text', textOf(event.message))])
      }
      case 'replyEnd':
        return withParts(message, textPart('text', textOf(event.reply)))
      case 'toolStart':
      case 'toolEnd':
        return this.#withTool(message, event)
      default:
        return null
    }
  }

  #withTool(message: UiAgentMessage, event: Extract<XEvent, { type: 'toolStart' | 'toolEnd' }>): UiAgentMessage | null {
    const { id } = event
    if (event.type === 'toolEnd' && event.outcome === 'suspended') return null
    const part = this.#toolPart(event)
    const index = message.parts.findIndex((each) => 'toolCallId' in each && each.toolCallId === id)
    if (index === -1) return withParts(message, [part])
    return { ...message, parts: message.parts.with(index, part) }
  }

  #toolPart(event: Extract<XEvent, { type: 'toolStart' | 'toolEnd' }>): UiAgentPart {
    const { id, name, arguments: input } = event
    const tool = { type: `tool-${name}`, toolCallId: id, input } as const
    if (event.type === 'toolStart') return { ...tool, state: 'input-available' }
    const { approval, outcome, parts, result, error } = event
    if (approval?.allow === false) {
      const reason = approval.reason === null ? {} : { reason: approval.reason }
      return { ...tool, state: 'output-denied', approval: { id, approved: false, ...reason } }
    }
    if (outcome === 'ok') return { ...tool, state: 'output-available', output: parts ?? result }
    return { ...tool, state: 'output-error', errorText: this.#errorText(error ?? STOPPED) }
  }
}

/** Why work ends that is still under way when the run has ended. */
export const STOPPED: UiError = { code: 'aborted', message: 'the call was stopped' }

/** A message that goes on in another process is a part of its own: a page keeps what it has. */
const newMessage = ({ seq }: XEvent, { owner, agent }: AgentPlace, toolCallId: string | null): UiAgentMessage => ({
  id: `${owner}-${seq}`,
  role: 'assistant',
  metadata: { agent, toolCallId, state: 'running' },
  parts: [],
})

const withState = (message: UiAgentMessage, state: State): UiAgentMessage => ({
  ...message,
  metadata: { ...message.metadata, state },
})

const withParts = (message: UiAgentMessage, parts: readonly UiAgentPart[]): UiAgentMessage | null =>
  parts.length === 0 ? null : { ...message, parts: [...message.parts, ...parts] }

const textPart = (type: 'text' | 'reasoning', text: string): UiAgentPart[] =>
  text ? [{ type, text, state: 'done' }] : []

const textOf = (reply: Extract<XEvent, { type: 'replyEnd' }>['reply']): string =>
  typeof reply === 'object' ? (reply?.role === 'tool' ? '' : contentText(reply?.content)) : reply

const partOf = (message: UiAgentMessage): UiMessageChunk => ({ type: 'data-agent', id: message.id, data: message })
