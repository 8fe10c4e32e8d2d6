import { XError } from '@x/kernel'
import type { ChatMessage, ContentPart } from '@x/interfaces'
import { contentText } from '@x/kernel/tool-content'

/** The action that is taken where a rule finds something. */
export type PolicyAction = 'block' | 'mask' | 'warning'

/** A rule on what goes from one to another. */
export interface PolicyRule {
  /** Name of an agent, a tool, `llm` or `user`; `*` for any agent. */
  readonly from: string
  readonly to: string
  readonly action: PolicyAction
  /** What must not be: an expression, or words for a model. */
  readonly check: RegExp | string
  /** What is read in place of what is blocked; default: why. */
  readonly message: string | null
}

/** The rules of a policy, by what they watch. */
export interface Policy {
  readonly between: readonly PolicyRule[]
  readonly tools: readonly PolicyRule[]
  readonly models: readonly PolicyRule[]
  readonly users: readonly PolicyRule[]
}

/** Names that rules may have. */
export interface PolicyNames {
  readonly agents: readonly string[]
  readonly tools: readonly string[]
}

type Facts = Readonly<Record<string, unknown>>

/** Reads a policy as AG2 writes it into a file; what cannot be is refused with `invalid-argument`. */
export function readPolicy(given: unknown, { agents, tools }: PolicyNames): Policy {
  const {
    inter_agent_safeguards: inside = {},
    agent_environment_safeguards: outside = {},
    ...unknown
  } = facts(given, 'it')
  only(unknown, [], 'it')
  const {
    agent_transitions: between,
    groupchat_message_check: all,
    ...others
  } = facts(inside, '`inter_agent_safeguards`')
  only(others, [], '`inter_agent_safeguards`')
  if (all !== undefined) {
    throw refused('`groupchat_message_check` is not asked; write it as `agent_transitions` from `*` to `*`')
  }
  const {
    tool_interaction: calls,
    llm_interaction: models,
    user_interaction: users,
    ...rest
  } = facts(outside, '`agent_environment_safeguards`')
  only(rest, [], '`agent_environment_safeguards`')
  const anyAgent = [...agents, '*']
  return {
    between: rulesOf(between, 'agent_transitions', anyAgent, anyAgent),
    tools: rulesOf(calls, 'tool_interaction', [...agents, ...tools], [...agents, ...tools]),
    models: rulesOf(models, 'llm_interaction', [...agents, 'llm'], [...agents, 'llm']),
    users: rulesOf(users, 'user_interaction', [...agents, 'user'], [...agents, 'user']),
  }
}

const KEYS = [
  ...['message_source', 'message_destination', 'check_method', 'pattern', 'custom_prompt', 'disallow_item'],
  ...['violation_response', 'action', 'activation_message'],
]

function rulesOf(
  given: unknown,
  section: string,
  sources: readonly string[],
  destinations: readonly string[],
): PolicyRule[] {
  if (given === undefined) return []
  if (!Array.isArray(given)) throw refused(`\`${section}\` is not a list`)
  return given.map((each: unknown, index) => {
    const where = `rule ${index} of \`${section}\``
    const rule = facts(each, where)
    only(rule, KEYS, where)
    const { message_source: from, message_destination: to, activation_message: message = null } = rule
    if (typeof from !== 'string' || !sources.includes(from)) throw refused(`${where} has an unknown \`message_source\``)
    if (typeof to !== 'string' || !destinations.includes(to)) {
      throw refused(`${where} has an unknown \`message_destination\``)
    }
    const action = rule['violation_response'] ?? rule['action']
    if (action !== 'block' && action !== 'mask' && action !== 'warning') {
      throw refused(`${where} has no \`violation_response\`; it is \`block\`, \`mask\` or \`warning\``)
    }
    const check = checkOf(rule, where)
    if (typeof check === 'string' && (action === 'mask' || section === 'llm_interaction')) {
      throw refused(
        `${where} needs \`check_method: regex\`: a model finds no places, and what goes to a model is not asked of another`,
      )
    }
    return { from, to, action, check, message: typeof message === 'string' ? message : null }
  })
}

function checkOf({ check_method: method, pattern, custom_prompt: prompt, disallow_item: items }: Facts, where: string) {
  if (method === 'llm') {
    if (typeof prompt === 'string') return prompt
    if (Array.isArray(items) && items.length > 0) return `The text has one of: ${items.join(', ')}`
    throw refused(`${where} is checked by a model and has neither \`custom_prompt\` nor \`disallow_item\``)
  }
  if (method !== 'regex' || typeof pattern !== 'string') {
    throw refused(`${where} has no \`check_method\` (\`regex\` or \`llm\`), or no \`pattern\``)
  }
  try {
    return new RegExp(pattern, 'u')
  } catch {
    throw refused(`${where} has a \`pattern\` that is not a regular expression: \`${pattern}\``)
  }
}

function facts(value: unknown, where: string): Facts {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Facts
  throw refused(`${where} is not an object`)
}

function only(value: Facts, known: readonly string[], where: string): void {
  const unknown = Object.keys(value).find((key) => !known.includes(key))
  if (unknown !== undefined) throw refused(`${where} has \`${unknown}\`, which is not known`)
}

const refused = (problem: string): XError =>
  new XError('invalid-argument', `cannot read the \`safeguardPolicy\`: ${problem}`)

/** Returns the reason why a rule applies to a text; null when it finds nothing. */
export const matchOf = (check: RegExp, text: string): string | null => {
  const match = check.exec(text)
  return match && `Match found -> ${match[0]}`
}

const BLOCKED = '🛡️ BLOCKED: '

/** Returns the text that is read in place of one in which a rule has found something. */
export function textAfter({ action, check, message }: PolicyRule, text: string, why: string): string {
  if (action === 'warning') return text
  if (action === 'block') return `${BLOCKED}${message ?? why}`
  return text.replaceAll(new RegExp((check as RegExp).source, 'giu'), '[SENSITIVE_INFO]')
}

/** The texts of a message that rules look at: its own, the arguments of calls, the answers of tools. */
export const textsOf = ({ content, tool_calls: calls = [], tool_responses: responses = [] }: ChatMessage): string[] => [
  ...(typeof content === 'string' && content !== '' ? [content] : []),
  ...calls.map((call) => call.function.arguments),
  ...responses.flatMap((response) => (response.content === null ? [] : [contentText(response.content)])),
]

/** A message in which each text is another; arguments that are blocked are none. */
export function withTexts(message: ChatMessage, change: (text: string) => string): ChatMessage {
  const { content, tool_calls: calls, tool_responses: responses } = message
  return {
    ...message,
    ...(typeof content === 'string' && content !== '' && { content: change(content) }),
    ...(calls && {
      tool_calls: calls.map((call) => ({
        ...call,
        function: { ...call.function, arguments: jsonOr(change(call.function.arguments)) },
      })),
    }),
    ...(responses && {
      tool_responses: responses.map((response) => ({
        ...response,
        ...(response.content !== null && { content: changed(response.content, change) }),
      })),
    }),
  }
}

/** Arguments as long as they are JSON: a provider refuses others. */
function jsonOr(text: string): string {
  try {
    JSON.parse(text)
    return text
  } catch {
    return '{}'
  }
}

function changed(content: string | ContentPart[], change: (text: string) => string): string | ContentPart[] {
  const text = contentText(content)
  const after = change(text)
  if (after === text) return content
  return after.startsWith(BLOCKED) ? after : withText(content, after)
}

/** A content with another text; its images, sounds and files stay. */
export function withText(content: string | ContentPart[], text: string): string | ContentPart[] {
  if (!Array.isArray(content)) return text
  return [{ type: 'text', text }, ...content.filter(({ type }) => type !== 'text')]
}
