import { ConversableAgent, type ConversableAgentOptions } from '@x/agent'
import type { ChatMessage, Io, XEvent } from '@x/interfaces'
import { GroupChatManager } from './group-chat-manager.ts'
import { GroupChat } from './group-chat.ts'
import type { GroupChatOptions } from './group/group-options.ts'

/** Makes an `io` that records events and types prepared lines; a prompt beyond the last line fails. */
export function recordingIo(lines: readonly string[] = []): Io & { readonly events: XEvent[] } {
  const left = [...lines]
  const events: XEvent[] = []
  return {
    events,
    send: (event) => void events.push(event),
    input(prompt) {
      const line = left.shift()
      if (line === undefined) throw new Error(`no line is left for \`${prompt}\``)
      return line
    },
  }
}

/** An `io` that ignores events and types nothing. */
export const quiet: Io = { send: () => {}, input: () => '' }

/** Makes an agent that says its name, unless its options change the reply. */
export const member = (name: string, options: Partial<ConversableAgentOptions> = {}): ConversableAgent =>
  new ConversableAgent({
    humanInputMode: 'NEVER',
    defaultAutoReply: `from ${name}`,
    description: `${name} knows ${name}`,
    io: quiet,
    ...options,
    name,
  })

/** Makes agents with these names. */
export const members = (...names: string[]): ConversableAgent[] => names.map((name) => member(name))

/** Makes a group of agents that speak in order, and its manager. */
export function groupOf(
  agents: readonly ConversableAgent[],
  options: Partial<GroupChatOptions> = {},
  managing: Partial<ConversableAgentOptions> = {},
): { readonly group: GroupChat; readonly manager: GroupChatManager } {
  const group = new GroupChat({ speakerSelectionMethod: 'round_robin', maxRound: 4, io: quiet, ...options, agents })
  const { silent: _, ...rest } = managing
  return { group, manager: new GroupChatManager({ io: quiet, name: 'manager', ...rest, groupchat: group }) }
}

/** Writes one line for each message: the speaker and the content. */
export const lines = (messages: readonly ChatMessage[]): string[] =>
  messages.map(({ name, content }) => `${name}: ${JSON.stringify(content)}`)

/** Makes a message that calls functions without arguments. */
export const calling = (...names: string[]): ChatMessage => ({
  content: null,
  tool_calls: names.map((name, index) => ({
    id: `${name}${index}`,
    type: 'function',
    function: { name, arguments: '{}' },
  })),
})
