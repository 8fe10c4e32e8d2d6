import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import type { ChatMessage } from '@x/interfaces'
import type { HistoryDraft } from '../draft/history-draft.ts'
import { attachmentNote } from '../draft/shorten.ts'
import { SHARE_KIND } from './option-kinds.ts'
import type { View } from './view.ts'

/** Options of `clearToolResults` and `clearAttachments`. */
export interface ClearOptions {
  /** Number of the newest results, or messages with attachments, that stay; default 3. */
  readonly keep?: number | undefined
  /** Share of the limit at which a cut is due; default: this view makes none due. */
  readonly at?: number | undefined
}

const CLEAR_OPTION_KINDS: OptionKinds<ClearOptions> = { keep: kind.whole(0), at: SHARE_KIND }

/** Tokens up to which a tool result is not worth clearing. */
const SMALL_RESULT_TOKENS = 40

/** Clears the texts of all but the newest tool results at a cut; the calls stay, with a note in place of each result. */
export function clearToolResults(options: ClearOptions = {}): View {
  checkOptions(options, CLEAR_OPTION_KINDS, 'run `clearToolResults`')
  const { keep = 3, at } = options
  return { name: 'clearToolResults', order: -1, settings: { keep }, at, cut: (draft) => clearResults(draft, keep) }
}

function clearResults(draft: HistoryDraft, keep: number): void {
  const results = draft.messages.flatMap(({ message: { role }, gone }, index) =>
    !gone && (role === 'tool' || role === 'function') ? [index] : [],
  )
  const names = callNames(draft)
  for (const index of results.slice(0, Math.max(0, results.length - keep))) {
    if (draft.tokens <= draft.target) return
    const { message, tokens } = draft.messages[index]!
    if (tokens <= SMALL_RESULT_TOKENS) continue
    const name = message.name ?? names.get(message.tool_call_id)
    draft.replace(index, { ...message, content: `[The result${name ? ` of ${name}` : ''} was left out here.]` })
  }
}

const callNames = ({ messages }: HistoryDraft): ReadonlyMap<string | undefined, string> =>
  new Map(
    messages.flatMap(({ message }) =>
      (message.tool_calls ?? []).map((call): [ChatMessage['id'], string] => [call.id, call.function.name]),
    ),
  )

/** Replaces images, sounds and files by notes at a cut, except in the newest messages that have some. */
export function clearAttachments(options: ClearOptions = {}): View {
  checkOptions(options, CLEAR_OPTION_KINDS, 'run `clearAttachments`')
  const { keep = 3, at } = options
  return { name: 'clearAttachments', order: -1, settings: { keep }, at, cut: (draft) => clearMedia(draft, keep) }
}

function clearMedia(draft: HistoryDraft, keep: number): void {
  const withAttachments = draft.messages.flatMap(({ message: { content }, gone }, index) =>
    !gone && Array.isArray(content) && content.some(({ type }) => type !== 'text') ? [index] : [],
  )
  for (const index of withAttachments.slice(0, Math.max(0, withAttachments.length - keep))) {
    if (draft.tokens <= draft.target) return
    const { message } = draft.messages[index]!
    if (!Array.isArray(message.content)) continue
    const content = message.content.map((part) => (part.type === 'text' ? part : attachmentNote(part)))
    draft.replace(index, { ...message, content })
  }
}
