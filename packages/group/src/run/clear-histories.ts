import { shortenHistory } from '@x/agent/steps'
import type { ChatMessage, EventBody } from '@x/interfaces'
import type { GroupState } from '../group/group-state.ts'

/** The result of a command to clear histories: the text without the command, and the events of the change. */
export interface ClearedHistories {
  readonly text: string
  readonly events: readonly EventBody[]
}

/** Clears histories by the command in a message; a text without a command stays as it is. */
export function clearHistories(state: GroupState, reply: ChatMessage, manager: string): ClearedHistories {
  const text = typeof reply.content === 'string' ? reply.content : ''
  const command = readClearCommand(text, state.group.agentNames)
  if (!command) return { text, events: [] }
  const events: EventBody[] = []
  // Providers refuse results without the calls that they answer.
  const keepsCall = Boolean(reply.tool_responses) && !command.preserved
  const preserved = keepsCall ? 1 : command.preserved
  if (keepsCall) {
    events.push({
      type: 'warning',
      agent: manager,
      topic: 'group',
      text: 'clearing histories keeps the last message, so that the results of tools stay with their calls',
    })
  }
  const { member } = command
  events.push({ type: 'clearAgentsHistory', agent: member, nrMessagesToPreserve: preserved })
  if (member === null) state.messages = preserved ? state.messages.slice(-preserved) : []
  for (const agent of state.settings.agents) {
    if (member !== null && agent.name !== member) continue
    if (!preserved) agent.clearHistory()
    const event = preserved ? shortenHistory(agent, preserved) : undefined
    if (event) events.push(event)
  }
  return { text: command.rest, events }
}

/** A command to clear histories, read from a message. */
export interface ClearCommand {
  /** Name of the member whose history is cleared; null for all members. */
  readonly member: string | null
  /** Number of newest messages to keep; null without a number. */
  readonly preserved: number | null
  /** The text without the command. */
  readonly rest: string
}

/**
 * Reads the last `CLEAR HISTORY` of a text, in upper or lower case; punctuation may surround the words. The name of a
 * member and a number may follow in either order, each with one punctuation mark behind it; any other word ends the
 * command. Returns null for a text without a command.
 */
export function readClearCommand(text: string, members: readonly string[]): ClearCommand | null {
  const words = text.split(/\s+/u).filter(Boolean)
  const at = words.findLastIndex((word, index) => isWord(word, 'CLEAR') && isWord(words[index + 1], 'HISTORY'))
  if (at === -1) return null
  let end = at + 2
  let member: string | null = null
  let preserved: number | null = null
  for (; end < at + 4 && end < words.length; end++) {
    const [word, bare] = [words[end]!, words[end]!.replace(TRAILING_SIGN_PATTERN, '')]
    const name = members.find((each) => each === word) ?? members.find((each) => each === bare)
    if (preserved === null && /^\d+$/u.test(bare)) preserved = Number(bare)
    else if (member === null && name !== undefined) member = name
    else break
  }
  return { member, preserved, rest: [...words.slice(0, at), ...words.slice(end)].join(' ') }
}

const TRAILING_SIGN_PATTERN = /[\p{P}\p{S}]$/u

/** True if a text is a word with nothing but signs around it. */
function isWord(text: string | undefined, word: string): boolean {
  const letters = text?.match(/[^\p{P}\p{S}]+/gu)
  return letters?.length === 1 && letters[0].toUpperCase() === word
}
