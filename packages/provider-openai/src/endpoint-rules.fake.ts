/** A message of a request. */
export type SentMessage = Readonly<Record<string, unknown>> & {
  readonly role: string
  readonly tool_calls?: readonly { readonly id: string; readonly extra_content?: unknown }[]
}

/** A request as an endpoint gets it. */
export type SentBody = Readonly<Record<string, unknown>> & { readonly messages: readonly SentMessage[] }

/** Returns what an endpoint says of a request that it refuses. */
export type Rule = (body: SentBody) => string | undefined

const inMessages =
  (refuse: (message: SentMessage, at: number) => string | undefined): Rule =>
  ({ messages }) =>
    messages.map(refuse).find((said) => said !== undefined)

const inAnswers = (refuse: (message: SentMessage, at: number) => string | undefined): Rule =>
  inMessages((message, at) => (message.role === 'assistant' ? refuse(message, at) : undefined))

/** Refuses a key of the body. */
const noKey =
  (key: string, say: (key: string) => string): Rule =>
  (body) =>
    key in body ? say(key) : undefined

/** Refuses a key of messages. */
const noMessageKey = (key: string, say: (at: number) => string): Rule =>
  inMessages((message, at) => (key in message ? say(at) : undefined))

const extra = (key: string): string => `extra_forbidden: body.${key}: Extra inputs are not permitted`

const noDeveloper = inMessages(({ role }) =>
  role === 'developer'
    ? 'unknown variant `developer`, expected one of `system`, `user`, `assistant`, `tool`'
    : undefined,
)

const needsCalls =
  (rule: Rule): Rule =>
  (body) =>
    'tools' in body ? rule(body) : undefined

const thoughtOf = ({ reasoning_content: thought }: SentMessage): unknown => thought

/** Rules by endpoint, from the documentation of the vendors and the texts of their errors. */
export const RULES: Readonly<Record<string, readonly Rule[]>> = {
  openai: [
    noMessageKey('reasoning_content', (at) => `Unrecognized request argument: messages[${at}].reasoning_content`),
  ],
  azure: [
    noMessageKey('reasoning_content', (at) => `Unrecognized request argument: messages[${at}].reasoning_content`),
  ],
  groq: [
    noMessageKey('reasoning_content', (at) => `'messages.${at}' : property 'reasoning_content' is unsupported`),
    noMessageKey('reasoning', () => 'reasoning is not supported with this model'),
    noMessageKey('name', (at) => `'messages.${at}' : property 'name' is unsupported`),
  ],
  mistral: [
    noMessageKey('name', () => extra('messages.user.name')),
    noMessageKey('reasoning_content', () => extra('messages.assistant.reasoning_content')),
    noKey('max_completion_tokens', extra),
    noKey('stream_options', extra),
    noDeveloper,
    inMessages(({ tool_calls: calls = [], tool_call_id: result }) => {
      const ids = [...calls.map(({ id }) => id), ...(typeof result === 'string' ? [result] : [])]
      const wrong = ids.find((id) => !/^[a-zA-Z0-9]{9}$/u.test(id))
      return wrong && `Tool call id was ${wrong} but must be a-z, A-Z, 0-9, with a length of 9.`
    }),
  ],
  deepseek: [
    noDeveloper,
    noKey('max_completion_tokens', extra),
    needsCalls(
      inAnswers((message) =>
        typeof thoughtOf(message) === 'string'
          ? undefined
          : 'The reasoning_content in the thinking mode must be passed back to the API.',
      ),
    ),
  ],
  moonshot: [
    noDeveloper,
    inAnswers((message, at) =>
      message.tool_calls && !thoughtOf(message)
        ? `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${at}`
        : undefined,
    ),
  ],
  openrouter: [
    inAnswers(({ reasoning_details: details }) =>
      details === undefined || JSON.stringify(details).includes('"sig-of-openrouter"')
        ? undefined
        : 'Invalid signature in thinking block',
    ),
  ],
  xai: [
    noDeveloper,
    inMessages(({ role, name }) =>
      name !== undefined && role !== 'user' ? "Only messages of role 'user' can have a name." : undefined,
    ),
  ],
  together: [noDeveloper, noKey('max_completion_tokens', extra)],
  fireworks: [noDeveloper, noKey('max_completion_tokens', extra)],
  cerebras: [
    noDeveloper,
    noMessageKey('reasoning_content', (at) => `messages.${at}.assistant.reasoning_content: property is unsupported`),
    noMessageKey('reasoning_details', (at) => `messages.${at}.assistant.reasoning_details: property is unsupported`),
  ],
  perplexity: [noDeveloper, noKey('stream_options', extra), noKey('max_completion_tokens', extra)],
  ollama: [noDeveloper, noKey('max_completion_tokens', extra)],
  vllm: [noDeveloper, noKey('max_completion_tokens', extra)],
  lmstudio: [noDeveloper, noKey('max_completion_tokens', extra)],
  gemini: [
    noDeveloper,
    inAnswers(({ tool_calls: calls }) =>
      !calls || JSON.stringify(calls[0]!.extra_content ?? '').includes('thought_signature')
        ? undefined
        : 'Function call is missing a thought_signature in functionCall parts.',
    ),
  ],
  snowflake: [noDeveloper, noKey('max_tokens', (key) => `${key} is not supported: use max_completion_tokens`)],
}
