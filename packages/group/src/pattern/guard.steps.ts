import type { ConversableAgent } from '@x/agent'
import { askAs, externalCall, internalsOf } from '@x/agent/steps'
import type { ChatMessage, JsonSchema, Model, Reply } from '@x/interfaces'
import { XError, type Steps } from '@x/kernel'
import type { Guardrail, GuardrailByModel, GuardrailFunction } from '../handoff/guardrail.ts'
import { valuesIn, type PatternRun } from './pattern-run.ts'

/** A guardrail that has found something. */
export interface Finding {
  readonly guardrail: Guardrail<never>
  /** What the member says in place of its reply. */
  readonly text: string
}

/** Who is guarded, and what is looked at. */
interface Guarded {
  readonly agent: ConversableAgent
  /** Messages with a text. */
  readonly messages: readonly ChatMessage[]
}

/** Asks guardrails in order whether something must not be; gives the first that finds something. */
export function* firstFinding(
  run: PatternRun,
  guardrails: readonly Guardrail<never>[],
  guarded: Guarded,
): Steps<Finding | null> {
  if (guarded.messages.length === 0) return null
  for (const guardrail of guardrails) {
    const why = yield* findingOf(run, guardrail, guarded)
    if (why === null) continue
    const { name, activationMessage = `Guardrail '${name}' has been activated.` } = guardrail
    return { guardrail, text: `${activationMessage}\nJustification: ${why}` }
  }
  return null
}

function* findingOf(run: PatternRun, { name, check }: Guardrail<never>, guarded: Guarded): Steps<string | null> {
  if (check instanceof RegExp) return matchIn(check, guarded.messages)
  if (typeof check === 'function') return yield* askGuard(run, name, check, guarded.messages)
  return yield* judgement(run, name, check, guarded)
}

function matchIn(check: RegExp, messages: readonly ChatMessage[]): string | null {
  // A copy: those with the flag `g` remember where they were.
  const pattern = new RegExp(check.source, check.flags.replaceAll(/[gy]/gu, ''))
  for (const { content } of messages) {
    const match = pattern.exec(content as string)
    if (match) return `Match found -> ${match[0]}`
  }
  return null
}

function* askGuard(
  run: PatternRun,
  name: string,
  check: GuardrailFunction<never>,
  messages: readonly ChatMessage[],
): Steps<string | null> {
  const text = messages.map(({ content }) => content as string).join('\n')
  const call = { kind: 'handoff', label: `the guardrail ${name}`, shape: { type: ['string', 'boolean'] } } as const
  const found = yield* externalCall<false | string>(call, (context) => check(text, valuesIn(run), context))
  return typeof found === 'string' ? found : null
}

const VERDICT: JsonSchema = {
  type: 'object',
  properties: { activated: { type: 'boolean' }, justification: { type: 'string' } },
  required: ['activated', 'justification'],
  additionalProperties: false,
}

/** Lets a model judge, and gives why it finds something; what it uses is part of the cost of the run. */
export function* judgement(
  run: PatternRun,
  name: string,
  { condition, llmConfig }: GuardrailByModel,
  { agent, messages }: Guarded,
): Steps<string | null> {
  const { io, logger } = internalsOf(agent)
  const format = { type: 'json_schema', json_schema: { name: 'verdict', schema: VERDICT, strict: true } }
  const config = llmConfig.with({ response_format: format })
  const model: Model = config.createModel({ io, ...(logger && { logger }) })
  run.otherModels.add(() => [model])
  const system: ChatMessage = {
    role: 'system',
    content: `You check whether a condition is met in the conversation that follows. Activate the guardrail only if it is met.\n\nCondition: ${condition}\n\nAnswer with an object: \`activated\` (true or false) and \`justification\` (a text).`,
  }
  const reply = yield* askAs(agent, { name: agent.name, model, messages: [system, ...messages] })
  const verdict = verdictOf(reply)
  if (!verdict) {
    throw new XError(
      'invalid-result',
      `the model of the guardrail \`${name}\` of \`${agent.name}\` answered \`${textOf(reply)}\`, and not an object with \`activated\` and \`justification\`; use a model that can answer in a shape`,
      { details: { guardrail: name } },
    )
  }
  return verdict.activated ? verdict.justification : null
}

function verdictOf(reply: Reply | null): { readonly activated: boolean; readonly justification: string } | null {
  try {
    const { activated, justification = 'No justification provided' } = JSON.parse(textOf(reply)) as {
      activated?: unknown
      justification?: unknown
    }
    if (typeof activated !== 'boolean' || typeof justification !== 'string') return null
    return { activated, justification }
  } catch {
    return null
  }
}

function textOf(reply: Reply | null): string {
  const content = typeof reply === 'string' ? reply : reply?.content
  return typeof content === 'string' ? content : ''
}

/** The messages that an agent has not answered yet, as far as they have a text. */
export function unansweredBy({ group, manager }: PatternRun, agent: ConversableAgent): ChatMessage[] {
  const { messages } = internalsOf(agent).conversations.get(manager) ?? { messages: group.messages }
  const last = messages.findLastIndex(({ role, name, tool_responses: responses }) =>
    responses ? false : role === 'assistant' && (name === undefined || name === agent.name),
  )
  return messages.slice(last + 1).filter(({ content }) => typeof content === 'string' && content !== '')
}
