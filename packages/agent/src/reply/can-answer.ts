import type { State } from '../memory/state.ts'
import { BUILT_INS } from './built-in.steps.ts'
import { saysNothing } from './reply.steps.ts'

const BUILT_IN_REPLIES: ReadonlySet<unknown> = new Set(Object.values(BUILT_INS).map(({ reply }) => reply))

/** True if an agent has a reply function that is not built in, or a built-in one with a config of its own. */
export const hasOwnReplies = ({ replies }: Pick<State, 'replies'>): boolean =>
  replies.some((entry) => entry !== null && (entry.config !== null || !BUILT_IN_REPLIES.has(entry.replyFunc)))

/**
 * True if an agent has something to reply with: a model, a person, code, members, a hook or a reply of its own, and where it
 * may get `calls`, functions.
 */
export function canAnswer(state: State, { calls }: { readonly calls: boolean }): boolean {
  const { model, humanInputMode, codeExecution, functionMap, managerRole, hooks, settings } = state
  return (
    Boolean(model ?? codeExecution ?? managerRole) ||
    (calls && functionMap !== undefined) ||
    humanInputMode === 'ALWAYS' ||
    !saysNothing(settings.defaultAutoReply) ||
    hooks.processMessageBeforeSend.length > 0 ||
    hasOwnReplies(state)
  )
}
