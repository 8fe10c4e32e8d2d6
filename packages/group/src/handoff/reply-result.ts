import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { isTarget } from './target-text.ts'
import type { ReplyResult } from './target.ts'

const KINDS: OptionKinds<ReplyResult> = {
  message: kind.text,
  target: { expected: 'an agent, its name, or another target', takes: isTarget },
  contextVariables: kind.object,
}

const MARK = '~replyResult'

/** Makes the answer of a tool that hands over, sets context variables, or both. */
export function replyResult<C extends object = Record<string, unknown>>(result: ReplyResult<C>): ReplyResult<C> {
  checkOptions(result ?? null, KINDS as OptionKinds<ReplyResult<C>>, 'make a `replyResult`')
  return Object.freeze({ ...result, [MARK]: true })
}

/** Whether a value was made by {@link replyResult}. */
export const isReplyResult = (value: unknown): value is ReplyResult =>
  typeof value === 'object' && value !== null && MARK in value
