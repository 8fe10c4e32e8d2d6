import type { ConfigEntry, ModelRequest } from '@x/interfaces'
import { XError } from '@x/kernel'
import { CLIENT_KEYS, EXTRA_KEYS } from '../config/config-keys.ts'
import { spelling } from '../config/entry.ts'
import type { OwnClients, Slot } from '../config/slot.ts'

/** A request to a wrapper: messages or, for older models, a prompt. */
export type WrapperRequest = Omit<ModelRequest, 'messages'> & {
  messages?: ModelRequest['messages'] | null | undefined
  prompt?: string | null | undefined
}

/** Checks a request before anything is asked (create rule 1, and what a call may hold); gives its options. */
export function checkRequest(
  { slots, own }: { readonly slots: readonly Slot[]; readonly own: OwnClients },
  request: WrapperRequest,
): ConfigEntry {
  const waiting = slots.filter((slot) => !slot.provider && !own[slot.index])
  if (waiting.length > 0) {
    const names = waiting.map((slot) => slot.client.modelClientCls!)
    throw new XError(
      'client-not-registered',
      `the config list names client classes that are not there yet (\`${names.join('`, `')}\`): call \`registerModelClient\` with each, or take the entries out`,
      { details: { modelClientCls: names } },
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
    throw new XError('invalid-argument', '`messages` is no list: give one, as in [{ role: "user", content: "…" }]')
  }
  const options: ConfigEntry = {}
  for (const key of Object.keys(request)) {
    const value = request[key]
    if (value === undefined) continue
    const name = EXTRA_KEYS.has(key) ? key : spelling(key, 'the request')
    if (CLIENT_KEYS.has(name) && name !== 'timeout' && !EXTRA_KEYS.has(name)) {
      throw new XError(
        'invalid-argument',
        `\`${key}\` makes a client and cannot come with a request: put it into a config entry`,
      )
    }
    options[name] = value
  }
  if (messages === null) delete options.messages
  if (prompt === null) delete options['prompt']
  return options
}
