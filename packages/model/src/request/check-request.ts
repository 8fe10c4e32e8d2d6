import type { ModelRequest } from '@x/interfaces'
import { XError } from '@x/kernel'
import { CLIENT_KEYS, EXTRA_KEYS } from '../config/config-keys.ts'
import { checkEntryValue } from '../config/entry-kinds.ts'
import { spelling } from '../config/entry.ts'
import type { OwnClients, Slot } from '../config/slot.ts'
import { addOption, type SplitOptions } from '../config/split-options.ts'
import { refuseTwins } from './refuse-twins.ts'

/** A request to a wrapper: messages or, for older models, a prompt. */
export type WrapperRequest = Omit<ModelRequest, 'messages'> & {
  messages?: ModelRequest['messages'] | null | undefined
  prompt?: string | null | undefined
}

/** Checks a request before anything is asked, and splits its options into those that are sent and those that are not. */
export function checkRequest(
  { slots, own }: { readonly slots: readonly Slot[]; readonly own: OwnClients | null },
  request: WrapperRequest,
): SplitOptions {
  const isPlaceholder = (slot: Slot): boolean => !slot.provider && !own?.[slot.index]
  if (slots.some(isPlaceholder)) {
    const names = slots.filter(isPlaceholder).map((slot) => slot.client.modelClientCls!)
    throw new XError(
      'client-not-registered',
      `the config list names client classes that are not there yet (\`${names.join('`, `')}\`): call \`registerModelClient\` with each, or take the entries out`,
      { details: { modelClientCls: names } },
    )
  }
  if (typeof request !== 'object' || request === null) {
    throw new XError(
      'invalid-argument',
      'a request is not an object: give one, as in { messages: [{ role: "user", content: "…" }] }',
    )
  }
  const { messages, prompt } = request
  if ((messages ?? null) === null ? (prompt ?? null) === null : (prompt ?? null) !== null) {
    throw new XError(
      'invalid-argument',
      'a request needs either `messages` or `prompt`, and not both: give one of them',
    )
  }
  if ((messages ?? null) !== null && !Array.isArray(messages)) {
    throw new XError('invalid-argument', '`messages` is not a list: give one, as in [{ role: "user", content: "…" }]')
  }
  refuseTwins(request['tools'])
  const options: SplitOptions = { params: messages ? { messages } : {}, extra: {} }
  for (const key of Object.keys(request)) {
    const value = request[key]
    if (value === undefined || key === 'messages') continue
    const name = EXTRA_KEYS.has(key) ? key : spelling(key, 'the request')
    if (CLIENT_KEYS.has(name) && name !== 'timeout' && !EXTRA_KEYS.has(name)) {
      throw new XError(
        'invalid-argument',
        `\`${key}\` makes a client and cannot come with a request: put it into a config entry`,
      )
    }
    if (EXTRA_KEYS.has(name) || name === 'timeout') checkEntryValue(name, value, 'the request', 'invalid-argument')
    if (value !== null || name !== 'prompt') addOption(options, name, value)
  }
  return options
}

/** Name of the agent that asks; null for none. */
export const agentOf = ({ agent }: WrapperRequest): string | null => (typeof agent === 'string' ? agent : null)
