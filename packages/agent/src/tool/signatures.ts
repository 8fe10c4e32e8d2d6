import type { ConfigEntry, FunctionSchema, ToolSchema } from '@x/interfaces'
import { XError } from '@x/kernel'
import { assertValidName } from '../memory/names.ts'
import { silentIo } from '../memory/printing.ts'
import { warn, type State } from '../memory/state.ts'

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
  const known = [...((config(state, 'tool')['tools'] as KnownTool[] | undefined) ?? [])]
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
  const name = assertValidName(signature.function?.name ?? '')
  if (known.some((tool) => tool.function?.name === name)) tell(state, `the tool signature \`${name}\` is replaced`)
  change(state, 'tools', [...known.filter((tool) => tool.function?.name !== name), signature])
}

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
