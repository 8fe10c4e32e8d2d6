import type { WireRefusal, WireRequest } from '../wire/wire-format.ts'

type Block = Record<string, unknown> & { type: string }

interface Message {
  role: string
  content: string | Block[]
}

const bad = (message: string): WireRefusal => ({ status: 400, message })

/** Returns the reason why Anthropic would refuse a request; undefined when it would accept it. */
export function anthropicRefusal({ path, headers, body }: WireRequest): WireRefusal | undefined {
  if (path !== '/v1/messages') return { status: 404, message: `no such path: ${path}` }
  if (!headers['x-api-key'] && !headers['authorization'])
    return { status: 401, message: 'x-api-key header is required' }
  if (!headers['anthropic-version']) return bad('anthropic-version: header is required')
  if (typeof body['model'] !== 'string') return bad('model: Field required')
  if (typeof body['max_tokens'] !== 'number') return bad('max_tokens: Field required')
  const messages = body['messages'] as Message[] | undefined
  if (!Array.isArray(messages) || messages.length === 0) return bad('messages: at least one message is required')
  const blocks = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content))
  if (body['tools'] === undefined && blocks.some(({ type }) => type === 'tool_use' || type === 'tool_result')) {
    return bad('Requests which include `tool_use` or `tool_result` blocks must define tools')
  }
  return parameters(body) ?? tools(body) ?? turns(messages) ?? endOf(body, messages) ?? cacheMarks(body, messages)
}

const REQUEST_KEYS = new Set(
  'model max_tokens messages system stream temperature top_p top_k stop_sequences tools tool_choice thinking metadata output_config service_tier container cache_control inference_geo speed mcp_servers context_management'.split(
    ' ',
  ),
)

function parameters(body: Record<string, unknown>): WireRefusal | undefined {
  const unknown = Object.keys(body).find((key) => !REQUEST_KEYS.has(key))
  if (unknown !== undefined) return bad(`${unknown}: Extra inputs are not permitted`)
  const { temperature, system, thinking } = body as { temperature?: number; system?: Block[]; thinking?: Block }
  const wrong = lengths(body) ?? sampling(body) ?? outputFormat(body) ?? thinkingRefusal(body)
  if (wrong) return wrong
  if (Array.isArray(system) && system.some(({ text }) => isBlank(text))) {
    return bad('system: text content blocks must be non-empty')
  }
  if (thinking?.type === 'enabled') {
    const budget = thinking['budget_tokens'] as number
    if (!(budget >= 1024)) return bad('thinking.enabled.budget_tokens: Input should be greater than or equal to 1024')
    if ((body['max_tokens'] as number) <= budget)
      return bad('`max_tokens` must be greater than `thinking.budget_tokens`')
    if (temperature !== undefined && temperature !== 1)
      return bad('`temperature` may only be set to 1 when thinking is enabled')
    if (body['top_k'] !== undefined) return bad('`top_k` must be unset when thinking is enabled')
    const choice = (body['tool_choice'] as Block | undefined)?.type
    if (choice === 'any' || choice === 'tool')
      return bad('Thinking may not be enabled when tool_choice forces tool use.')
  }
  return undefined
}

/** Checks how thinking, effort and forced tools go together, by the names of Anthropic's models. */
function thinkingRefusal(body: Record<string, unknown>): WireRefusal | undefined {
  const version = versionOf(body)
  if (version === 0) return undefined
  const [, line = ''] = /claude-([a-z]+)-/u.exec(body['model'] as string) ?? []
  const type = (body['thinking'] as Block | undefined)?.type
  const effort = (body['output_config'] as { effort?: string } | undefined)?.effort
  const isLoud = effort === 'xhigh' || effort === 'max'
  const choice = (body['tool_choice'] as Block | undefined)?.type
  const newest = line === 'fable' || line === 'mythos' ? 5.1 : line === 'haiku' ? Infinity : 5.5
  const unknown = (kind: string): WireRefusal => bad(`"thinking.type.${kind}" is not supported for this model.`)
  if (type === 'enabled' && version >= 4.7) return unknown('enabled')
  if (type === 'adaptive' && version < 4.6) return unknown('adaptive')
  if (type === 'between_tools' && (line !== 'sonnet' || version < 5.5)) return unknown('between_tools')
  const always = newest === 5.1 || (version >= 5.5 && line !== 'haiku')
  if (type === 'disabled' && always) return unknown('disabled')
  if (
    (type === 'disabled' || type === 'between_tools') &&
    version >= 5 &&
    isLoud &&
    !(line === 'sonnet' && version < 5.5)
  )
    return bad(`output_config.effort '${effort}' is not supported when thinking is disabled on this model.`)
  if (effort !== undefined && !effortsOf(version, line).includes(effort))
    return bad(`output_config.effort: '${effort}' is not supported for this model.`)
  return (choice === 'any' || choice === 'tool') && version >= newest
    ? bad('tool_choice: type "tool" and "any" are not supported for this model.')
    : undefined
}

function effortsOf(version: number, line: string): readonly string[] {
  if (version >= 4.7) return ['low', 'medium', 'high', 'xhigh', 'max']
  if (version >= 4.6) return ['low', 'medium', 'high', 'max']
  return version === 4.5 && line === 'opus' ? ['low', 'medium', 'high'] : []
}

/** Major and minor of one of Anthropic's models as one number: 4.5 for `claude-haiku-4-5`; 0 for any other. */
function versionOf(body: Record<string, unknown>): number {
  const [, major, minor = '0'] = /claude-[a-z]+-(\d{1,2})(?:-(\d{1,2})(?!\d))?/u.exec(body['model'] as string) ?? []
  return Number(`${major ?? 0}.${minor}`)
}

function lengths(body: Record<string, unknown>): WireRefusal | undefined {
  const { max_tokens: most, stop_sequences: stops } = body as { max_tokens: number; stop_sequences?: string[] }
  if (!Number.isInteger(most) || most < 1) return bad('max_tokens: Input should be greater than or equal to 1')
  const version = versionOf(body)
  const limit = version === 0 ? Infinity : version < 4.6 ? 64_000 : 128_000
  if (most > limit) return bad(`max_tokens: ${most} > ${limit}, which is the maximum allowed number of output tokens`)
  return stops?.some(isBlank) ? bad('stop_sequences: each stop sequence must contain non-whitespace') : undefined
}

function sampling(body: Record<string, unknown>): WireRefusal | undefined {
  const { temperature, top_p: topP, top_k: topK } = body as Record<string, number | undefined>
  if (temperature !== undefined && (temperature < 0 || temperature > 1)) return bad('temperature: range: 0..1')
  const version = versionOf(body)
  if (version >= 4.7 && [temperature, topP, topK].some((value) => value !== undefined)) {
    return bad('`temperature`, `top_p` and `top_k` are not supported by this model')
  }
  return version >= 4.1 && temperature !== undefined && topP !== undefined
    ? bad('`temperature` and `top_p` cannot both be specified for this model. Please use only one.')
    : undefined
}

/** A schema that the answer is held to must close every object. */
function outputFormat(body: Record<string, unknown>): WireRefusal | undefined {
  const format = (body['output_config'] as { format?: { schema?: unknown } } | undefined)?.format
  if (!format) return undefined
  const isOpen = (part: unknown): boolean => {
    if (typeof part !== 'object' || part === null) return false
    const { type, additionalProperties: more } = part as Record<string, unknown>
    return (type === 'object' && more !== false) || Object.values(part).some(isOpen)
  }
  return isOpen(format.schema)
    ? bad("output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false")
    : undefined
}

function tools(body: Record<string, unknown>): WireRefusal | undefined {
  const given = body['tools'] as { name: string; input_schema?: { type?: string }; type?: string }[] | undefined
  if (given === undefined) {
    return body['tool_choice'] === undefined
      ? undefined
      : bad('tool_choice: may only be specified while providing tools')
  }
  const names = given.map(({ name }) => name)
  const chosen = (body['tool_choice'] as { name?: string } | undefined)?.name
  if (chosen !== undefined && !names.includes(chosen)) return bad(`Tool '${chosen}' not found in provided tools`)
  if (new Set(names).size < names.length) return bad('tools: Tool names must be unique.')
  for (const { name, input_schema: schema, type } of given) {
    if (!/^[\w-]{1,128}$/u.test(name))
      return bad(`tools.custom.name: '${name}' does not match '^[a-zA-Z0-9_-]{1,128}$'`)
    if ((type === undefined || type === 'custom') && schema?.type !== 'object') {
      return bad('tools.custom.input_schema.type: Field required')
    }
    if (['oneOf', 'allOf', 'anyOf'].some((key) => schema && key in schema)) {
      return bad('tools.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level')
    }
  }
  return undefined
}

function turns(messages: readonly Message[]): WireRefusal | undefined {
  if (messages[0]!.role !== 'user') return bad('messages: first message must use the "user" role')
  const seen = new Set<string>()
  let open: string[] = []
  for (const [at, { role, content }] of messages.entries()) {
    if (role !== 'user' && role !== 'assistant')
      return bad(`messages.${at}.role: Input should be 'user' or 'assistant'`)
    if (messages[at - 1]?.role === role) return bad('messages: roles must alternate between "user" and "assistant"')
    const blocks: Block[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content
    if (!Array.isArray(blocks) || blocks.length === 0) return bad(`messages.${at}: content must be non-empty`)
    const wrong = blocks.map((block) => blockRefusal(block, role, at)).find((refusal) => refusal)
    if (wrong) return wrong
    const results = blocks.filter(({ type }) => type === 'tool_result').map((block) => block['tool_use_id'] as string)
    const missing = open.filter((id) => !results.includes(id))
    if (missing.length > 0) {
      return bad(
        `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}`,
      )
    }
    const orphan = results.find((id) => !open.includes(id))
    if (orphan !== undefined)
      return bad(`messages.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${orphan}`)
    const firstOther = blocks.findIndex(({ type }) => type !== 'tool_result')
    if (firstOther !== -1 && blocks.slice(firstOther).some(({ type }) => type === 'tool_result')) {
      return bad(`messages.${at}: tool_result blocks must come first`)
    }
    open = blocks.filter(({ type }) => type === 'tool_use').map((block) => block['id'] as string)
    for (const id of open) {
      if (seen.has(id)) return bad('messages: `tool_use` ids must be unique')
      seen.add(id)
    }
    const unpaired = role === 'assistant' ? ownToolRefusal(messages, at) : undefined
    if (unpaired) return unpaired
    const lastText = blocks.findLastIndex(({ type }) => type === 'text')
    if (role === 'assistant' && open.length > 0 && lastText > blocks.findIndex(({ type }) => type === 'tool_use')) {
      return bad(`messages.${at}: \`tool_use\` blocks must come last`)
    }
  }
  return trailing(messages, open)
}

const blocksOf = (content: unknown): Block[] => (Array.isArray(content) ? (content as Block[]) : [{ type: 'text' }])

const isOwnUse = ({ type }: Block): boolean => type === 'server_tool_use' || type === 'mcp_tool_use'

/**
 * Checks the uses of tools of the provider in a turn of the assistant. A use has its result in the turn or, with nothing but
 * results of tools between them, in a later one; at the end it may wait. A result and a call of code have their use before
 * them (https://platform.claude.com/docs/en/agents-and-tools/tool-use/server-tools and `…/programmatic-tool-calling`).
 */
function ownToolRefusal(messages: readonly Message[], at: number): WireRefusal | undefined {
  const blocks = blocksOf(messages[at]!.content)
  const before = messages.slice(0, at + 1).flatMap(({ content }) => blocksOf(content))
  const uses = new Set(before.filter(isOwnUse).map(({ id }) => id))
  for (const { tool_use_id: result, caller, id } of blocks) {
    const code = (caller as { tool_id?: unknown } | undefined)?.tool_id
    if (result !== undefined && !uses.has(result))
      return bad(
        `messages.${at}: unexpected \`tool_use_id\` found in result blocks of server tools: ${result as string}`,
      )
    if (code !== undefined && !uses.has(code)) return bad(`messages.${at}: the caller of \`${String(id)}\` is missing`)
  }
  const unanswered = blocks.find((use) => {
    if (!isOwnUse(use) || blocks.some((other) => other['tool_use_id'] === use['id'])) return false
    for (const { role, content } of messages.slice(at + 1)) {
      const later = blocksOf(content)
      if (role === 'assistant' && later.some((other) => other['tool_use_id'] === use['id'])) return false
      if (role === 'user' && later.some(({ type }) => type !== 'tool_result')) return true
    }
    return false
  })
  return (
    unanswered &&
    bad(
      `messages.${at}: \`${String(unanswered['name'])}\` tool use with id \`${String(unanswered['id'])}\` was found without a corresponding result block`,
    )
  )
}

/** Checks the end of a conversation: within a turn of a thinking model, or with the beginning of its answer. */
function endOf(body: Record<string, unknown>, messages: readonly Message[]): WireRefusal | undefined {
  const thinks = (body['thinking'] as Block | undefined)?.type
  const blocksOf = ({ content }: Message): Block[] =>
    typeof content === 'string' ? [{ type: 'text', text: content }] : content
  const last = messages.at(-1)!
  if (last.role === 'assistant') {
    // A turn that the provider broke off goes back as it is.
    if (blocksOf(last).some(({ type }) => type === 'server_tool_use')) return undefined
    return versionOf(body) >= 4.6 || thinks === 'enabled'
      ? bad('This model does not support assistant message prefill. The conversation must end with a user message.')
      : undefined
  }
  const asked = messages.findLastIndex(
    (message) => message.role === 'user' && blocksOf(message).every(({ type }) => type !== 'tool_result'),
  )
  const first = messages[asked + 1]
  const [begun] = first ? blocksOf(first) : []
  if (thinks !== 'enabled' || !begun || begun.type === 'thinking' || begun.type === 'redacted_thinking')
    return undefined
  return bad(
    `messages.${asked + 1}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${begun.type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block.`,
  )
}

function trailing(messages: readonly Message[], open: readonly string[]): WireRefusal | undefined {
  if (open.length > 0) return bad('messages: `tool_use` ids were found without `tool_result` blocks at the end')
  const { role, content } = messages.at(-1)!
  const last = typeof content === 'string' ? content : content.at(-1)?.['text']
  if (role === 'assistant' && typeof last === 'string' && last !== last.trimEnd()) {
    return bad('messages: final assistant content cannot end with trailing whitespace')
  }
  return undefined
}

const IMAGE_MEDIA_TYPES = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp'])

/** Types of blocks that the result of a tool may hold. */
const RESULT_BLOCK_TYPES = new Set(['text', 'image', 'document', 'search_result', 'tool_reference'])

function documentRefusal(block: Block, where: string): WireRefusal | undefined {
  const source = block['source'] as { type: string; media_type?: string; data?: string }
  if (source.type === 'text' && source.media_type === 'text/plain') return undefined
  if (source.type !== 'base64') return source.type === 'text' ? bad(`${where}.document.source.media_type`) : undefined
  return source.media_type === 'application/pdf' && source.data
    ? undefined
    : bad(`${where}.document.source.media_type: Input should be 'application/pdf'`)
}

function blockRefusal(block: Block, role: string, at: number): WireRefusal | undefined {
  const where = `messages.${at}.content`
  if (block.type === 'text')
    return isBlank(block['text']) ? bad(`${where}: text content blocks must contain non-whitespace text`) : undefined
  if (block.type === 'tool_use') {
    if (role !== 'assistant') return bad(`${where}: tool_use blocks can only be in assistant messages`)
    if (!/^[\w-]+$/u.test(block['id'] as string))
      return bad(`${where}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`)
    const input = block['input']
    if (typeof input !== 'object' || input === null || Array.isArray(input))
      return bad(`${where}.tool_use.input: Input should be a valid dictionary`)
    return undefined
  }
  if (block.type === 'thinking') {
    if (role !== 'assistant' || typeof block['signature'] !== 'string' || block['signature'] === '') {
      return bad(`${where}.thinking.signature: Field required`)
    }
    return block['cache_control'] === undefined
      ? undefined
      : bad(`${where}.thinking.cache_control: Extra inputs are not permitted`)
  }
  if (block.type === 'tool_result') {
    const inner = block['content']
    const empty = inner === undefined || inner === '' || (Array.isArray(inner) && inner.length === 0)
    if (block['is_error'] === true && empty) {
      return bad(`${where}.tool_result: content cannot be empty if \`is_error\` is true`)
    }
    if (!Array.isArray(inner)) return undefined
    const strange = (inner as Block[]).find(({ type }) => !RESULT_BLOCK_TYPES.has(type))
    if (strange) return bad(`${where}.tool_result.content: Input tag '${strange.type}' found using 'type'`)
    return (inner as Block[]).map((each) => blockRefusal(each, role, at)).find((found) => found)
  }
  if (block.type === 'document') return documentRefusal(block, where)
  if (block.type === 'image') {
    if (role !== 'user') return bad(`${where}: image blocks can only be in user messages`)
    const source = block['source'] as { type: string; media_type?: string; data?: string; url?: string }
    if (source.type === 'base64' && !source.data) return bad(`${where}.image.source.base64.data: cannot be empty`)
    if (source.type === 'url' && !source.url?.startsWith('https://')) return bad('Only HTTPS URLs are supported.')
    if (source.type === 'base64' && !IMAGE_MEDIA_TYPES.has(source.media_type ?? ''))
      return bad(`${where}.image.source.media_type: not supported`)
  }
  return undefined
}

function cacheMarks(body: Record<string, unknown>, messages: readonly Message[]): WireRefusal | undefined {
  const marks = JSON.stringify([body['tools'], body['system'], messages]).match(/"cache_control":\{/gu)?.length ?? 0
  if (marks > 4) return bad(`A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`)
  const blocks = [body['tools'], body['system'], ...messages.map(({ content }) => content)].flatMap((part) =>
    Array.isArray(part) ? (part as Block[]) : [],
  )
  const lives = blocks.flatMap(({ cache_control: mark }) => (mark ? [(mark as { ttl?: string }).ttl ?? '5m'] : []))
  return lives.lastIndexOf('1h') > lives.indexOf('5m') && lives.includes('5m')
    ? bad("a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block")
    : undefined
}

const isBlank = (text: unknown): boolean => typeof text !== 'string' || text.trim() === ''
