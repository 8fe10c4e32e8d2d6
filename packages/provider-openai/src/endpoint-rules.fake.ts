/** A message of a request. */
export type SentMessage = Readonly<Record<string, unknown>> & {
  readonly role: string
  readonly content?: string | readonly unknown[] | null
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

/** Checks which role may follow which. */
const follows =
  (allowed: Readonly<Record<string, readonly string[]>>, say: (role: string, before: string) => string): Rule =>
  ({ messages }) => {
    const at = messages.findIndex(({ role }, n) => n > 0 && !allowed[messages[n - 1]!.role]!.includes(role))
    return at === -1 ? undefined : say(messages[at]!.role, messages[at - 1]!.role)
  }

/** Checks the role of the last message. */
const endsWith =
  (roles: readonly string[], say: (role: string) => string): Rule =>
  ({ messages }) => {
    const { role } = messages.at(-1)!
    return roles.includes(role) ? undefined : say(role)
  }

const PERPLEXITY_ORDER =
  'After the (optional) system message(s), user or tool message(s) should alternate with assistant message(s).'

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
    ...['seed', 'store', 'user', 'logit_bias'].map((key) => noKey(key, extra)),
    follows(
      {
        system: ['user', 'assistant', 'system'],
        user: ['assistant', 'system', 'user'],
        assistant: ['assistant', 'user', 'tool'],
        tool: ['assistant', 'tool'],
      },
      (role, before) => `Unexpected role '${role}' after role '${before}'`,
    ),
    endsWith(
      ['user', 'tool'],
      (role) => `Expected last role User or Tool (or Assistant with prefix True) for serving but got ${role}`,
    ),
    inAnswers(({ content, tool_calls: calls }) =>
      calls || (content && content.length > 0)
        ? undefined
        : 'Assistant message must have either content or tool_calls, but not none.',
    ),
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
    ...['frequency_penalty', 'presence_penalty', 'stop'].map((key) =>
      noKey(key, () => `Model grok-4.6 does not support parameter ${key}.`),
    ),
  ],
  together: [noDeveloper, noKey('max_completion_tokens', extra)],
  fireworks: [noDeveloper, noKey('max_completion_tokens', extra)],
  cerebras: [
    noDeveloper,
    noMessageKey('reasoning_content', (at) => `messages.${at}.assistant.reasoning_content: property is unsupported`),
    noMessageKey('reasoning_details', (at) => `messages.${at}.assistant.reasoning_details: property is unsupported`),
  ],
  perplexity: [
    follows(
      { system: ['system', 'user'], user: ['assistant'], assistant: ['user', 'tool'], tool: ['tool', 'assistant'] },
      () => PERPLEXITY_ORDER,
    ),
    ({ messages }) => (messages[0]!.role === 'assistant' ? PERPLEXITY_ORDER : undefined),
    endsWith(['user', 'tool'], () => 'Last message must have role `user`.'),
    noDeveloper,
    noKey('stream_options', extra),
    noKey('max_completion_tokens', extra),
  ],
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
