import { XError } from '@x/kernel'
import type { ChatMessage, ContentPart } from '@x/interfaces'
import { contentText } from '@x/kernel/tool-content'

/** The action of a rule on a violation. */
type PolicyAction = 'block' | 'mask' | 'warning'

/** A rule on texts from one party to another. */
export interface PolicyRule {
  /** Name of an agent, a tool, `llm` or `user`; `*` for any agent. */
  readonly from: string
  readonly to: string
  readonly action: PolicyAction
  /** The forbidden text: a regular expression, or a description for a model. */
  readonly check: RegExp | string
  /** Text in place of a blocked one. */
  readonly message: string
}

/** The rules of a policy: between agents, on tools, on models and on people. */
export interface Policy {
  readonly between: readonly PolicyRule[]
  readonly tools: readonly PolicyRule[]
  readonly models: readonly PolicyRule[]
  readonly users: readonly PolicyRule[]
}

/** The names that rules may refer to. */
export interface KnownNames {
  readonly agents: readonly string[]
  readonly tools: readonly string[]
}

type PlainObject = Readonly<Record<string, unknown>>

/** Reads a policy in the file format of AG2; an invalid policy is refused with `invalid-argument`. */
export function readPolicy(source: unknown, { agents, tools }: KnownNames): Policy {
  const {
    inter_agent_safeguards: inside = {},
    agent_environment_safeguards: outside = {},
    ...unknown
  } = requireObject(source, 'it')
  requireKnownKeys(unknown, [], 'it')
  const {
    agent_transitions: between,
    groupchat_message_check: all,
    ...others
  } = requireObject(inside, '`inter_agent_safeguards`')
  requireKnownKeys(others, [], '`inter_agent_safeguards`')
  if (all !== undefined) {
    throw policyError('`groupchat_message_check` is not supported; write it as `agent_transitions` from `*` to `*`')
  }
  const {
    tool_interaction: calls,
    llm_interaction: models,
    user_interaction: users,
    ...rest
  } = requireObject(outside, '`agent_environment_safeguards`')
  requireKnownKeys(rest, [], '`agent_environment_safeguards`')
  const anyAgent = [...agents, '*']
  return {
    between: rulesOf(between, 'agent_transitions', anyAgent, anyAgent),
    tools: rulesOf(calls, 'tool_interaction', [...agents, ...tools], [...agents, ...tools]),
    models: rulesOf(models, 'llm_interaction', [...agents, 'llm'], [...agents, 'llm']),
    users: rulesOf(users, 'user_interaction', [...agents, 'user'], [...agents, 'user']),
  }
}

const RULE_KEYS = [
  ...['message_source', 'message_destination', 'check_method', 'pattern', 'custom_prompt', 'disallow_item'],
  ...['violation_response', 'action', 'activation_message'],
]

function rulesOf(
  list: unknown,
  section: string,
  sources: readonly string[],
  destinations: readonly string[],
): PolicyRule[] {
  if (list === undefined) return []
  if (!Array.isArray(list)) throw policyError(`\`${section}\` is not a list`)
  return list.map((each: unknown, index) => {
    const where = `rule ${index} of \`${section}\``
    const rule = requireObject(each, where)
    requireKnownKeys(rule, RULE_KEYS, where)
    const { message_source: from, message_destination: to, activation_message: message } = rule
    if (typeof from !== 'string' || !sources.includes(from))
      throw policyError(`${where} has an unknown \`message_source\``)
    if (typeof to !== 'string' || !destinations.includes(to)) {
      throw policyError(`${where} has an unknown \`message_destination\``)
    }
    const action = rule['violation_response'] ?? rule['action']
    if (action !== 'block' && action !== 'mask' && action !== 'warning') {
      throw policyError(`${where} has no \`violation_response\`; it is \`block\`, \`mask\` or \`warning\``)
    }
    // As in AG2, case counts between agents alone.
    const check = readCheck(rule, where, section === 'agent_transitions' ? 'u' : 'iu')
    if (typeof check === 'string' && (action === 'mask' || section === 'llm_interaction')) {
      throw policyError(
        `${where} needs \`check_method: regex\`: a model cannot find the places to mask, and texts for a model are not checked by another`,
      )
    }
    return { from, to, action, check, message: typeof message === 'string' ? message : BLOCKED_TEXT }
  })
}

/** Stands before a pattern of Python that ignores case. */
const IGNORE_CASE = '(?i)'

function readCheck(
  { check_method: method, pattern, custom_prompt: prompt, disallow_item: items }: PlainObject,
  where: string,
  flags: string,
) {
  if (method === 'llm') {
    if (typeof prompt === 'string') return prompt
    if (Array.isArray(items) && items.length > 0) return `The text has one of: ${items.join(', ')}`
    throw policyError(`${where} is checked by a model and has neither \`custom_prompt\` nor \`disallow_item\``)
  }
  if (method !== 'regex' || typeof pattern !== 'string') {
    throw policyError(`${where} has no \`check_method\` (\`regex\` or \`llm\`), or no \`pattern\``)
  }
  try {
    return pattern.startsWith(IGNORE_CASE)
      ? new RegExp(pattern.slice(IGNORE_CASE.length), 'iu')
      : new RegExp(pattern, flags)
  } catch {
    throw policyError(`${where} has a \`pattern\` that is not a regular expression: \`${pattern}\``)
  }
}

function requireObject(value: unknown, where: string): PlainObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as PlainObject
  throw policyError(`${where} is not an object`)
}

function requireKnownKeys(value: PlainObject, known: readonly string[], where: string): void {
  const unknown = Object.keys(value).find((key) => !known.includes(key))
  if (unknown !== undefined) throw policyError(`${where} has \`${unknown}\`, which is not known`)
}

const policyError = (problem: string): XError =>
  new XError('invalid-argument', `cannot read the \`safeguardPolicy\`: ${problem}`)

const BLOCKED_PREFIX = '🛡️ BLOCKED: '

/** Says nothing of what was blocked, in the words of AG2. */
const BLOCKED_TEXT = 'Content blocked by safeguard'

/** Returns the text to read in place of one that violates a rule. */
export function applyRule({ action, check, message }: PolicyRule, text: string): string {
  if (action === 'warning') return text
  if (action === 'block') return `${BLOCKED_PREFIX}${message}`
  return text.replaceAll(new RegExp((check as RegExp).source, 'giu'), '[SENSITIVE_INFO]')
}

/** Returns the texts of a message that rules check: its content, the arguments of calls, the answers of tools. */
export const messageTexts = ({
  content,
  tool_calls: calls = [],
  tool_responses: responses = [],
}: ChatMessage): string[] => [
  ...(typeof content === 'string' && content !== '' ? [content] : []),
  ...calls.map((call) => call.function.arguments),
  ...responses.flatMap((response) => (response.content === null ? [] : [contentText(response.content)])),
]

/** Copies a message with each text mapped; arguments of calls that are no longer JSON become empty. */
export function mapTexts(message: ChatMessage, change: (text: string) => string): ChatMessage {
  const { content, tool_calls: calls, tool_responses: responses } = message
  return {
    ...message,
    ...(typeof content === 'string' && content !== '' && { content: change(content) }),
    ...(calls && {
      tool_calls: calls.map((call) => ({
        ...call,
        function: { ...call.function, arguments: jsonOrEmpty(change(call.function.arguments)) },
      })),
    }),
    ...(responses && {
      tool_responses: responses.map((response) => ({
        ...response,
        ...(response.content !== null && { content: mapContent(response.content, change) }),
      })),
    }),
  }
}

/** Returns arguments that are JSON as they are, and empty ones otherwise: providers refuse any other text. */
function jsonOrEmpty(text: string): string {
  try {
    JSON.parse(text)
    return text
  } catch {
    return '{}'
  }
}

function mapContent(content: string | ContentPart[], change: (text: string) => string): string | ContentPart[] {
  const text = contentText(content)
  const after = change(text)
  if (after === text) return content
  return after.startsWith(BLOCKED_PREFIX) ? after : replaceText(content, after)
}

/** Replaces the text of a content; its images, sounds and files stay. */
export function replaceText(content: string | ContentPart[], text: string): string | ContentPart[] {
  if (!Array.isArray(content)) return text
  return [{ type: 'text', text }, ...content.filter(({ type }) => type !== 'text')]
}
