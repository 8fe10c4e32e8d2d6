import type { Journal, Run } from '@x/interfaces'
import { currentRun, wait, XError, type Steps } from '@x/kernel'
import { failRun } from '@x/kernel/run'
import { runRecorder } from '../durability/journal-recorder.ts'
import type { ActiveChat } from '../memory/state.ts'
import { type ChatMeans, MOST_CHATS_DEEP } from '../options/operations.ts'
import { chatBudget } from '../run/chat-budget.ts'
import type { Recorder } from '../run/recorder.ts'
import { inScope, type Scope, scopeIn } from '../run/scope.ts'

/** Runs a chat in a scope of its own, inside that of the run; `place` is one that was taken for it before. */
export function* inChat<T>(
  means: ChatMeans & { readonly silent?: boolean | null | undefined },
  steps: (scope: Scope, active: ActiveChat) => Steps<T>,
  place?: string,
): Steps<T> {
  const around = scopeIn(yield* currentRun())
  if (around.depth >= MOST_CHATS_DEEP) throw tooDeep(around)
  const budget = chatBudget(around.budget, means.budget)
  const chatId = place ?? around.nextPlace()
  return yield* recorded(means, (recorder, length) => {
    // A journal of its own counts from the beginning, wherever the chat is.
    const outer = recorder ? around.recordedRun(recorder, length, budget) : around
    const own = recorder ? outer.nextPlace() : chatId
    const chat: ActiveChat = { cache: null, own: around.chat?.own ?? null }
    const scope = outer.inner({ place: own, chatId, budget, chat, silent: means.silent })
    return inScope(scope, steps(scope, chat))
  })
}

const tooDeep = ({ agentPath }: Scope): XError =>
  new XError(
    'invalid-state',
    `${MOST_CHATS_DEEP} chats are inside each other, the innermost in a reply of \`${agentPath.at(-1) ?? ''}\`: a nested chat or a tool starts itself again; exclude the nested agents from its trigger`,
    { details: { agentPath: agentPath.slice(-10) } },
  )

/** Runs several chats in one scope, inside that of the run. */
export function* inRun<T>(means: ChatMeans, steps: Steps<T>): Steps<T> {
  const around = scopeIn(yield* currentRun())
  const { budget, journal } = means
  if (!budget && !journal && means.runId === undefined) return yield* steps
  const shared = chatBudget(around.budget, budget)
  return yield* recorded(means, (recorder, length) =>
    inScope(recorder ? around.recordedRun(recorder, length, shared) : around.inner({ budget: shared }), steps),
  )
}

/** Runs steps with the recorder of their own journal, if they are given one, which is theirs alone meanwhile. */
function recorded<T>(means: ChatMeans, steps: (recorder: Recorder | null, length: number) => Steps<T>): Steps<T> {
  const { journal, runId } = means
  if (journal) return withJournal(journal, means, steps)
  if (runId === undefined) return steps(null, 0)
  throw new XError(
    'invalid-argument',
    'a chat was given a `runId` and no `journal`, and two starts would give equal keys to different calls: give a `journal` too',
  )
}

function* withJournal<T>(
  journal: Journal,
  means: ChatMeans,
  steps: (recorder: Recorder, length: number) => Steps<T>,
): Steps<T> {
  const run = yield* currentRun()
  const leave = orFail(run, () => journal.enter?.())
  try {
    const { recorder, entry } = orFail(run, () => runRecorder(run, journal, means))
    if (entry) {
      try {
        yield* wait(journal.keep(entry), 'the journal of a chat')
      } catch (error) {
        failRun(run, error)
      }
    }
    const length = orFail(run, () => journal.length ?? 0)
    return yield* steps(recorder, length)
  } finally {
    if (leave) orFail(run, leave)
  }
}

/** Does something with a journal; a failure ends the run, and those it is part of, whoever catches. */
function orFail<T>(run: Run, act: () => T): T {
  try {
    return act()
  } catch (error) {
    return failRun(run, error)
  }
}
