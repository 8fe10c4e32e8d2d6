import { isRecord, parseJson, type AnswerBuilder } from '@x/provider-kit'
import { escapedInput, INPUT_WRAPPER, textIn } from '../call-texts.ts'

/** A piece of a tool call; everything may be missing or empty. */
export interface WireCallDelta {
  index?: number | null
  id?: string | null
  type?: string | null
  function?: { name?: string | null; arguments?: unknown } | null
  /** Call of a custom tool, whose input is a text. */
  custom?: { name?: string | null; input?: unknown } | null
  /** Signature of Gemini. */
  extra_content?: unknown
}

interface OpenCall {
  readonly index: number | undefined
  /** Id of the endpoint, which may come late. */
  id: string | undefined
  name: string
  arguments: string
  extra: object | null
  readonly custom: boolean
  /** Number of the call in the answer, once it has begun. */
  place: number | undefined
}

/** Joins the pieces of the tool calls of the choice at an index of an answer. */
export class CallTracker {
  readonly #choice: number
  readonly #answer: AnswerBuilder
  readonly #calls: OpenCall[] = []

  constructor(choice: number, answer: AnswerBuilder) {
    this.#choice = choice
    this.#answer = answer
  }

  push(delta: WireCallDelta): void {
    const name = textIn((delta.function ?? delta.custom)?.name)
    const call = this.#callOf(delta, name !== '')
    const piece = call.custom ? escapedInput(textIn(delta.custom?.input)) : argumentsText(delta.function?.arguments)
    call.name ||= name
    call.arguments += piece
    if (isRecord(delta.extra_content)) call.extra ??= delta.extra_content
    if (call.place !== undefined) this.#answer.callDelta(call.place, piece, this.#choice)
    else if (call.name) this.#start(call)
  }

  /** Begins the calls without a name. Calls end with the answer: the beginning of their arguments may be JSON, too. */
  end(): void {
    for (const call of this.#calls) {
      if (call.place === undefined) this.#start(call)
      if (call.custom) this.#answer.callDelta(call.place!, INPUT_WRAPPER[1], this.#choice)
    }
  }

  /** Ids of the calls of custom tools. */
  get custom(): string[] {
    return this.#calls.flatMap(({ custom, id }) => (custom && id !== undefined ? [id] : []))
  }

  /** Further data of the endpoint for each call, in the order of the calls. */
  get extras(): (object | null)[] {
    return [...this.#calls].sort((a, b) => (a.place ?? 0) - (b.place ?? 0)).map(({ extra }) => extra)
  }

  /** Whether the arguments of every call are complete JSON. */
  get isWhole(): boolean {
    return this.#calls.every((call) => call.custom || call.arguments === '' || parseJson(call.arguments) !== undefined)
  }

  /** Finds the call of a piece: by id, else by index (the latest that has it), else the latest. */
  #callOf(delta: WireCallDelta, hasName: boolean): OpenCall {
    const calls = this.#calls
    const id = typeof delta.id === 'string' ? delta.id : ''
    const index = typeof delta.index === 'number' ? delta.index : undefined
    const byIndex = index === undefined ? undefined : calls.findLast((call) => call.index === index)
    const byId = id ? (byIndex?.id === id ? byIndex : calls.findLast((call) => call.id === id)) : undefined
    // Some endpoints give several calls one id, such as the name of their function.
    if (byId && !(hasName && (isElsewhere(byId, index) || isAnotherCall(byId, delta)))) return byId
    if (id && byIndex && byIndex.id === undefined) {
      byIndex.id = id
      return byIndex
    }
    // A call begins with its name: a piece without one continues the open call, whatever id it has.
    if (byIndex && (id ? !hasName && byIndex.name !== '' : !hasName || !isAnotherCall(byIndex, delta))) return byIndex
    const latest = calls.at(-1)
    if (!id && index === undefined && latest && (!hasName || latest.name === '')) return latest
    return this.#add(index, id, Boolean(delta.custom))
  }

  #add(index: number | undefined, id: string, custom: boolean): OpenCall {
    const call: OpenCall = {
      index,
      id: id || undefined,
      name: '',
      arguments: custom ? INPUT_WRAPPER[0] : '',
      extra: null,
      custom,
      place: undefined,
    }
    this.#calls.push(call)
    return call
  }

  #start(call: OpenCall): void {
    call.place = this.#answer.callStart({ id: call.id, name: call.name }, this.#choice)
    this.#answer.callDelta(call.place, call.arguments, this.#choice)
  }
}

/**
 * Tells whether a named piece begins another call than the open one of the same index or id: by the name, or because the
 * arguments of the open call are complete and the piece begins an object again.
 */
function isAnotherCall({ name, arguments: text }: OpenCall, { function: called, custom }: WireCallDelta): boolean {
  const own = (called ?? custom)?.name
  if (name === '') return false
  if (name !== own) return true
  return argumentsText(called?.arguments).trimStart().startsWith('{') && parseJson(text) !== undefined
}

/** Tells whether a call and a piece have an index each, and not the same. */
const isElsewhere = (call: OpenCall, index: number | undefined): boolean =>
  index !== undefined && call.index !== undefined && call.index !== index && call.name !== ''

/** Returns arguments as text; some endpoints send the object itself. */
const argumentsText = (args: unknown): string => (typeof args === 'string' ? args : args ? JSON.stringify(args) : '')
