import type { GroupChatTarget, GroupChatTargetOptions } from '../handoff/target.ts'
import type { GroupPattern } from './pattern.ts'

/** Lets a further group work; its summary is said, and who handed over speaks next. */
export const groupChat = <C extends object>(
  pattern: GroupPattern<C>,
  options: GroupChatTargetOptions = {},
): GroupChatTarget => Object.freeze({ ...options, '~target': 'groupChat', pattern })
