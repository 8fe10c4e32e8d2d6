import type { Io, Journal, Run, RunCalls, SteeringSource } from '@x/interfaces'
import { currentRun, type Steps, wait, XError } from '@x/kernel'
import { type EventCounter, failRun, tellsAll } from '@x/kernel/run'
import { entryOfBeginning, runRecorder } from '../durability/journal-recorder.ts'
import { Chat, type State } from '../memory/state.ts'
import { type ChatMeans, MAX_CHAT_DEPTH } from '../options/operations.ts'
import { firstSeqOfLaterProcess } from '../run/platform.ts'
import { noteClaim, participantsIn, type Recorder, type ScopeJournal, TracedRecorder } from '../run/recorder.ts'
import { chatBudget, inScope, type Scope, type ScopeChange, scopeIn } from '../run/scope.ts'
import { untilEnd } from '../run/within.steps.ts'

/** A chat whose scope is open. */
export type OpenChat = Chat<Scope>

/** Means of a chat, and what else holds for everything inside it. */
interface OpeningOptions extends ChatMeans, Pick<ScopeChange, 'silent' | 'unattended' | 'tally'> {
  /** Keeps the answers of a chat without a journal. */
  readonly recorder?: Recorder | undefined
  /** True if usage that a journal of this process has counted is not counted again when it is recalled. */
  readonly countsOnce?: boolean | undefined
  /** Steps of the run before the chat, which is not in them: they restore what was said earlier. */
  readonly before?: Steps<void> | undefined
}

/** Opens a chat of two agents in its own scope, inside the scope of the run. `place` is a place that was reserved for the chat. */
export function* openChat<T>(
  [self, peer]: readonly [State, State],
  options: OpeningOptions,
  steps: (chat: OpenChat) => Steps<T>,
  place?: string,
): Steps<T> {
  const around = scopeIn(yield* currentRun())
  const chat: OpenChat = new Chat(self, peer, around.chat)
  if (chat.depth > MAX_CHAT_DEPTH) throw tooDeep(around)
  const budget = chatBudget(around.budget, options.budget)
  const chatId = place ?? around.places.take()
  const held = withJournal(around, options, (journal) => {
    // A chat's own journal counts places from the beginning, at any depth.
    const spanPrefix = around.chat ? `${chatId}/` : ''
    const outer = journal ? around.inner({ place: '', spanPrefix, journal, budget }) : around
    const ownPlace = journal ? outer.places.take() : chatId
    chat.hasJournal = journal?.recorder.waits ?? false
    const { silent, unattended, tally, steering } = options
    chat.scope = outer.inner({ place: ownPlace, chatId, budget, chat, silent, unattended, tally, steering })
    const opened = inScope(
      chat.scope,
      untilEnd(steps(chat), () => chat.end !== 'suspended' && chat.scope.end()),
    )
    if (!options.before) return opened
    return behind(inScope(journal ? around.inner({ place: '', journal }) : around, options.before), opened)
  })
  return yield* options.steering ? whileSteered(options.steering, held) : held
}

function* behind<T>(before: Steps<void>, steps: Steps<T>): Steps<T> {
  yield* before
  return yield* steps
}

/** Runs steps, and ends what steers them. */
function* whileSteered<T>(steering: SteeringSource, steps: Steps<T>): Steps<T> {
  try {
    return yield* steps
  } finally {
    steering.end?.()
  }
}

const tooDeep = ({ agentPath }: Scope): XError =>
  new XError(
    'invalid-state',
    `cannot open a chat: ${MAX_CHAT_DEPTH} chats are open inside each other, the innermost in a reply of \`${agentPath.at(-1) ?? ''}\`; a nested chat or a tool starts itself again: exclude the nested agents from its trigger`,
    { details: { agentPath: agentPath.slice(-10) } },
  )

/** Runs several chats with a shared budget and journal, inside the scope of the run. */
export function* shareMeans<T>(means: ChatMeans, steps: Steps<T>): Steps<T> {
  const around = scopeIn(yield* currentRun())
  const { steering } = means
  if (!means.budget && !means.journal && !steering && means.runId === undefined && !newCallsOf(around)) {
    return yield* steps
  }
  const budget = chatBudget(around.budget, means.budget)
  const held = withJournal(around, means, (journal) =>
    inScope(around.inner(journal ? { place: '', journal, budget, steering } : { budget, steering }), steps),
  )
  return yield* steering ? whileSteered(steering, held) : held
}

/** An `io` that shows nothing. */
export const SILENT_IO: Io = { takes: new Set(), send: () => {}, input: () => '' }

/**
 * Runs steps with the journal of the options, if there is one, and with the trace that takes the calls of the run. No other run
 * may use the journal meanwhile.
 */
function withJournal<T>(
  around: Scope,
  means: OpeningOptions,
  steps: (journal: ScopeJournal | null) => Steps<T>,
): Steps<T> {
  const { journal, runId, recorder = null } = means
  if (journal) return inJournal(journal, means, steps)
  if (runId === undefined) {
    const calls = newCallsOf(around)
    if (!calls && !recorder) return steps(null)
    const traced = calls ? tracedRecorder(calls, recorder, around.services.counter) : recorder!
    return steps({ recorder: traced, participants: participantsIn(null) })
  }
  throw new XError(
    'invalid-argument',
    'cannot start a chat with a `runId` and no `journal`: two starts would give equal keys to different calls; pass a `journal` too',
  )
}

/**
 * Returns what takes the calls of a run, at its outermost scope that may have a journal; undefined for none. Like the messages
 * of requests, calls are not told where the options of the events leave something out.
 */
const newCallsOf = ({ services, journal, callKind }: Scope): RunCalls | undefined =>
  !journal && !callKind && tellsAll(services.options) ? services.trace?.calls : undefined

/** Makes the recorder that tells the calls of a run from its beginning. */
function tracedRecorder(calls: RunCalls, recorder: Recorder | null, counter: EventCounter): Recorder {
  const runId = recorder?.runId ?? counter.runId
  calls.begin({ runId, waits: recorder?.waits ?? false, resumed: false })
  calls.takeEntry(entryOfBeginning({ runId, ends: true }))
  return new TracedRecorder(calls, recorder, runId)
}

function* inJournal<T>(
  journal: Journal,
  means: OpeningOptions,
  steps: (journal: ScopeJournal | null) => Steps<T>,
): Steps<T> {
  const run = yield* currentRun()
  const leave = orFail(run, () => journal.enter?.())
  try {
    const { recorder, entry } = orFail(run, () => runRecorder(run, journal, means))
    const { chat, services } = scopeIn(run)
    if (!chat) services.counter.begin(recorder.runId, entry ? 0 : firstSeqOfLaterProcess())
    noteClaim(services.counter)
    if (entry) {
      try {
        yield* wait(journal.keep(entry), 'the journal of a chat')
      } catch (error) {
        failRun(run, error)
      }
    }
    const changes = orFail(run, () => journal.length ?? 0)
    const calls = newCallsOf(scopeIn(run))
    calls?.begin({ runId: recorder.runId, waits: recorder.waits, resumed: !entry })
    if (entry) calls?.takeEntry(entry)
    const traced = calls ? new TracedRecorder(calls, recorder, recorder.runId) : recorder
    return yield* steps({ recorder: traced, participants: participantsIn(null, changes) })
  } finally {
    if (leave) orFail(run, leave)
  }
}

/** Calls a journal. A failure ends the run and every run around it, even if code inside catches the error. */
function orFail<T>(run: Run, act: () => T): T {
  try {
    return act()
  } catch (error) {
    return failRun(run, error)
  }
}
