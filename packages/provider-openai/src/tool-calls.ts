import type { ModelEvent, ToolCall } from '@x/interfaces'
import type { NameMap } from '@x/provider-kit'

/** A piece of a tool call; everything may be missing or empty. */
export interface WireCallDelta {
  index?: number | null
  id?: string | null
  type?: string | null
  function?: { name?: string | null; arguments?: unknown } | null
}

/** Puts the pieces of the tool calls of one choice together. */
export interface CallTracker {
  push(delta: WireCallDelta, events: ModelEvent[]): void
  /** Ends all calls. A call never ends earlier: a beginning of its arguments may be valid JSON too. */
  end(events: ModelEvent[]): ToolCall[]
}

interface OpenCall {
  readonly place: number
  readonly index: number | undefined
  /** The endpoint's id; it may come late. */
  wireId: string | undefined
  /** The id it is known by: the endpoint's, or the one it was given when it began without. */
  id: string | undefined
  name: string
  arguments: string
  started: boolean
}

/** Makes a tracker; `idOf` gives the id of a call that the endpoint gives none. */
export function createCallTracker(index: number, names: NameMap, idOf: (call: number) => string): CallTracker {
  const calls: OpenCall[] = []

  /** Finds the call of a piece: by id, else by index (the latest that has it), else the latest. */
  const callOf = ({ id, index: wire, function: called }: WireCallDelta): OpenCall => {
    const at = typeof wire === 'number' ? calls.findLast((call) => call.index === wire) : undefined
    const known = id ? calls.find((call) => call.wireId === id) : undefined
    if (known) return known
    if (id && at && at.wireId === undefined) {
      at.wireId = id
      at.id ??= id
      return at
    }
    if (!id && at) return at
    const latest = calls.at(-1)
    const another = Boolean(called?.name) && latest?.name !== ''
    if (!id && typeof wire !== 'number' && latest && !another) return latest
    const made: OpenCall = {
      place: calls.length,
      index: wire ?? undefined,
      wireId: id || undefined,
      id: id || undefined,
      name: '',
      arguments: '',
      started: false,
    }
    calls.push(made)
    return made
  }

  const start = (call: OpenCall, events: ModelEvent[]): void => {
    call.started = true
    call.id ??= idOf(call.place)
    events.push({ type: 'tool-call-start', index, call: call.place, id: call.id, name: names.from(call.name) })
    if (call.arguments) events.push({ type: 'tool-call-delta', index, call: call.place, arguments: call.arguments })
  }

  return {
    push(delta, events) {
      const call = callOf(delta)
      call.name ||= delta.function?.name ?? ''
      const piece = argumentsText(delta.function?.arguments)
      call.arguments += piece
      if (call.started) {
        if (piece) events.push({ type: 'tool-call-delta', index, call: call.place, arguments: piece })
      } else if (call.name) start(call, events)
    },
    end(events) {
      return calls.map((call) => {
        if (!call.started) start(call, events)
        if (call.arguments === '') {
          // No arguments are the empty object; the pieces must add up to what the answer holds.
          call.arguments = '{}'
          events.push({ type: 'tool-call-delta', index, call: call.place, arguments: '{}' })
        }
        events.push({ type: 'tool-call-end', index, call: call.place })
        const { id, name, arguments: args } = call
        return { id: id!, type: 'function', function: { name: names.from(name), arguments: args } }
      })
    },
  }
}

/** Arguments are carried as their text; whoever runs the tool reads them. Some endpoints give the object itself. */
const argumentsText = (args: unknown): string => (typeof args === 'string' ? args : args ? JSON.stringify(args) : '')
