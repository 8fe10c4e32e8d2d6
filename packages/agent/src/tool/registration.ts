import type { Agent, ConfigEntry, FunctionSchema, Tool, ToolSchema } from '@x/interfaces'
import { XError } from '@x/kernel'
import { kind } from '@x/kernel/options'
import { silentIo } from '../console/console-io.ts'
import { assertValidName } from '../data/message.ts'
import { type State, stateOf, warn } from '../memory/state.ts'
import type { MappedFunction } from '../options/operations.ts'
import { renamedTool, sharedMappedTool, toolSchema } from './tool.ts'

/** Gives an agent tools: its model is told of them, and their functions go with its calls. */
export function useTools(state: State, tools: readonly Tool[]): void {
  for (const { name } of tools) {
    if (!state.functionMap?.has(name) && !state.tools.some((each) => each.name === name)) continue
    throw new XError(
      'invalid-argument',
      `cannot give \`${state.name}\` the tool \`${name}\`: it has another one of that name; rename one of them`,
      { details: { name } },
    )
  }
  const own = tools.map((tool) => renamedTool(tool, {}))
  for (const tool of own) {
    warnOfTimeout(state, tool)
    const mapped = sharedMappedTool(tool)
    addFunctions(state, { [tool.name]: mapped })
    state.ownTools ??= new Map()
    state.ownTools.set(tool.name, mapped)
  }
  if (state.llmConfig) tellOfTools(state, own)
}

/** Tells the model of tools of different names, as `registerForLlm` does of each. */
export function tellOfTools(state: State, tools: readonly Tool[]): void {
  if (tools.length === 0) return
  const named = tools.map((tool) => renamedTool(tool, {}))
  addToolSignatures(state, named.map(toolSchema))
  state.tools = [...state.tools, ...named]
}

/** The function that a call names: of the agent that executes it, or else of the caller. */
export const functionFor = (state: State, caller: Agent | null, name: string): MappedFunction | undefined =>
  state.functionMap?.get(name) ?? (caller && stateOf(caller)?.ownTools?.get(name)) ?? undefined

/** Adds functions that calls can name; null takes one out. */
export function addFunctions(
  state: State,
  functions: Readonly<Record<string, MappedFunction | null>>,
  tell: typeof warn = warn,
): void {
  refuseNonFunctions(state.name, functions)
  const known = (state.functionMap ??= new Map())
  for (const name of Object.keys(functions)) assertValidName(name)
  for (const [name, each] of Object.entries(functions)) {
    if (each === null && !known.has(name))
      tell(state, `the function \`${name}\` cannot be removed: it is not registered`)
    if (known.has(name)) tell(state, `the function \`${name}\` is replaced`)
    if (each === null) known.delete(name)
    else known.set(name, each)
  }
}

/** Refuses what is no map of functions by name, such as a function or a tool. */
function refuseNonFunctions(agent: string, functions: unknown): void {
  const refuse = (problem: string): never => {
    throw new XError('invalid-argument', `cannot run \`registerFunction\` of \`${agent}\`: ${problem}`)
  }
  if (typeof functions !== 'object' || functions === null) {
    refuse('its functions are no object; give them by their names, as in `{ weather: ({ city }) => … }`')
  }
  for (const [name, each] of Object.entries(functions as object)) {
    if (each === null || typeof each === 'function') continue
    refuse(`\`${name}\` is no function; register a tool by \`registerForExecution(tool)\`, or give it by \`use(tool)\``)
  }
}

/** Changes the functions that the model is told of in the older style. */
export function updateFunctionSignature(state: State, signature: string | FunctionSchema, isRemove = false): void {
  const known = [...((config(state, 'function')['functions'] as FunctionSchema[] | undefined) ?? [])]
  if (isRemove) {
    if (known.length === 0) throw nothingToRemove(state, 'function', signature)
    change(
      state,
      'functions',
      known.filter(({ name }) => name !== nameOf(signature)),
    )
    return
  }
  if (typeof signature !== 'object' || signature === null) throw noSignature(signature)
  if (typeof signature.name !== 'string') {
    throw new XError('invalid-argument', 'a function signature has no `name`: give it one')
  }
  assertValidName(signature.name)
  if (known.some(({ name }) => name === signature.name))
    warn(state, `the function signature \`${signature.name}\` is replaced`)
  change(state, 'functions', [...known.filter(({ name }) => name !== signature.name), signature])
}

/** A tool that the model is told of; tools of the provider have no function. */
type KnownTool = Partial<ToolSchema>

/** Changes the tools that the model is told of. */
export function updateToolSignature(
  state: State,
  signature: string | ToolSchema,
  isRemove = false,
  tell: typeof warn = warn,
): void {
  const known = knownTools(state)
  if (isRemove) {
    if (known.length === 0) throw nothingToRemove(state, 'tool', signature)
    const isMeant = (tool: KnownTool): boolean =>
      typeof signature === 'string' ? tool.function?.name === signature : isEqual(tool, signature)
    change(
      state,
      'tools',
      known.filter((tool) => !isMeant(tool)),
    )
    return
  }
  if (typeof signature !== 'object' || signature === null) throw noSignature(signature)
  addToolSignatures(state, [signature], tell)
}

/** Tells the model of tools of different names, all at once: it is made anew once. */
function addToolSignatures(state: State, signatures: readonly ToolSchema[], tell: typeof warn = warn): void {
  const known = knownTools(state)
  const names = new Set(signatures.map((each) => assertValidName(each.function?.name ?? '')))
  const isReplaced = (tool: KnownTool): boolean => names.has(tool.function?.name ?? '')
  for (const tool of known.filter(isReplaced)) tell(state, `the tool signature \`${tool.function?.name}\` is replaced`)
  change(state, 'tools', [...known.filter((tool) => !isReplaced(tool)), ...signatures])
}

const knownTools = (state: State): readonly KnownTool[] =>
  (config(state, 'tool')['tools'] as readonly KnownTool[] | undefined) ?? []

function config({ agent, llmConfig }: State, what: string): ConfigEntry {
  if (llmConfig) return llmConfig.config
  throw new XError(
    'invalid-state',
    `\`${agent.name}\` has no model to tell of a ${what}: give it an \`llmConfig\` first`,
  )
}

/** Makes the model anew with other signatures; it keeps its ledger and its clients. */
function change(state: State, key: 'tools' | 'functions', signatures: readonly (KnownTool | FunctionSchema)[]): void {
  if (!state.llmConfig) return
  state.llmConfig = state.llmConfig.with({ [key]: signatures.length > 0 ? signatures : undefined })
  state.model = state.llmConfig.createModel({
    io: state.silent ? silentIo(state.io) : state.io,
    ...(state.logger && { logger: state.logger }),
    ...(state.model && { replaces: state.model }),
  })
}

const nameOf = (signature: string | FunctionSchema): string =>
  typeof signature === 'string' ? signature : signature.name

const isEqual = (one: unknown, other: unknown): boolean => canonical(one) === canonical(other)

/** Plain data as a text in which the order of keys does not count. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  )
}

function nothingToRemove({ agent }: State, what: string, signature: unknown): XError {
  const name = typeof signature === 'string' ? ` \`${signature}\`` : ''
  return new XError(
    'invalid-state',
    `the model of \`${agent.name}\` has no ${what}s: the ${what}${name} cannot be removed`,
  )
}

const noSignature = (signature: unknown): XError =>
  new XError('invalid-argument', `a signature is an object with a name and parameters, not a ${typeof signature}`)

/** Warns of a time-out that was probably meant in milliseconds. */
export function warnOfTimeout(state: State, { name, timeout }: Tool): void {
  const text =
    timeout === undefined ? undefined : kind.timeout.warning(`the \`timeout\` of the tool \`${name}\``, timeout)
  if (text !== undefined) warn(state, text, 'timeout')
}
