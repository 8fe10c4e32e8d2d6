import { initiateChat } from '@x/agent/steps'
import type { ChatOptions, ChatResult } from '@x/interfaces'
import type { Steps } from '@x/kernel'
import type { SessionAgents } from './session-agents.ts'

/** Called at the begin and end of a turn. */
export interface TurnListener {
  begin(): void
  /** Also called when the turn was stopped or failed. */
  end(outcome: { readonly suspended: boolean }): void
}

/** Runs a turn: the person's agent sends a message, and the assistant answers it. */
export function* runTurn(
  { user, assistant }: SessionAgents,
  options: ChatOptions,
  listener: TurnListener,
): Steps<ChatResult> {
  let suspended = false
  listener.begin()
  try {
    const result = yield* initiateChat(user, assistant, options)
    suspended = result.terminationReason === 'suspended'
    return result
  } finally {
    listener.end({ suspended })
  }
}
