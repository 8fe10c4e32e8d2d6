import { tool, type Parameters, type ToolDefinition } from '@x/agent'
import { XError } from '@x/kernel'
import { isTarget, isTargetObject, toolNamePart, type Target } from './target.ts'
import type { MaybePromise, Tool, ToolContext, ToolSchema } from '@x/interfaces'
import { functionOfTool } from '@x/agent/steps'
import { filledText } from './context-variables.ts'

/** A test of context variables, by a function or by `expression`; what it gives counts by its truth. It has to be pure. */
export type Test<C> = (variables: Readonly<C>) => unknown

/** What all handoffs have. */
interface CommonHandoff<C> {
  /** Who gets the floor. */
  readonly to: Target<C>
  /** Whether the handoff counts now; default: always. */
  readonly available?: Test<C> | undefined
}

/** A handoff that the agent's model decides on: a tool of its. */
export interface ToolHandoff<C> extends CommonHandoff<C> {
  /** Says to the model when to hand over; `{name}` is filled with that context variable before each reply. */
  readonly when: string
  readonly after?: undefined
  /** Name of the tool; default `transfer_to_<target>_<place among those with words>`. */
  readonly toolName?: string | undefined
  /** Arguments that the model gives, which become context variables: zod, any Standard Schema, or JSON Schema. */
  readonly input?: Parameters | undefined
  /** Whether somebody has to approve of it. */
  readonly needsApproval?: ToolDefinition<Parameters, unknown>['needsApproval']
}

/** A handoff before the agent says anything: its model is not asked. */
export interface TestHandoff<C> extends CommonHandoff<C> {
  readonly when: Test<C> | true
  readonly after?: undefined
}

/** A handoff when the agent has spoken, and nothing else decides. */
export interface AfterWork<C> extends CommonHandoff<C> {
  readonly after: Test<C> | true
  readonly when?: undefined
}

/** A way in which a member of a group gives the floor away. */
export type Handoff<C = Record<string, unknown>> = ToolHandoff<C> | TestHandoff<C> | AfterWork<C>

/** The handoffs of a member, by their time, in the order in which they are looked at. */
export interface HandoffLists {
  readonly tests: readonly TestHandoff<never>[]
  readonly words: readonly ToolHandoff<never>[]
  readonly after: readonly AfterWork<never>[]
}

const KEYS: ReadonlySet<string> = new Set(['to', 'when', 'after', 'available', 'toolName', 'input', 'needsApproval'])

/** Checks a handoff and freezes it; a literal in a member does as well. */
export function handoff<C extends object = Record<string, unknown>>(given: Handoff<C>): Handoff<C> {
  checkHandoff(given as Handoff<never>, 'make a handoff')
  return Object.freeze({ ...given })
}

/** Refuses a handoff that cannot be. */
export function checkHandoff(given: Handoff<never>, attempt: string): void {
  const problem = problemOf(given)
  if (problem !== undefined) throw new XError('invalid-argument', `cannot ${attempt}: ${problem}`)
}

function problemOf(given: Handoff<never>): string | undefined {
  if (typeof given !== 'object' || given === null) return 'a handoff is an object such as `{ to: agent, when: … }`'
  const { to, when, after } = given as { to?: unknown; when?: unknown; after?: unknown }
  const unknown = Object.keys(given).find((key) => !KEYS.has(key))
  if (unknown !== undefined) return `a handoff has no option \`${unknown}\`; it has ${[...KEYS].join(', ')}`
  if (!isTarget(to))
    return '`to` is not a target; give an agent, its name, or a value such as `stay` or `groupManager()`'
  if ((when === undefined) === (after === undefined)) {
    return 'a handoff has one time: `when` (words for the model, or a test before it is asked) or `after` (when the agent has spoken)'
  }
  if (when !== undefined && when !== true && typeof when !== 'string' && typeof when !== 'function') {
    return '`when` is neither a text, nor a test, nor true'
  }
  if (after !== undefined && after !== true && typeof after !== 'function') return '`after` is neither a test nor true'
  if (when !== undefined && typeof when !== 'string' && isTargetObject(to) && to['~target'] === 'stay') {
    return 'a test before the model is asked cannot lead to `stay`: the agent would say nothing, for ever; leave it out, or use `after`'
  }
  return undefined
}

/** Sorts handoffs by their time; of the after-works without a condition the last one counts, and stands last. */
export function handoffLists(given: readonly Handoff<never>[]): HandoffLists {
  const after = given.filter((each): each is AfterWork<never> => each.after !== undefined)
  const last = after.findLast((each) => each.after === true)
  return {
    words: given.filter((each): each is ToolHandoff<never> => typeof each.when === 'string'),
    tests: given.filter((each): each is TestHandoff<never> => each.when === true || typeof each.when === 'function'),
    after: [...after.filter((each) => each.after !== true), ...(last ? [last] : [])],
  }
}

/** A handoff as a tool of the model of a member. */
export interface HandoffTool {
  readonly name: string
  readonly handoff: ToolHandoff<never>
  readonly tool: Tool
}

/** Makes the tool of a handoff; `index` is its place among those with words, from 1. */
export function handoffTool(handoff: ToolHandoff<never>, index: number, part?: string): HandoffTool {
  const name = handoff.toolName ?? `transfer_to_${part ?? toolNamePart(handoff.to)}_${index}`
  const its = tool({
    name,
    description: handoff.when,
    ...(handoff.input && { parameters: handoff.input }),
    needsApproval: handoff.needsApproval,
    execute: (args: unknown) => args,
  })
  return { name, handoff, tool: its }
}

/** The tool as the model is told of it now. */
export const toolSchemaOf = (
  { name, handoff, tool: its }: HandoffTool,
  variables: Readonly<Record<string, unknown>>,
  onMissing: (name: string) => void,
): ToolSchema => ({
  type: 'function',
  function: { name, description: filledText(handoff.when, variables, onMissing), parameters: its.parameters },
})

/** The function of the tool: it checks the arguments and gives them. */
export function argumentsOf({ tool: its }: HandoffTool): {
  readonly raw: (args: unknown, context: ToolContext) => MaybePromise<unknown>
  readonly needsApproval: Tool['needsApproval']
} {
  const mapped = functionOfTool(its)
  const raw = mapped.raw as (args: unknown, context: ToolContext) => MaybePromise<unknown>
  return { raw, needsApproval: mapped.needsApproval }
}
