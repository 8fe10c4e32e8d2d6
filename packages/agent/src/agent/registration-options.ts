import type { RegisterReplyOptions } from '@x/interfaces'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import type { RegisterNestedChatsOptions } from '../options/operations.ts'
import type { RegisterToolOptions } from '../tool/tool.ts'

/** A negative position counts from the end, as in the Python library. */
const POSITION_KIND = { ...kind.whole(Number.NEGATIVE_INFINITY), expected: 'a whole number' }

const REGISTER_REPLY_KINDS: OptionKinds<RegisterReplyOptions> = {
  position: { ...kind.either(POSITION_KIND, kind.object), expected: 'a whole number, { before } or { after }' },
  config: kind.any,
  resetConfig: kind.orNull(kind.call),
  ignoreAsyncInSyncChat: kind.flag,
  removeOtherReplyFuncs: kind.flag,
  async: kind.flag,
}

const REGISTER_NESTED_CHATS_KINDS: OptionKinds<RegisterNestedChatsOptions> = {
  // One that is neither a function nor known is refused with the queue.
  replyFuncFromNestedChats: kind.any,
  position: POSITION_KIND,
  useAsync: kind.orNull(kind.flag),
  config: kind.any,
  resetConfig: kind.orNull(kind.call),
  ignoreAsyncInSyncChat: kind.flag,
}

const REGISTER_TOOL_KINDS: OptionKinds<RegisterToolOptions> = { name: kind.text, description: kind.text }

const UPDATE_SIGNATURE_KINDS = { isRemove: kind.flag }

/** Name of an operation that takes options and never waits. */
export type RegistrationName =
  | 'registerReply'
  | 'registerNestedChats'
  | 'clearHistory'
  | 'loadState'
  | 'updateFunctionSignature'
  | 'updateToolSignature'
  | 'registerForLlm'
  | 'registerForExecution'

const REGISTRATION_KINDS: Readonly<Record<RegistrationName, OptionKinds<object>>> = {
  registerReply: REGISTER_REPLY_KINDS,
  registerNestedChats: REGISTER_NESTED_CHATS_KINDS,
  clearHistory: { nrMessagesToPreserve: kind.whole(0) },
  loadState: { agents: { ...kind.object, takes: isIterable, expected: 'agents' } },
  updateFunctionSignature: UPDATE_SIGNATURE_KINDS,
  updateToolSignature: UPDATE_SIGNATURE_KINDS,
  registerForLlm: { ...REGISTER_TOOL_KINDS, apiStyle: kind.oneOf('tool', 'function') },
  registerForExecution: REGISTER_TOOL_KINDS,
}

/** Refuses an unknown or wrong option of an operation that never waits. */
export function checkRegistration(operation: RegistrationName, options: unknown, agent: string): void {
  checkOptions(options, REGISTRATION_KINDS[operation], `run \`${operation}\``, agent)
}

function isIterable(value: unknown): boolean {
  return typeof (value as Partial<Iterable<unknown>> | null)?.[Symbol.iterator] === 'function'
}
