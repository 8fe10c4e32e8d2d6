import type { Limits } from '@x/interfaces'

/** Consecutive auto replies of an agent to one other, unless it is told otherwise. */
export const MAX_CONSECUTIVE_AUTO_REPLY: Limits['MAX_CONSECUTIVE_AUTO_REPLY'] = 100

/** Messages of a chat that nothing else limits: one that goes on for ever ends with an error, and not with the memory. */
export const MAX_MESSAGES = 10_000

/** Model of an agent that was given none. */
export const DEFAULT_CONFIG: Limits['DEFAULT_CONFIG'] = false

/** The default way of summing a chat up. */
export const DEFAULT_SUMMARY_METHOD: Limits['DEFAULT_SUMMARY_METHOD'] = 'last_msg'

/** Prompt of a summary by a model. */
export const DEFAULT_SUMMARY_PROMPT: Limits['DEFAULT_SUMMARY_PROMPT'] =
  'Summarize the takeaway from the conversation. Do not add any introductory phrases.'

/** System message of an agent that was given none. */
export const DEFAULT_SYSTEM_MESSAGE = 'You are a helpful AI Assistant.'

/** Chats inside each other: one that starts itself again ends with an error, and not with the process. */
export const MOST_CHATS_DEEP = 100
