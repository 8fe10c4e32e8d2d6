export { clearAttachments, clearToolResults } from './views/clear.ts';
export { explain, type Explanation } from './explain.ts';
export { fit } from './fit.ts';
export { historyHook } from './history-hook.ts';
export { limitMessages, limitTokens } from './views/limit.ts';
export { pin } from './views/pin.ts';
export { summarize } from './views/summarize.ts';
export type { HistoryDraft } from './draft/history-draft.ts';
export type { FittedHistory, TokenLimit, View } from './views/view.ts';
