import type { JsonSchema, ToolIssue } from '@x/interfaces'
import { XError } from '@x/kernel'
import { validatorFor } from '@x/kernel/schema'
import { AGENT_VERSION, CHAT_VERSION, CHECKPOINT_VERSION } from '../options/operations.ts'

/** Checks saved state: a version that is not known is refused, and a shape that does not fit with its path. */
export function checkedState(saved: unknown, kind: 'agent' | 'chat'): unknown {
  const shape = kind === 'agent' ? AGENT_STATE_SHAPE : CHAT_STATE_SHAPE
  return checkedShape(plain(checkedVersion(saved, kind), kind), shape, `the saved state of ${article(kind)}`)
}

/** Checks what saved state says that it is: another kind, and a version that is not known, are refused. */
export function checkedVersion(saved: unknown, kind: 'agent' | 'chat'): unknown {
  const { version, kind: savedKind } = (saved ?? {}) as { version?: unknown; kind?: unknown }
  if (savedKind !== undefined && savedKind !== kind) {
    throw new XError(
      'invalid-state',
      `the saved state of ${article(kind)} was expected, and \`kind\` is ${JSON.stringify(savedKind)}`,
    )
  }
  if (version !== undefined && version !== STATE_VERSIONS[kind]) throw unknownVersion(kind, version)
  return saved
}

type StateKind = 'agent' | 'chat' | 'checkpoint'

const STATE_VERSIONS = {
  agent: AGENT_VERSION,
  chat: CHAT_VERSION,
  checkpoint: CHECKPOINT_VERSION,
} as const satisfies Record<StateKind, number>

/** The error for saved state of another version: newer state needs a newer package, and older state an older one. */
export function unknownVersion(kind: StateKind, version: unknown): XError {
  const known = STATE_VERSIONS[kind]
  const advice =
    typeof version !== 'number'
      ? 'that is not a version: restore it from a copy'
      : version > known
        ? 'a newer release wrote it: update `@x/agent`'
        : `an older release wrote it: go on with a release that reads version ${version}`
  return new XError(
    'unknown-state-version',
    `the saved state of ${article(kind)} has version ${JSON.stringify(version)}, and this program reads version ${known}; ${advice}`,
    { details: { version, known: [known], ...(kind === 'checkpoint' && { kind }) } },
  )
}

/** A check is made once for a shape: a long chat that goes on has thousands of answers of few shapes. */
const checks = new WeakMap<JsonSchema, ReturnType<typeof validatorFor>>()

/** Checks what was read back; `what` it is and the path say where it does not fit. */
export function checkedShape(saved: unknown, shape: JsonSchema, what: string): unknown {
  let check = checks.get(shape)
  if (!check) checks.set(shape, (check = validatorFor(shape)))
  const valid = check(saved)
  if ('value' in valid) return valid.value
  const [{ path, message } = { path: [], message: 'it does not fit' }] = valid.issues
  throw brokenAt(what, path, message, valid.issues)
}

/** The error for saved state that does not fit. */
export function brokenAt(
  what: string,
  path: readonly (string | number)[],
  message: string,
  issues?: readonly ToolIssue[],
): XError {
  const where = path.length > 0 ? `\`${path.join('.')}\`` : 'the whole'
  return new XError('invalid-state', `${what} is broken at ${where}: ${message}`, {
    details: { path, ...(issues && { issues }) },
  })
}

const article = (kind: StateKind): string => (kind === 'agent' ? 'an agent' : `a ${kind}`)

/** State that was not JSON is refused before anything else looks at it. */
function plain(saved: unknown, kind: 'agent' | 'chat'): unknown {
  try {
    return JSON.parse(JSON.stringify(saved ?? null))
  } catch (error) {
    throw new XError('invalid-state', `the saved state of ${article(kind)} is not plain JSON`, { cause: error })
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

/** As it is, or null, which a message may have in place of anything it leaves out. */
const orNull = (shape: JsonSchema): JsonSchema => ({ anyOf: [{ type: 'null' }, shape] })

const parts: Record<string, JsonSchema> = {
  content: { type: ['string', 'array', 'null'], items: { type: 'object' } },
  name: orNull(text),
  function_call: orNull(call),
  tool_calls: orNull(list(object({ id: orNull(text), function: call }, ['function']))),
  tool_call_id: orNull(text),
  tool_responses: orNull(list(object({ role: orNull(text), tool_call_id: orNull(text) }, []))),
  context: orNull({ type: 'object' }),
  provider_metadata: orNull({ type: 'object' }),
}

/** A message that is kept. */
const message = object(
  {
    ...parts,
    role: { enum: ['system', 'user', 'assistant', 'function', 'tool'] },
    tool_responses: orNull(
      list(object({ role: orNull(text), tool_call_id: orNull(text), content: parts['content']! }, [])),
    ),
  },
  ['role'],
)

/** A message on its way. */
const onItsWay = object({ ...parts, content: {}, role: orNull(text) }, [])

const conversationParts: Record<string, JsonSchema> = {
  with: { type: ['string', 'null'] },
  messages: list(message),
  autoReplies: count,
  maxAutoReplies: count,
  replyAtReceive: truth,
  begun: truth,
  humanInput: list(text),
  ended: { type: ['string', 'null'] },
}
const conversation = object(conversationParts)

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

const progress: Record<string, JsonSchema> = {
  name: text,
  contextVariables: { type: 'object' },
  humanInput: list(text),
  usage: uses,
}

const settings: Record<string, JsonSchema> = {
  name: text,
  systemMessage: text,
  maxConsecutiveAutoReply: count,
  ...progress,
}

/** The shape of what `saveState` of an agent gives. */
const AGENT_STATE_SHAPE: JsonSchema = object(
  {
    version: { const: AGENT_VERSION },
    kind: { const: 'agent' },
    ...settings,
    conversations: list(conversation),
    managed: {},
    checksum: text,
  },
  ['version', 'kind', ...Object.keys(settings), 'conversations'],
)

const entry = object(
  {
    seq: { type: 'integer', minimum: 0 },
    place: { type: 'string', pattern: '^[0-9]+(\\.[0-9]+)*$' },
    kind: text,
    name: text,
    value: {},
    context: {
      type: 'object',
      additionalProperties: object({ set: { type: 'object' }, unset: list(text) }, []),
    },
    at: count,
    used: { type: 'object', additionalProperties: uses },
    ended: list(text),
    untold: truth,
    checksum: text,
  },
  ['place', 'kind', 'value'],
)

/** The shape of what `saveState` of a journal gives. */
const CHAT_STATE_SHAPE: JsonSchema = object({
  version: { const: CHAT_VERSION },
  kind: { const: 'chat' },
  entries: list(entry),
})

/** The shape of the beginning of a run. */
export const RUN_SHAPE: JsonSchema = object({ runId: text, version: text, ends: truth }, ['runId'])

const beginning = {
  options: {},
  names: list(text),
  agents: list(object(progress)),
  conversations: list(conversation),
}

const conversationAtBeginning = object(
  { ...conversationParts, after: object({ place: text, from: count, count }), given: count },
  Object.keys(conversationParts),
)

/** The shape of two agents' states when their chat begins. */
export const CHAT_BEGINNING_SHAPE: JsonSchema = object({
  ...beginning,
  conversations: { ...list(conversationAtBeginning), minItems: 2 },
})

/** The shape of the members' states when their manager begins to lead them. */
export const MEMBERS_BEGINNING_SHAPE: JsonSchema = object(beginning)

/** The shape of where a process has left a run. */
export const WAIT_SHAPE: JsonSchema = object({ places: list(text) })

/** A message on its way, or its text. */
export const MESSAGE_SHAPE: JsonSchema = { anyOf: [text, onItsWay] }

/** The next message, if any. */
export const REPLY_SHAPE: JsonSchema = { anyOf: [{ type: 'null' }, MESSAGE_SHAPE] }

/** The outcome of a reply function. */
export const OUTCOME_SHAPE: JsonSchema = { type: 'array', prefixItems: [truth, REPLY_SHAPE], minItems: 1 }

/** The answer of a model with its usage. */
export const MODEL_ANSWER_SHAPE: JsonSchema = object({ reply: REPLY_SHAPE, usage: uses })

/** The shape of the parts of a content. */
const contentParts = list({
  anyOf: [
    object({ type: { const: 'text' }, text }),
    object({ type: { const: 'image_url' }, image_url: { type: ['object', 'string'] } }),
    object({ type: { const: 'input_audio' }, input_audio: { type: 'object' } }),
    object({ type: { const: 'file' }, file: { type: 'object' } }),
  ],
})

/**
 * The shape of the result of a call: the text that a model reads, which is JSON where the call gave something else than a
 * text, or parts that a model reads in its place.
 */
export const CALL_OUTCOME_SHAPE: JsonSchema = object({ success: truth, text, json: truth, parts: contentParts }, [
  'success',
  'text',
])

/** The shape of a decision on a call. */
export const DECISION_SHAPE: JsonSchema = object(
  { allow: truth, reason: text, arguments: { type: 'object' }, answer: text, by: text },
  ['allow'],
)

/** The shape of the answer to a question, or of its failure. */
export const ATTEMPT_SHAPE: JsonSchema = object({ said: {}, failure: text }, [])

/** The shape of the output of code. */
export const CODE_RESULT_SHAPE: JsonSchema = object({ exitCode: count, output: text })

/** The result of a code runner. */
export const RUNNER_RESULT_SHAPE: JsonSchema = {
  type: 'array',
  prefixItems: [count, text, { type: ['string', 'null'] }],
  minItems: 2,
}

/** Text that a human typed. */
export const HUMAN_INPUT_SHAPE: JsonSchema = { type: ['string', 'null'] }

/** Messages as a hook left them. */
export const MESSAGES_SHAPE: JsonSchema = list(onItsWay)

/** The content of a message as a hook left it. */
export const CONTENT_SHAPE: JsonSchema = { type: ['string', 'array', 'null'], items: { type: 'object' } }

/** The sum of a chat, as a text; JSON where the function gave something else. */
export const SUMMARY_SHAPE: JsonSchema = object({ text, json: truth }, ['text'])

/** The shape of the reason why a model gave no summary. */
export const FAILURE_SHAPE: JsonSchema = text

/** The summary of an outer chat. */
export const CARRYOVER_SHAPE: JsonSchema = { anyOf: [text, MESSAGES_SHAPE] }

/** The shape of a pending approval. */
export const PENDING_APPROVAL_SHAPE: JsonSchema = object({
  id: text,
  chatId: { type: ['string', 'null'] },
  agentPath: list(text),
  agent: text,
  action: {
    anyOf: [
      object({ type: { const: 'toolCall' }, name: text, arguments: { type: 'object' }, note: text }, [
        'type',
        'name',
        'arguments',
      ]),
      object({ type: { const: 'code' }, blocks: list(object({ language: text, code: text })) }),
      object({ type: { const: 'question' }, prompt: text }),
    ],
  },
})
