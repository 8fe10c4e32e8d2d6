import type { ConversableAgent } from '@x/agent'
import { externalCall } from '@x/agent/steps'
import type { Io } from '@x/interfaces'
import { currentRun, type Steps } from '@x/kernel'

/** Most prompts for one choice. */
const MAX_CHOICE_ATTEMPTS = 2

const CHOICE_PROMPT = 'Number of the next speaker (an empty line, or `q`, leaves it to the order of the group): '

/** The person who chooses, as events and the `io` know them. */
export interface Chooser {
  readonly io: Io
  /** The manager of the run in which the choice is made; null outside of runs. */
  readonly manager: ConversableAgent | null
}

/** Asks a person for the number of the next speaker; null when the person leaves it open. */
export function* askPerson(agents: readonly ConversableAgent[], chooser: Chooser): Steps<ConversableAgent | null> {
  const names = agents.map(({ name }) => name)
  yield { type: 'selectSpeaker', agent: null, agents: names }
  for (let attempt = 0; attempt < MAX_CHOICE_ATTEMPTS; attempt++) {
    const typed = yield* readLine(chooser, names)
    if (typed === '' || typed === 'q') return null
    const agent = /^\s*\+?\d+\s*$/u.test(typed) ? agents[Number(typed) - 1] : undefined
    if (agent) return agent
    yield { type: 'selectSpeakerInvalidInput', agent: null, agents: names }
  }
  yield { type: 'selectSpeakerTryCountExceeded', agent: null, tryCount: MAX_CHOICE_ATTEMPTS + 1, agents: names }
  return null
}

function* readLine({ io, manager }: Chooser, agents: readonly string[]): Steps<string> {
  const blocking = (yield* currentRun()).face === 'sync'
  const name = manager?.name
  const typed = yield* externalCall(
    {
      kind: 'human',
      label: 'the choice of the next speaker',
      shape: { type: ['string', 'null'] },
      agent: manager ?? undefined,
      asks: () => ({ prompt: CHOICE_PROMPT, agents }),
      ...(manager && { question: { agent: manager.name, prompt: CHOICE_PROMPT } }),
    },
    ({ signal, run }) => io.input(CHOICE_PROMPT, { ...(name !== undefined && { agent: name }), signal, blocking, run }),
  )
  return typed ?? ''
}
