import type { ConversableAgent } from '@x/agent'
import { externalCall } from '@x/agent/steps'
import type { Io } from '@x/interfaces'
import { currentRun, type Steps } from '@x/kernel'

/** Most times that a person is asked for one choice. */
const TRIES = 2

/** The person who chooses, as events and the `io` know it. */
export interface Chooser {
  readonly io: Io
  /** The manager in whose run the choice is made; null outside of runs. */
  readonly manager: ConversableAgent | null
}

/** Asks a person for the number of the next speaker; null when the person leaves it open. */
export function* askPerson(agents: readonly ConversableAgent[], chooser: Chooser): Steps<ConversableAgent | null> {
  const names = agents.map(({ name }) => name)
  yield { type: 'selectSpeaker', agent: null, agents: names }
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const typed = yield* ask(chooser)
    if (typed === '' || typed === 'q') return null
    const chosen = /^\s*\+?\d+\s*$/u.test(typed) ? agents[Number(typed) - 1] : undefined
    if (chosen) return chosen
    yield { type: 'selectSpeakerInvalidInput', agent: null, agents: names }
  }
  yield { type: 'selectSpeakerTryCountExceeded', agent: null, tryCount: TRIES + 1, agents: names }
  return null
}

const QUESTION = 'Number of the next speaker (an empty line, or `q`, leaves it to the order of the group): '

function* ask({ io, manager }: Chooser): Steps<string> {
  const blocking = (yield* currentRun()).face === 'sync'
  const name = manager?.name
  const typed = yield* externalCall(
    {
      kind: 'human',
      label: 'the choice of the next speaker',
      shape: { type: ['string', 'null'] },
      agent: manager ?? undefined,
      ...(manager && { span: { type: 'humanInput', agent: manager.name } as const }),
    },
    ({ signal, run }) => io.input(QUESTION, { ...(name !== undefined && { agent: name }), signal, blocking, run }),
  )
  return typed ?? ''
}
