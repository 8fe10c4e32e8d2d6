import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import type { ChatMessage } from '@x/interfaces'
import type { HistoryDraft } from '../draft/history-draft.ts'
import type { View } from './view.ts'
import { SHARE } from './share.ts'

/** Options of `clearToolResults` and `clearAttachments`. */
export interface ClearOptions {
  /** How many of the newest stay; default 3. */
  readonly keep?: number | undefined
  /** Share of the limit from which on a cut is due; default: whatever else makes one due. */
  readonly at?: number | undefined
}

/** Kinds of the options. */
export const CLEAR_OPTIONS: OptionKinds<ClearOptions> = { keep: kind.whole(0), at: SHARE }

/** Tokens below which a result is not worth clearing. */
const SMALL = 40

/** Clears the texts of tool results at a cut, but for the newest; the calls and that there was a result stay. */
export function clearToolResults(options: ClearOptions = {}): View {
  checkOptions(options, CLEAR_OPTIONS, 'run `clearToolResults`')
  const { keep = 3, at } = options
  return { name: 'clearToolResults', order: -1, at, cut: (draft) => clear(draft, keep) }
}

function clear(draft: HistoryDraft, keep: number): void {
  const results = draft.messages.flatMap(({ message: { role }, gone }, index) =>
    !gone && (role === 'tool' || role === 'function') ? [index] : [],
  )
  const names = callNames(draft)
  for (const index of results.slice(0, Math.max(0, results.length - keep))) {
    if (draft.tokens <= draft.target) return
    const { message, tokens } = draft.messages[index]!
    if (tokens <= SMALL) continue
    const name = message.name ?? names.get(message.tool_call_id)
    draft.replace(index, { ...message, content: `[The result${name ? ` of ${name}` : ''} was left out here.]` })
  }
}

const callNames = ({ messages }: HistoryDraft): ReadonlyMap<string | undefined, string> =>
  new Map(
    messages.flatMap(({ message }) =>
      (message.tool_calls ?? []).map(({ id, function: called }): [ChatMessage['id'], string] => [id, called.name]),
    ),
  )
