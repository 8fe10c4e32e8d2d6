import type { Journal, JournalEntry, Run } from '@x/interfaces'
import { XError } from '@x/kernel'
import { newRunId } from '../run/platform.ts'
import { escapeTexts, unescapeTexts } from './entry-text.ts'
import { JournalRecorder } from './journal-recorder.ts'
import { RUN, RUN_PLACE } from './saved-shapes.ts'
import { checkedShape } from './saved-state.ts'

/** How a run begins, as its journal keeps it. */
interface RunBeginning {
  readonly runId: string
  readonly version?: string
}

/**
 * The recorder of a run: of one that goes on, or of a new one, with the entry that has to be kept first. A run of another
 * version or identifier is refused with `invalid-state`.
 */
export function runRecorder(
  run: Run,
  journal: Journal,
  { runId, version }: { readonly runId?: string | undefined; readonly version?: string | undefined },
): { readonly recorder: JournalRecorder; readonly entry?: JournalEntry } {
  const [known] = journal.recall(RUN_PLACE)
  if (!known) {
    const begins: RunBeginning = { runId: runId ?? newRunId(), ...(version !== undefined && { version }) }
    const entry = { place: RUN_PLACE, kind: 'begin', value: escapeTexts(begins) } as const
    return { recorder: new JournalRecorder(journal, begins.runId, run), entry }
  }
  const saved = checkedShape(unescapeTexts(known.value), RUN, 'the saved beginning of a run') as RunBeginning
  if (version !== undefined && saved.version !== undefined && saved.version !== version) {
    throw differs('version', saved.version, version, 'finish it with the program that began it')
  }
  if (runId !== undefined && saved.runId !== runId) {
    throw differs('runId', saved.runId, runId, 'give each run a journal of its own')
  }
  return { recorder: new JournalRecorder(journal, saved.runId, run) }
}

const differs = (what: string, saved: string, given: string, advice: string): XError =>
  new XError(
    'invalid-state',
    `the chat does not go on as it was saved: its \`${what}\` is \`${saved}\`, and \`${given}\` was given; ${advice}`,
    { details: { place: RUN_PLACE, saved: { [what]: saved }, given: { [what]: given } } },
  )
