import type { Agent, JsonSchema, MaybePromise, Tool, ToolContext, ToolIssue, ToolSchema } from '@x/interfaces'
import { isThenable, XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { partRun } from '@x/kernel/run'
import { issuesText, validation } from '@x/kernel/schema'
import { contentOfResult } from '@x/kernel/tool-content'
import { assertValidName, textOfResult } from '../data/message.ts'
import { stateOf } from '../memory/state.ts'
import type { MappedFunction } from '../options/operations.ts'
import { type OutputOf, type Parameters, problemOfParameters, schemaOf } from '../data/parameters.ts'
import { FOREIGN_TOOL_WORDS, noToolText } from './foreign-tools.ts'

/** Options of a tool. */
export interface ToolDefinition<P extends Parameters, R> {
  /** Name the model calls it by: 1 to 64 letters, digits, `_` and `-`. */
  readonly name: string
  /** Says to the model what the tool does. */
  readonly description: string
  /**
   * Shape of the arguments object: zod, any Standard Schema with a JSON Schema, or plain JSON Schema. Default: no
   * arguments.
   */
  readonly parameters?: P | undefined
  /** Seconds a call may take, where it gives a promise; default: no limit. */
  readonly timeout?: number | undefined
  /** Whether somebody has to approve of a call before it is made, with these arguments; default: no. */
  readonly needsApproval?: Tool['needsApproval']
  /**
   * Does the work; a promise is waited for in the async faces. A model reads the result as text, as JSON, or as it is shown
   * by `toolContent`.
   */
  readonly execute: (args: OutputOf<P>, context: ToolContext) => MaybePromise<R>
}

/** Options of the registration of a tool. */
export interface RegisterToolOptions {
  /** Name in place of the tool's own. */
  readonly name?: string | undefined
  /** Description in place of the tool's own. */
  readonly description?: string | undefined
}

const TOOL_DEFINITION_KINDS: OptionKinds<ToolDefinition<Parameters, unknown>> = {
  // A name that providers refuse has a code of its own.
  name: kind.any,
  description: kind.text,
  parameters: { ...kind.either(kind.object, kind.call), expected: 'a schema' },
  timeout: kind.timeout,
  needsApproval: kind.either(kind.flag, kind.call),
  execute: kind.call,
}

/** Makes the parameters of a tool without arguments. */
const noParameters = (): JsonSchema => ({ type: 'object', properties: {} })

/**
 * Makes a tool; the types of its arguments come from its parameters. A misspelt option, a missing `execute` or a broken
 * schema is refused with `invalid-argument`.
 */
export function tool<P extends Parameters = JsonSchema, R = unknown>(
  definition: ToolDefinition<P, R>,
): Tool<OutputOf<P>, R> {
  const given: { readonly name?: unknown } | null = definition ?? null
  if (typeof given === 'function') throw new XError('invalid-argument', `cannot make a tool: ${noToolText(given)}`)
  const attempt = typeof given?.name === 'string' ? `make the tool \`${given.name}\`` : 'make a tool'
  checkOptions(given, TOOL_DEFINITION_KINDS, attempt, FOREIGN_TOOL_WORDS)
  const { name, description, parameters = noParameters(), timeout, needsApproval, execute } = definition
  if (typeof name !== 'string') {
    const problem = (name ?? undefined) === undefined ? 'it has no `name`' : 'its `name` is no text'
    throw new XError(
      'invalid-name',
      `cannot make a tool: ${problem}; give one that a model calls it by, such as 'weather'`,
    )
  }
  assertValidName(name)
  if (execute === undefined) {
    throw refusedTool(name, 'it has no `execute`; give the function that does the work: (args) => …')
  }
  // An empty one is refused where a model is told of the tool: schemas are checked by tools that no model sees.
  if (description === undefined)
    throw refusedTool(name, 'it has no `description`, and a model would not know when to call it; give one')
  const schema = schemaOf(parameters, name)
  const broken = (problem: string): XError => refusedTool(name, `its \`parameters\` are broken: ${problem}`)
  const validate = validation(parameters, schema, broken)
  const problem = problemOfParameters(schema)
  if (problem !== undefined) throw broken(problem)
  const limits = { ...(timeout && { timeout }), ...(needsApproval && { needsApproval }) }
  return Object.freeze({ name, description, parameters: schema, ...limits, validate, execute })
}

const refusedTool = (name: string, problem: string): XError =>
  new XError('invalid-argument', `cannot make the tool \`${name}\`: ${problem}`)

/** Tells a tool from a bare function. */
const isTool = (value: unknown): value is Tool =>
  typeof value === 'object' && value !== null && 'execute' in value && 'parameters' in value && 'name' in value

/** Returns one tool, several or none as a list. Refuses two different tools of one name; `attempt` says in the error what they are for. */
export function toolList(tools: Tool | readonly Tool[] | undefined, attempt: string): readonly Tool[] {
  if (tools === undefined) return []
  const list = Array.isArray(tools) ? (tools as readonly Tool[]) : [tools as Tool]
  const byName = new Map<string, Tool>()
  for (const [index, candidate] of list.entries()) {
    requireTool(candidate, attempt)
    const { name } = candidate
    const twin = byName.get(name) ?? candidate
    byName.set(name, twin)
    if (twin === candidate) continue
    throw new XError(
      'invalid-argument',
      `cannot ${attempt}: tools ${list.indexOf(twin)} and ${index} of the list are both named \`${name}\`; rename one of them`,
      { details: { name } },
    )
  }
  return [...byName.values()]
}

/** Refuses what is no tool, and says how to make one of it; `attempt` says what it was given for. */
function requireTool(value: unknown, attempt?: string): void {
  if (isTool(value)) return
  const agent = typeof value === 'object' && value !== null ? stateOf(value as Agent) : undefined
  const problem = agent
    ? `the agent \`${agent.name}\` is not a tool: give one that asks it, as in \`tools: ${agent.name}.asTool({ description })\`, which says to the model when to ask it`
    : noToolText(value)
  throw new XError('invalid-argument', attempt === undefined ? problem : `cannot ${attempt}: ${problem}`)
}

/** The description of a tool for a model. */
export const toolSchema = ({ name, description, parameters }: Tool): ToolSchema => ({
  type: 'function',
  function: { description, name, parameters },
})

/** The function that a tool puts into a function map: it checks the arguments and gives its result as text, or as parts. */
export function mappedTool(definition: Tool): MappedFunction {
  const { name, timeout, needsApproval } = definition
  const plain = definition.execute as (args: unknown, context: ToolContext) => MaybePromise<unknown>
  const execute: typeof plain = timeout
    ? (args, context) => withinTime({ name, timeout }, (timed) => plain(args, timed), context)
    : plain
  const run = (valid: Validity, context: ToolContext): MaybePromise<unknown> => {
    if ('issues' in valid) throw new XError('invalid-argument', wrongArguments(name, valid.issues))
    return execute(valid.value, context)
  }
  const raw = (args: unknown, context: ToolContext): MaybePromise<unknown> =>
    then(definition.validate?.(args) ?? { value: args }, (valid) => run(valid, context))
  const mapped = (args: unknown, context: ToolContext): MaybePromise<unknown> =>
    then(raw(args, context), (result) => (contentOfResult(result) === undefined ? textOfResult(result) : result))
  // It is shown by the name of the function that it calls.
  Object.defineProperty(mapped, 'name', { value: plain.name || name })
  return Object.assign(mapped, { needsApproval, raw })
}

/** The function of a tool, and the parts of the tool that it was made of. */
interface MadeFunction extends Pick<Tool, 'name' | 'timeout' | 'needsApproval' | 'execute'> {
  readonly mapped: MappedFunction
}

/** The last function made of each tool. */
const MADE_FUNCTIONS = new WeakMap<Tool, MadeFunction>()

/** The function of {@link mappedTool}, made once while the tool stays the same: most runs have the tools of earlier ones. */
export function sharedMappedTool(definition: Tool): MappedFunction {
  const { name, timeout, needsApproval, execute } = definition
  const made = MADE_FUNCTIONS.get(definition)
  const isSame = made?.name === name && made.timeout === timeout && made.needsApproval === needsApproval
  if (isSame && made.execute === execute) return made.mapped
  const mapped = mappedTool(definition)
  MADE_FUNCTIONS.set(definition, { name, timeout, needsApproval, execute, mapped })
  return mapped
}

type Validity = { readonly value: unknown } | { readonly issues: readonly ToolIssue[] }

/** Goes on with a value now, or when its promise is settled. */
function then<A, B>(value: MaybePromise<A>, next: (value: A) => MaybePromise<B>): MaybePromise<B> {
  return isThenable(value) ? value.then(next) : next(value)
}

/** The text a model reads when its arguments do not fit. */
const wrongArguments = (name: string, issues: readonly ToolIssue[]): string =>
  `the arguments of ${name} do not fit its parameters: ${issuesText(issues)}`

/** A tool under another name or description; without a description it is refused, since models choose tools by it. */
export function renamedTool<T extends Tool>(definition: T, { name, description }: RegisterToolOptions): T {
  requireTool(definition)
  const named = assertValidName(name ?? definition.name)
  const described = description ?? definition.description
  if (!described) {
    throw new XError(
      'invalid-argument',
      `the tool \`${named}\` has no description, and a model would not know what it does: give it one`,
    )
  }
  if (named === definition.name && described === definition.description) return definition
  return Object.freeze({ ...definition, name: named, description: described })
}

/** Longest time a timer of the platform can run, in milliseconds. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Name and limit of a tool. */
export interface TimedTool {
  readonly name: string
  /** Seconds. */
  readonly timeout: number
}

/**
 * Runs a tool within its time: then its signal fires and the call fails with `timeout`, whether the tool listens or not.
 * A tool that blocks cannot be stopped and has no limit.
 */
function withinTime<T>(
  { name, timeout }: TimedTool,
  execute: (context: ToolContext) => MaybePromise<T>,
  context: ToolContext,
): MaybePromise<T> {
  const late = new AbortController()
  const { run } = context
  const signal = context.signal ? AbortSignal.any([context.signal, late.signal]) : late.signal
  // What the tool starts in its run has the same time as the tool.
  const timed = run && partRun(run, { signal })
  const { callId, key, io, emit, caller, contextVariables } = context
  const result = execute({ callId, key, io, run: timed?.run, signal, emit, caller, contextVariables })
  if (!isThenable(result)) {
    timed?.end()
    return result
  }
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(
      () => {
        reject(new XError('timeout', `${name} gave no result within ${timeout} s`))
        late.abort()
      },
      Math.min(timeout * 1000, MAX_TIMER_MS),
    )
    const stop = (): void => {
      clearTimeout(timer)
      timed?.end()
    }
    // A run that is stopped waits for nothing, and its process can end.
    signal.addEventListener('abort', stop, { once: true })
    result.then(resolve, reject).then(stop, stop)
  })
}
