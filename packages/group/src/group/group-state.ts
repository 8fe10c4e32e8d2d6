import type { ChatMessage, EventBody, LlmConfig, Model } from '@x/interfaces'
import type { Group } from './group.ts'
import type { GroupSettings } from './group-options.ts'
import type { Followers } from './transitions.ts'

/** All mutable state of a group; used by the steps, not by the public methods. */
export interface GroupState {
  /** The group as functions are given it. */
  readonly group: Group
  readonly settings: GroupSettings
  readonly followers: Followers
  /** Frozen, oldest first; a new array when it is cleared. */
  messages: ChatMessage[]
  /** Whether a run is under way. */
  running: boolean
  /** The model that chooses speakers, and of which config it was made; null before the first choice. */
  selector: SelectorModel | null
  /** Warnings that were given already. */
  readonly warned: Set<string>
}

/** A model that chooses speakers. */
export interface SelectorModel {
  readonly config: LlmConfig
  readonly model: Model
  /** Whether its usage is its own, and not that of the agent in whose name it is asked. */
  readonly ownUsage: boolean
}

/** The state of a group. */
export const groupStateOf = (group: Group): GroupState =>
  (group as { readonly '~state'?: unknown })['~state'] as GroupState

/** Gives the warning of a text the first time that it is due. */
export function warningOf(state: GroupState, agent: string | null, text: string): EventBody | null {
  if (state.warned.has(text)) return null
  state.warned.add(text)
  return { type: 'warning', agent, topic: 'group', text }
}

/** Sends an event outside of runs: to the `io` of the group. */
export function report({ settings: { io } }: GroupState, event: EventBody): void {
  if (io.takes && !io.takes.has(event.type)) return
  void io.send({ ...event, chatId: null, agentPath: event.agent === null ? null : [event.agent] })
}
