import { XError } from '@x/kernel'

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
