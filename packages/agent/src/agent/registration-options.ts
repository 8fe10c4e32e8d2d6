import type { RegisterReplyOptions } from '@x/interfaces'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import type { RegisterNestedChatsOptions } from '../options/operations.ts'
import type { RegisterToolOptions } from '../tool/tool.ts'

/** A negative position counts from the end, as in the Python library. */
const POSITION = { ...kind.whole(Number.NEGATIVE_INFINITY), expected: 'a whole number' }

const REPLY: OptionKinds<RegisterReplyOptions> = {
  position: { ...kind.either(POSITION, kind.object), expected: 'a whole number, { before } or { after }' },
  config: kind.any,
  resetConfig: kind.orNull(kind.call),
  ignoreAsyncInSyncChat: kind.flag,
  removeOtherReplyFuncs: kind.flag,
  async: kind.flag,
}

const NESTED: OptionKinds<RegisterNestedChatsOptions> = {
  // One that is neither a function nor known is refused with the queue.
  replyFuncFromNestedChats: kind.any,
  position: POSITION,
  useAsync: kind.orNull(kind.flag),
  config: kind.any,
  resetConfig: kind.orNull(kind.call),
  ignoreAsyncInSyncChat: kind.flag,
}

const TOOL: OptionKinds<RegisterToolOptions> = { name: kind.text, description: kind.text }

const SIGNATURE = { isRemove: kind.flag }

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

const KINDS: Readonly<Record<RegistrationName, OptionKinds<object>>> = {
  registerReply: REPLY,
  registerNestedChats: NESTED,
  clearHistory: { nrMessagesToPreserve: kind.whole(0) },
  loadState: { agents: { ...kind.object, takes: isIterable, expected: 'agents' } },
  updateFunctionSignature: SIGNATURE,
  updateToolSignature: SIGNATURE,
  registerForLlm: { ...TOOL, apiStyle: kind.oneOf('tool', 'function') },
  registerForExecution: TOOL,
}

/** Refuses an unknown or wrong option of an operation that never waits. */
export function checkRegistration(operation: RegistrationName, options: unknown, agent: string): void {
  checkOptions(options, KINDS[operation], `run \`${operation}\``, agent)
}

function isIterable(value: unknown): boolean {
  return typeof (value as Partial<Iterable<unknown>> | null)?.[Symbol.iterator] === 'function'
}
