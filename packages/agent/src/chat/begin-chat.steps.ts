import type { ChatOptions, Run } from '@x/interfaces'
import { currentRun, XError, type Steps } from '@x/kernel'
import { failRun } from '@x/kernel/run'
import { loadConversation, loadProgress, savedConversation, savedSettings } from '../durability/saved-agent.ts'
import { BEGINNING } from '../durability/saved-shapes.ts'
import type { SavedConversation, SavedSettings } from '../options/operations.ts'
import { openConversation, type State } from '../memory/state.ts'
import { keepAnswer, openCall } from '../run/external-call.steps.ts'
import { addParticipant } from '../run/recorder.ts'
import { type Scope, scopeIn } from '../run/scope.ts'
import { plainJson, sameJson } from '../data/plain-json.ts'

/** How two agents stand when their chat begins, as a journal keeps it. */
interface Beginning {
  /** The options that decide how the chat goes; limits and prompts are not among them: they may change while it waits. */
  readonly options: unknown
  readonly names: readonly string[]
  readonly agents: readonly SavedSettings[]
  readonly conversations: readonly SavedConversation[]
}

/** Keeps in the journal how the two sides of a chat stand when it begins, or makes them stand as they did. */
export function* beginChat(sides: readonly [State, State], options: ChatOptions): Steps<void> {
  const run = yield* currentRun()
  const scope = scopeIn(run)
  if (!scope.recorder) {
    scope.nextPlace()
    return
  }
  const names = sides.map(({ name }) => name)
  const call = { kind: 'begin', label: `a chat of \`${names.join('` with `')}\``, shape: BEGINNING } as const
  const open = openCall(scope, run, call)
  open.end()
  const given = plainOptions(options)
  const known = open.known?.value as Beginning | undefined
  if (known) {
    const differs = difference(open.place, known, { options: given, names })
    if (differs) failRun(run, differs)
  }
  const conversations = sides.map((state, index) => openConversation(state, sides[1 - index]!.agent, scope.chat))
  if (known) {
    for (const [index, state] of sides.entries()) {
      const settings = known.agents.find(({ name }) => name === state.name)
      if (settings) loadProgress(state, settings)
      loadConversation(conversations[index]!, known.conversations[index]!)
    }
  }
  const fresh = sides.filter((state) => isFresh(run, scope, state))
  if (known) return
  const saved = conversations.map((each, index) =>
    options.clearHistory === false
      ? savedConversation(each, sides[index]!.history)
      : savedConversation({ ...each, messages: [], savedHistory: undefined }),
  )
  const value: Beginning = { options: given, names, agents: fresh.map(savedSettings), conversations: saved }
  yield* keepAnswer(open, value)
}

/** Whether an agent takes part for the first time; two of one name could not be told apart. */
export function isFresh(run: Run, { participants }: Scope, state: State): boolean {
  const fresh = participants ? addParticipant(participants, state) : false
  if (fresh !== undefined) return fresh
  return failRun(
    run,
    new XError(
      'invalid-argument',
      `two agents are named \`${state.name}\`, and a chat with a journal could not tell them apart: rename one`,
    ),
  )
}

/** The options that decide how a chat goes, as far as they are plain. */
function plainOptions({ message, clearHistory = true, carryover = [] }: ChatOptions): unknown {
  const given = typeof message === 'function' ? 'a function' : (message ?? null)
  return plainJson({ message: given, clearHistory, carryover }, 'the options of a chat')
}

/** The error for a chat that is not the one that was saved. */
function difference(
  place: string,
  { names, options }: Beginning,
  given: { readonly names: readonly string[]; readonly options: unknown },
): XError | undefined {
  const [saved, now] = sameJson(names, given.names)
    ? [options, given.options]
    : [`a chat of ${names.join(' with ')}`, `a chat of ${given.names.join(' with ')}`]
  if (sameJson(saved, now)) return undefined
  const [had, has] = [saved, now].map((each) => (typeof each === 'string' ? each : JSON.stringify(each)))
  return new XError(
    'invalid-state',
    `the chat does not go on as it was saved: at \`${place}\` it had ${had}, and now there is ${has}; start it with the same agents, message and options`,
    { details: { place, saved, given: now } },
  )
}
