import type { ModelRequest } from '@x/interfaces'
import { XError } from '@x/kernel'
import { CLIENT_KEYS, EXTRA_KEYS } from '../config/config-keys.ts'
import { addOption, checkEntryValue, spellKey, type SplitOptions, refuseExecutableTools } from '../config/entry.ts'
import type { OwnClients, Slot } from '../config/slot.ts'
import { sameValue } from '../data/plain-data.ts'

/** A request to a wrapper: messages or, for older models, a prompt. */
export type WrapperRequest = Omit<ModelRequest, 'messages'> & {
  messages?: ModelRequest['messages'] | null | undefined
  prompt?: string | null | undefined
}

/** A checked request. */
export interface CheckedRequest extends SplitOptions {
  /** True if it has messages and the name of an agent, and nothing else. */
  readonly isPlain: boolean
}

/** Checks a request and splits its options into request parameters and options of the wrapper. */
export function checkRequest({ plan, own }: CheckedParts, request: WrapperRequest): CheckedRequest {
  for (const slot of plan.slots) if (!slot.provider && !own?.[slot.index]) throw notRegistered(plan.slots, own)
  if (typeof request !== 'object' || request === null) {
    throw new XError(
      'invalid-argument',
      'a request is not an object: give one, as in { messages: [{ role: "user", content: "…" }] }',
    )
  }
  if (isPlainRequest(request)) {
    const { messages, agent } = request as { messages: unknown; agent?: string }
    return { params: { messages }, extra: agent === undefined ? NO_EXTRA : { agent }, isPlain: true }
  }
  const { messages, prompt } = request
  const hasMessages = (messages ?? null) !== null
  const hasPrompt = (prompt ?? null) !== null
  if (hasMessages === hasPrompt) {
    throw new XError(
      'invalid-argument',
      'a request needs either `messages` or `prompt`, and not both: give one of them',
    )
  }
  if (hasMessages && !Array.isArray(messages)) {
    throw new XError('invalid-argument', '`messages` is not a list: give one, as in [{ role: "user", content: "…" }]')
  }
  refuseExecutableTools(request['tools'], 'the request', 'invalid-argument')
  refuseDuplicateTools(request['tools'])
  const options: CheckedRequest = { params: messages ? { messages } : {}, extra: {}, isPlain: false }
  for (const key of Object.keys(request)) {
    const value = request[key]
    if (value === undefined || key === 'messages') continue
    const name = EXTRA_KEYS.has(key) ? key : spellKey(key, 'the request')
    if (CLIENT_KEYS.has(name) && name !== 'timeout' && !EXTRA_KEYS.has(name)) {
      throw new XError(
        'invalid-argument',
        `\`${key}\` configures a client and cannot be part of a request: put it into a config entry`,
      )
    }
    if (EXTRA_KEYS.has(name) || name === 'timeout') checkEntryValue(name, value, 'the request', 'invalid-argument')
    if (value !== null || name !== 'prompt') addOption(options, name, value)
  }
  return options
}

const NO_EXTRA: SplitOptions['extra'] = Object.freeze({})

/** True for messages and perhaps the name of an agent, as most requests are: there is nothing else to check or to split. */
function isPlainRequest(request: WrapperRequest): boolean {
  for (const key in request) if (key !== 'messages' && key !== 'agent') return false
  const { messages, agent } = request
  return Array.isArray(messages) && (agent === undefined || typeof agent === 'string')
}

/** The parts of a wrapper that say which clients there are. */
interface CheckedParts {
  readonly plan: { readonly slots: readonly Slot[] }
  readonly own: OwnClients | null
}

function notRegistered(slots: readonly Slot[], own: OwnClients | null): XError {
  const missing = slots.filter((slot) => !slot.provider && !own?.[slot.index])
  const names = missing.map((slot) => slot.client.modelClientCls!)
  return new XError(
    'client-not-registered',
    `the config list names client classes that are not registered (\`${names.join('`, `')}\`): call \`registerModelClient\` with each, or remove the entries`,
    { details: { modelClientCls: names } },
  )
}

/** Returns the name of the agent that asks; null for none. */
export const agentOf = ({ agent }: WrapperRequest): string | null => (typeof agent === 'string' ? agent : null)

/** Refuses two different tools of one name: a call could mean either. */
export function refuseDuplicateTools(tools: unknown): void {
  if (!Array.isArray(tools) || tools.length < 2) return
  const toolByName = new Map<string, unknown>()
  for (const tool of tools as readonly ({ readonly function?: { readonly name?: unknown } } | null)[]) {
    const name = tool?.function?.name
    if (typeof name !== 'string') continue
    const other = toolByName.get(name)
    if (other !== undefined && !sameValue(other, tool)) {
      throw new XError(
        'invalid-argument',
        `two different \`tools\` of the request are both named \`${name}\`, and a call could mean either: rename one of them`,
        { details: { name } },
      )
    }
    toolByName.set(name, tool)
  }
}
