import type { JsonSchema } from '@x/interfaces'
import { XError } from '@x/kernel'
import type { AgentState } from './agent-state.ts'
import type { ChatState } from './chat-journal.ts'
import { validatorFor } from './json-schema-validator.ts'

/** Version of what is saved; one that is not known is refused. */
export const STATE_VERSION = 1

interface SavedKinds {
  agent: AgentState
  chat: ChatState
}

/** Checks saved state: a version that is not known is refused, and a shape that does not fit with its path. */
export function checkedState<K extends keyof SavedKinds>(saved: unknown, kind: K): SavedKinds[K] {
  const { version, kind: its } = (saved ?? {}) as { version?: unknown; kind?: unknown }
  if (version !== undefined && version !== STATE_VERSION) {
    throw new XError(
      'unknown-state-version',
      `the saved state of ${article(kind)} has the version ${JSON.stringify(version)} and this program knows ${STATE_VERSION}: load it with the version that wrote it, or a newer one`,
      { details: { version, known: [STATE_VERSION] } },
    )
  }
  if (its !== undefined && its !== kind) {
    throw new XError(
      'invalid-state',
      `the saved state of ${article(kind)} was expected, and \`kind\` is ${JSON.stringify(its)}`,
    )
  }
  const valid = validatorFor(kind === 'agent' ? AGENT_SCHEMA : CHAT_SCHEMA)(plain(saved, kind))
  if ('value' in valid) return valid.value as SavedKinds[K]
  const [{ path, message } = { path: [], message: 'it does not fit' }] = valid.issues
  const where = path.length > 0 ? `\`${path.join('.')}\`` : 'the whole'
  throw new XError('invalid-state', `the saved state of ${article(kind)} is broken at ${where}: ${message}`, {
    details: { path, issues: valid.issues },
  })
}

const article = (kind: 'agent' | 'chat'): string => (kind === 'agent' ? 'an agent' : 'a chat')

/** State that was not JSON is refused before anything else looks at it. */
function plain(saved: unknown, kind: 'agent' | 'chat'): unknown {
  try {
    return JSON.parse(JSON.stringify(saved ?? null))
  } catch (error) {
    throw new XError('invalid-state', `the saved state of ${article(kind)} is no plain JSON`, { cause: error })
  }
}

const text: JsonSchema = { type: 'string' }
const count: JsonSchema = { type: 'number' }
const truth: JsonSchema = { type: 'boolean' }
const object = (properties: Record<string, JsonSchema>, required: string[] = Object.keys(properties)): JsonSchema => ({
  type: 'object',
  properties,
  required,
})
const list = (items: JsonSchema): JsonSchema => ({ type: 'array', items })

const call = object({ name: text, arguments: text })

const message = object(
  {
    content: { type: ['string', 'array', 'null'] },
    role: { enum: ['system', 'user', 'assistant', 'function', 'tool'] },
    name: text,
    function_call: call,
    tool_calls: list(object({ id: text, function: call }, ['function'])),
    tool_call_id: text,
    tool_responses: list({ type: 'object' }),
    context: { type: 'object' },
    provider_metadata: { type: 'object' },
  },
  ['role'],
)

const conversation = object({
  with: { type: ['string', 'null'] },
  messages: list(message),
  autoReplies: count,
  maxAutoReplies: count,
  replyAtReceive: truth,
  begun: truth,
  humanInput: list(text),
  ended: { type: ['string', 'null'] },
})

const usage: JsonSchema = {
  anyOf: [
    { type: 'null' },
    object(
      {
        totalCost: count,
        models: {
          type: 'object',
          additionalProperties: object({
            cost: count,
            promptTokens: count,
            completionTokens: count,
            totalTokens: count,
          }),
        },
        unpriced: list(text),
      },
      ['totalCost', 'models'],
    ),
  ],
}

const uses = object({ actual: usage, total: usage })

const AGENT_SCHEMA: JsonSchema = object({
  version: { const: STATE_VERSION },
  kind: { const: 'agent' },
  name: text,
  systemMessage: text,
  maxConsecutiveAutoReply: count,
  contextVariables: { type: 'object' },
  humanInput: list(text),
  usage: uses,
  conversations: list(conversation),
})

const entry = object(
  {
    key: text,
    what: text,
    value: {},
    context: { type: 'object', additionalProperties: { type: 'object' } },
    at: count,
    used: { type: 'object', additionalProperties: uses },
  },
  ['key', 'what', 'value'],
)

const CHAT_SCHEMA: JsonSchema = object({
  version: { const: STATE_VERSION },
  kind: { const: 'chat' },
  entries: list(entry),
})
