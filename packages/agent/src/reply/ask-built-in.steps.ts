import type { ReplyOutcome } from '@x/interfaces'
import { currentRun, type Steps } from '@x/kernel'
import type { State } from '../memory/state.ts'
import type { AskedInRun, AskedReply } from '../options/operations.ts'
import { withSilence } from '../run/within.steps.ts'

/** Asks a built-in reply function of an agent by hand. */
export const askBuiltIn = <C>(
  reply: (state: State, asked: AskedInRun<C>) => Steps<ReplyOutcome>,
  state: State,
  options: AskedReply<C>,
): Steps<ReplyOutcome> => withSilence(state.silent, ask(reply, state, options))

function* ask<C>(
  reply: (state: State, asked: AskedInRun<C>) => Steps<ReplyOutcome>,
  state: State,
  { messages = null, sender = null, config = null }: AskedReply<C>,
): Steps<ReplyOutcome> {
  return yield* reply(state, { messages, sender, config, run: yield* currentRun() })
}
