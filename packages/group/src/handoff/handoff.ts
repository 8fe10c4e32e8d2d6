import { tool, type Parameters, type ToolDefinition } from '@x/agent'
import { isThenable, XError } from '@x/kernel'
import { isTarget, isTargetObject, toolNamePart, type Target } from './target.ts'
import type { MaybePromise, Tool, ToolContext, ToolSchema } from '@x/interfaces'
import { functionOfTool } from '@x/agent/steps'
import { fillVariables } from './context-variables.ts'
import { expression } from './expression.ts'

/** A test of context variables, by a function or by `expression`; any truthy result passes. It has to be pure. */
export type Test<C> = (variables: Readonly<C>) => unknown

/** Returns the answer of a pure function; a promise, which would count as a yes whatever comes of it, is refused. */
export function answerNow<T>(answer: T, what: string): T {
  if (!isThenable(answer)) return answer
  answer.then(ignore, ignore)
  throw new XError(
    'invalid-argument',
    `${what} returned a promise: write a function that is not \`async\`, and let a tool or a hook set what it reads as a context variable`,
  )
}

const ignore = (): void => {}

/** True if a test passes. */
export const passes = (test: Test<never>, variables: Readonly<never>): boolean =>
  Boolean(answerNow(test(variables), `the test \`${test.name || 'of a handoff'}\``))

/** The options of all handoffs. */
interface CommonHandoff<C> {
  /** The next speaker. */
  readonly to: Target<C>
  /** Whether the handoff is available now; default: always. */
  readonly available?: Test<C> | undefined
}

/** A handoff by the model of the agent, which sees it as a tool. */
export interface ToolHandoff<C> extends CommonHandoff<C> {
  /** Tells the model when to hand over; `{name}` is filled with that context variable before each reply. */
  readonly when: string
  readonly after?: undefined
  /** Name of the tool; default `transfer_to_<target>_<n>`, where n counts the handoffs by the model from 1. */
  readonly toolName?: string | undefined
  /** Arguments from the model, which become context variables: zod, any Standard Schema, or JSON Schema. */
  readonly input?: Parameters | undefined
  /** Whether a person has to approve the handoff. */
  readonly needsApproval?: ToolDefinition<Parameters, unknown>['needsApproval']
}

/** A handoff before the agent replies; its model is not called. */
export interface TestHandoff<C> extends CommonHandoff<C> {
  readonly when: Test<C> | true
  readonly after?: undefined
}

/** A handoff after the agent has spoken, when nothing else decides. */
export interface AfterWork<C> extends CommonHandoff<C> {
  readonly after: Test<C> | true
  readonly when?: undefined
}

/** A rule by which a member of a group hands over to the next speaker. */
export type Handoff<C = Record<string, unknown>> = ToolHandoff<C> | TestHandoff<C> | AfterWork<C>

/** The handoffs of a member by their time, in the order of evaluation. */
export interface HandoffLists {
  readonly tests: readonly TestHandoff<never>[]
  readonly byModel: readonly ToolHandoff<never>[]
  readonly after: readonly AfterWork<never>[]
}

const HANDOFF_KEYS: ReadonlySet<string> = new Set([
  'to',
  'when',
  'after',
  'available',
  'toolName',
  'input',
  'needsApproval',
])

/** Words of other libraries for the options of a handoff, and what is written here. */
const WORDS_ELSEWHERE: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['target', 'agent', 'recipient', 'toAgent', 'next', 'destination'].map((word) => [word, 'to'])),
  ...Object.fromEntries(['condition', 'if', 'description', 'toolDescription', 'prompt'].map((word) => [word, 'when'])),
  ...Object.fromEntries(['inputType', 'inputSchema', 'schema', 'parameters'].map((word) => [word, 'input'])),
  ...Object.fromEntries(['isEnabled', 'enabled'].map((word) => [word, 'available'])),
  ...Object.fromEntries(['name', 'toolNameOverride', 'tool_name'].map((word) => [word, 'toolName'])),
}

/** Checks a handoff and freezes it; a member also takes a plain literal. */
export function handoff<C extends object = Record<string, unknown>>(options: Handoff<C>): Handoff<C> {
  checkHandoff(options as Handoff<never>, 'make a handoff')
  return Object.freeze({ ...options })
}

/** Refuses an invalid handoff. */
export function checkHandoff(options: Handoff<never>, attempt: string): void {
  const problem = problemOf(options)
  if (problem !== undefined) throw new XError('invalid-argument', `cannot ${attempt}: ${problem}`)
}

function problemOf(options: Handoff<never>): string | undefined {
  if (typeof options !== 'object' || options === null) return 'a handoff is an object such as `{ to: agent, when: … }`'
  if (isTarget(options))
    return "it is a target alone; say when it is next, as in `{ to: agent, when: 'The user wants …' }`"
  const { to, when, after, available } = options as { readonly [K in keyof Handoff<never>]?: unknown }
  const unknown = Object.keys(options).find((key) => !HANDOFF_KEYS.has(key))
  if (unknown !== undefined) {
    const word = Object.hasOwn(WORDS_ELSEWHERE, unknown) ? WORDS_ELSEWHERE[unknown] : undefined
    const remedy = word === undefined ? `it has ${[...HANDOFF_KEYS].join(', ')}` : `write \`${word}\``
    return `a handoff has no option \`${unknown}\`; ${remedy}`
  }
  if (!isTarget(to))
    return '`to` is not a target; give an agent, its name, or a value such as `stay` or `groupManager()`'
  if ((when === undefined) === (after === undefined)) {
    return 'a handoff takes exactly one of `when` (a text for the model, or a test before it is called) and `after` (once the agent has spoken)'
  }
  if (when !== undefined && when !== true && typeof when !== 'string' && typeof when !== 'function') {
    return '`when` is neither a text, nor a function, nor true'
  }
  if (typeof when === 'string' && isExpression(when))
    return "`when` is an expression, which a model would be told as words; write `when: expression('…')`"
  if (after !== undefined && after !== true && typeof after !== 'function')
    return '`after` is neither a function nor true'
  if (available !== undefined && typeof available !== 'function')
    return '`available` is not a function; write `available: (variables) => variables.name`'
  if (when !== undefined && typeof when !== 'string' && isTargetObject(to) && to['~target'] === 'stay') {
    return 'a test before the model is called cannot lead to `stay`: the agent would never reply; omit the handoff, or use `after`'
  }
  return undefined
}

/** True for a text that tests variables and has no words for a model. */
function isExpression(text: string): boolean {
  if (!text.includes('${')) return false
  try {
    return Boolean(expression(text))
  } catch {
    return false
  }
}

/** Sorts handoffs by their time; of the after-works without a condition only the last one counts, and it comes last. */
export function sortHandoffs(handoffs: readonly Handoff<never>[]): HandoffLists {
  const after = handoffs.filter((each): each is AfterWork<never> => each.after !== undefined)
  const last = after.findLast((each) => each.after === true)
  return {
    byModel: handoffs.filter((each): each is ToolHandoff<never> => typeof each.when === 'string'),
    tests: handoffs.filter((each): each is TestHandoff<never> => each.when === true || typeof each.when === 'function'),
    after: [...after.filter((each) => each.after !== true), ...(last ? [last] : [])],
  }
}

/** A handoff as a tool for the model of a member. */
export interface HandoffTool {
  readonly name: string
  readonly handoff: ToolHandoff<never>
  readonly tool: Tool
}

/** Makes the tool of a handoff; `index` counts the handoffs by the model from 1. */
export function createHandoffTool(handoff: ToolHandoff<never>, index: number, part?: string): HandoffTool {
  const name = handoff.toolName ?? `transfer_to_${part ?? toolNamePart(handoff.to)}_${index}`
  if (handoff.toolName === undefined && !/^[\w-]{1,64}$/u.test(name)) {
    throw new XError(
      'invalid-name',
      `the tool of a handoff cannot be named \`${name}\`: give the handoff a \`toolName\` of 1 to 64 letters, digits, \`_\` and \`-\``,
    )
  }
  const transfer = tool({
    name,
    description: handoff.when,
    ...(handoff.input && { parameters: handoff.input }),
    needsApproval: handoff.needsApproval,
    execute: (args: unknown) => args,
  })
  return { name, handoff, tool: transfer }
}

/** Returns the schema of a handoff tool for the model, with the current variables in its description. */
export const handoffToolSchema = (
  { name, handoff, tool: { parameters } }: HandoffTool,
  variables: Readonly<Record<string, unknown>>,
  onMissing: (name: string) => void,
): ToolSchema => ({
  type: 'function',
  function: { name, description: fillVariables(handoff.when, variables, onMissing), parameters },
})

/** Returns the function of a handoff tool, which checks the arguments and returns them, and its need of approval. */
export function handoffFunctionParts({ tool: transfer }: HandoffTool): {
  readonly raw: (args: unknown, context: ToolContext) => MaybePromise<unknown>
  readonly needsApproval: Tool['needsApproval']
} {
  const mapped = functionOfTool(transfer)
  const raw = mapped.raw as (args: unknown, context: ToolContext) => MaybePromise<unknown>
  return { raw, needsApproval: mapped.needsApproval }
}
