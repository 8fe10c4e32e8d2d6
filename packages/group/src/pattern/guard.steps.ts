import type { ConversableAgent } from '@x/agent'
import { askAs, externalCall, internalsOf } from '@x/agent/steps'
import type { CallInput, ChatMessage, JsonSchema, Model, Reply } from '@x/interfaces'
import { XError, type Steps } from '@x/kernel'
import { contentText } from '@x/kernel/tool-content'
import { saysSomething } from '../group/group-messages.ts'
import type { Guardrail, GuardrailByModel, GuardrailFunction } from '../handoff/guardrail.ts'
import { readVariables, type PatternRun } from './pattern-run.ts'

/** A guardrail that found something. */
export interface Finding {
  readonly guardrail: Guardrail<never>
  /** Text that the member says in place of its reply. */
  readonly text: string
}

/** The guarded agent, and the messages to check. */
interface Guarded {
  readonly agent: ConversableAgent
  /** Messages with content. */
  readonly messages: readonly ChatMessage[]
}

/** Runs guardrails in order, and returns the first finding. */
export function* runGuardrails(
  run: PatternRun,
  guardrails: readonly Guardrail<never>[],
  guarded: Guarded,
): Steps<Finding | null> {
  if (guarded.messages.length === 0) return null
  for (const guardrail of guardrails) {
    const why = yield* runGuardrail(run, guardrail, guarded)
    if (why === null) continue
    const { name, activationMessage = `Guardrail '${name}' has been activated.` } = guardrail
    return { guardrail, text: `${activationMessage}\nJustification: ${why}` }
  }
  return null
}

function* runGuardrail(run: PatternRun, { name, check }: Guardrail<never>, guarded: Guarded): Steps<string | null> {
  if (check instanceof RegExp) return findMatchIn(check, guarded.messages)
  if (typeof check === 'function') return yield* callGuardrailFunction(run, name, check, guarded.messages)
  return yield* judgeByModel(run, name, check, guarded)
}

function findMatchIn(check: RegExp, messages: readonly ChatMessage[]): string | null {
  // A copy, because an expression with the flag `g` keeps its position.
  const pattern = new RegExp(check.source, check.flags.replaceAll(/[gy]/gu, ''))
  for (const { content } of messages) {
    const match = pattern.exec(contentText(content))
    if (match) return `Match found -> ${match[0]}`
  }
  return null
}

function* callGuardrailFunction(
  run: PatternRun,
  name: string,
  check: GuardrailFunction<never>,
  messages: readonly ChatMessage[],
): Steps<string | null> {
  const text = messages.map(({ content }) => contentText(content)).join('\n')
  const asks = (): CallInput => ({ guardrail: name, text, variables: readVariables(run) })
  const call = {
    kind: 'handoff',
    label: `the guardrail ${name}`,
    shape: { type: ['string', 'boolean'] },
    asks,
  } as const
  const verdict = yield* externalCall<false | string>(call, (context) => check(text, readVariables(run), context))
  // A program without types may say yes without a reason: what it found must not pass.
  return (verdict as unknown) === true ? 'the check said yes' : typeof verdict === 'string' ? verdict : null
}

const VERDICT_SCHEMA: JsonSchema = {
  type: 'object',
  properties: { activated: { type: 'boolean' }, justification: { type: 'string' } },
  required: ['activated', 'justification'],
  additionalProperties: false,
}

/** Lets a model check the messages, and returns its reason to stop them, or null; the run pays for the usage. */
export function* judgeByModel(
  run: PatternRun,
  name: string,
  { condition, llmConfig }: GuardrailByModel,
  { agent, messages }: Guarded,
): Steps<string | null> {
  const { io, logger } = internalsOf(agent)
  const format = { type: 'json_schema', json_schema: { name: 'verdict', schema: VERDICT_SCHEMA, strict: true } }
  const config = llmConfig.with({ response_format: format })
  const model: Model = config.createModel({ io, ...(logger && { logger }) })
  run.otherModels.add(() => [model])
  const system: ChatMessage = {
    role: 'system',
    content: `You check whether a condition is met in the conversation that follows. Activate the guardrail only if it is met.\n\nCondition: ${condition}\n\nAnswer with an object: \`activated\` (true or false) and \`justification\` (a text).`,
  }
  const reply = yield* askAs(agent, { name: agent.name, model, messages: [system, ...messages] })
  const verdict = parseVerdict(reply)
  if (!verdict) {
    throw new XError(
      'invalid-result',
      `the model of the guardrail \`${name}\` of \`${agent.name}\` answered \`${textOf(reply)}\`, not an object with \`activated\` and \`justification\`; use a model with structured output`,
      { details: { guardrail: name } },
    )
  }
  return verdict.activated ? verdict.justification : null
}

function parseVerdict(reply: Reply | null): { readonly activated: boolean; readonly justification: string } | null {
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

/** Returns the messages with text that an agent has not answered yet. */
export function unansweredMessages({ group, manager }: PatternRun, agent: ConversableAgent): ChatMessage[] {
  const { messages } = internalsOf(agent).conversations.get(manager) ?? { messages: group.messages }
  const last = messages.findLastIndex(({ role, name, tool_responses: responses }) =>
    responses ? false : role === 'assistant' && (name === undefined || name === agent.name),
  )
  return messages.slice(last + 1).filter(saysSomething)
}
