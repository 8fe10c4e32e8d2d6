import type { HostedChat } from '@x/interfaces'
import { XError } from '@x/kernel'
import type { ChatHost, TurnInput } from './chat-host.ts'
import { kindOf, turnId } from './chat-ids.ts'

/** A place in the journal of a turn before all of its entries. */
const BEGINNING = '0'

/** A time that does not come: a turn that is cancelled runs on no worker before. */
const NEVER = 8.64e15

/** A fork of a chat at a turn. */
interface ForkedTurns {
  readonly from: string
  /** The new chat. */
  readonly to: string
  /** The turn that is done anew. */
  readonly turn: number
  /** The words of the person in it; undefined: those that they have said. */
  readonly text: string | undefined
}

/**
 * Copies the turns of a chat before one of them into a new chat, and begins that one anew there. Answers come from the journals of
 * the turns: nothing is paid or done twice. A turn that was stopped or has failed goes on where it ended, unless its text is
 * another one. Fails with `invalid-argument` if there is no such turn, with `invalid-state` if it has not ended.
 */
export async function forkTurns(chatHost: ChatHost, { from, to, turn, text }: ForkedTurns): Promise<void> {
  const { host } = chatHost
  const last = await host.get(turnId(from, turn))
  if (!last) throw new XError('invalid-argument', `the chat has no turn ${turn}`)
  if (!last.outcome && text === undefined) {
    throw new XError('invalid-state', 'an answer is being written: wait for its end or stop it')
  }
  for (let before = 0; before < turn; before++) {
    await copyTurn(chatHost, (await host.get(turnId(from, before)))!, to)
  }
  const input = last.input as TurnInput
  await chatHost.files.copy(from, to, input.files)
  const isDone = last.outcome?.state === 'done'
  await host.fork(last.id, isDone || text !== undefined ? BEGINNING : null, {
    id: turnId(to, turn),
    input: {
      ...{ chat: to, turn, text: text ?? input.text },
      ...(input.files && { files: input.files }),
      ...((text === undefined || text === input.text) && { again: true }),
    },
  })
}

async function copyTurn(
  { host, programs, files: kept }: ChatHost,
  { id, outcome, input }: HostedChat,
  to: string,
): Promise<void> {
  const { origin = id, ...turn } = input as TurnInput
  await kept.copy(turn.chat, to, turn.files)
  const copy = turnId(to, turn.turn)
  const repeated = { ...turn, chat: to, origin }
  if (outcome?.state === 'done') {
    await host.fork(id, null, { id: copy, input: repeated })
    return
  }
  // What was cut off is not answered in the copy either.
  await host.submit(programs[kindOf(to)!], repeated, { id: copy, at: NEVER })
  await host.cancel(copy, 'stopped')
}
