import { isRecord, parseJson, type AnswerBuilder } from '@x/provider-kit'

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

/** Puts the pieces of the tool calls of one choice together. */
export interface CallTracker {
  push(delta: WireCallDelta): void
  /** Begins the calls that never got a name. A call ends with the answer: a beginning of its arguments may be JSON, too. */
  end(): void
  /** Whether the arguments of every call are complete JSON. */
  readonly whole: boolean
  /** What the endpoint wrote beside each call, in the order of the calls. */
  readonly extras: readonly (object | null)[]
  /** Ids of the calls of custom tools. */
  readonly custom: readonly string[]
}

/** Text before and behind the input of a custom tool, which makes one argument of it. */
const INPUT = ['{"input":"', '"}'] as const

interface OpenCall {
  readonly index: number | undefined
  /** The endpoint's id; it may come late. */
  id: string | undefined
  name: string
  arguments: string
  extra: object | null
  readonly custom: boolean
  /** Its number in the answer, once it has begun. */
  place: number | undefined
}

/** Makes a tracker for the choice at an index of an answer. */
export function createCallTracker(choice: number, answer: AnswerBuilder): CallTracker {
  const calls: OpenCall[] = []

  /** Finds the call of a piece: by id, else by index (the latest that has it), else the latest. */
  const callOf = (delta: WireCallDelta, named: boolean): OpenCall => {
    const id = typeof delta.id === 'string' ? delta.id : ''
    const wire = typeof delta.index === 'number' ? delta.index : undefined
    const at = wire === undefined ? undefined : calls.findLast((call) => call.index === wire)
    const known = id ? calls.find((call) => call.id === id) : undefined
    if (known) return known
    if (id && at && at.id === undefined) {
      at.id = id
      return at
    }
    // A call begins with its name: a piece without one goes on with the open call, whatever id it has.
    if (at && (id ? !named && at.name !== '' : !named || !isAnother(at, delta))) return at
    const latest = calls.at(-1)
    if (!id && wire === undefined && latest && (!named || latest.name === '')) return latest
    const custom = Boolean(delta.custom)
    const args = custom ? INPUT[0] : ''
    const made: OpenCall = {
      index: wire,
      id: id || undefined,
      name: '',
      arguments: args,
      extra: null,
      custom,
      place: undefined,
    }
    calls.push(made)
    return made
  }

  const start = (call: OpenCall): void => {
    call.place = answer.callStart({ id: call.id, name: call.name }, choice)
    answer.callDelta(call.place, call.arguments, choice)
  }

  return {
    push(delta) {
      const named = (delta.function ?? delta.custom)?.name
      const name = typeof named === 'string' ? named : ''
      const call = callOf(delta, name !== '')
      const piece = call.custom ? inputText(delta.custom?.input) : argumentsText(delta.function?.arguments)
      call.name ||= name
      call.arguments += piece
      if (isRecord(delta.extra_content)) call.extra ??= delta.extra_content
      if (call.place !== undefined) answer.callDelta(call.place, piece, choice)
      else if (call.name) start(call)
    },
    end() {
      for (const call of calls) {
        if (call.place === undefined) start(call)
        if (call.custom) answer.callDelta(call.place!, INPUT[1], choice)
      }
    },
    get custom() {
      return calls.flatMap(({ custom, id }) => (custom && id !== undefined ? [id] : []))
    },
    get extras() {
      return [...calls].sort((a, b) => (a.place ?? 0) - (b.place ?? 0)).map(({ extra }) => extra)
    },
    get whole() {
      return calls.every((call) => call.custom || call.arguments === '' || parseJson(call.arguments) !== undefined)
    },
  }
}

/**
 * Tells whether a named piece without an id is another call than the open one of its index: by the name, or because the
 * arguments of the open one are complete and the piece begins an object again.
 */
function isAnother({ name, arguments: text }: OpenCall, { function: called }: WireCallDelta): boolean {
  if (name === '') return false
  if (name !== called?.name) return true
  return argumentsText(called.arguments).trimStart().startsWith('{') && parseJson(text) !== undefined
}

/** Arguments are carried as their text; whoever runs the tool reads them. Some endpoints give the object itself. */
const argumentsText = (args: unknown): string => (typeof args === 'string' ? args : args ? JSON.stringify(args) : '')

/** Returns a piece of the input of a custom tool as it stands inside JSON. */
const inputText = (input: unknown): string => (typeof input === 'string' ? JSON.stringify(input).slice(1, -1) : '')
