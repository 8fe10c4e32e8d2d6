import { checkOptions } from '@x/kernel/options'
import type { HistoryDraft } from '../draft/history-draft.ts'
import { attachmentNote } from '../draft/shorten.ts'
import type { View } from './view.ts'
import { CLEAR_OPTIONS, type ClearOptions } from './clear-tool-results.ts'

/** Clears images, sounds and files at a cut, but for those of the newest messages that have some; a note stands for each. */
export function clearAttachments(options: ClearOptions = {}): View {
  checkOptions(options, CLEAR_OPTIONS, 'run `clearAttachments`')
  const { keep = 3, at } = options
  return { name: 'clearAttachments', order: -1, at, cut: (draft) => clear(draft, keep) }
}

function clear(draft: HistoryDraft, keep: number): void {
  const attached = draft.messages.flatMap(({ message: { content }, gone }, index) =>
    !gone && Array.isArray(content) && content.some(({ type }) => type !== 'text') ? [index] : [],
  )
  for (const index of attached.slice(0, Math.max(0, attached.length - keep))) {
    if (draft.tokens <= draft.target) return
    const { message } = draft.messages[index]!
    if (!Array.isArray(message.content)) continue
    const content = message.content.map((part) => (part.type === 'text' ? part : attachmentNote(part)))
    draft.replace(index, { ...message, content })
  }
}
