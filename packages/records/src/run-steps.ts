import type { EventUsage, Reply, SpanOutcome, XEvent } from '@x/interfaces'
import { contentText } from '@x/kernel/tool-content'
import { foldEvents, type FoldedRun } from '@x/kernel/events'
import { type KeptRun, listIn } from './kept-run.ts'
import { damagedRecord } from './storage.ts'

type Span = FoldedRun['tree'][number]
type SpanOf<K extends Span['kind']> = Extract<Span, { kind: K }>

/** A step of a run: a chat, a reply, a call, an answer of a model, or a note, with the steps inside it. */
export interface RunStep {
  /** Identifies the step in its run. */
  readonly id: string
  /** `answer` has the words of a model that no reply tells, such as a summary; `note` stands for an event that is no part of a span. */
  readonly kind: Span['kind'] | 'answer' | 'note'
  /** The agent that acts; null without one. */
  readonly agent: string | null
  /** The other agent of a chat, the tool, the model that answered, the kind of a search's job or the subject of a note; else null. */
  readonly name: string | null
  /** The question: the first message, the arguments as JSON, the code, the question; empty for none. */
  readonly input: string
  /** The outcome in words: those of a reply, the result of a tool, the output of code, the text of a note; empty for none. */
  readonly output: string
  /** Place of the call, as forks and labels take it; null for steps that are no call. */
  readonly place: string | null
  /** Number of the first event of the step in its run. */
  readonly seq: number
  /** Number of the last event so far that told of the step. */
  readonly lastSeq: number
  /** When it began, in milliseconds since 1970. */
  readonly time: number
  /** Duration in milliseconds; null while it runs, and for a note. */
  readonly ms: number | null
  readonly outcome: SpanOutcome | 'running' | 'interrupted'
  /** The error with which it ended; null without one. */
  readonly error: string | null
  /** Tokens of the answer of a model; null for other steps, and where they are not known. */
  readonly usage: Omit<EventUsage, 'totalTokens'> | null
  /** Cost of the same in US dollars; null if it is not known. */
  readonly cost: number | null
  /** True if a cache has answered. */
  readonly cached: boolean
  readonly steps: readonly RunStep[]
}

/**
 * Returns the steps of a run in the order in which they began, each with the steps inside it. Fails with `invalid-state` for
 * events that no run has told.
 */
export function runSteps(run: Pick<KeptRun, 'events' | 'entries' | 'calls'>): readonly RunStep[] {
  try {
    return new StepReader(run).steps
  } catch (cause) {
    throw damagedRecord('its events', cause)
  }
}

/** The facts of a step but for what is inside it. */
type StepFacts = Omit<RunStep, 'steps'>

/** Reads the events of a run as steps. */
class StepReader {
  /** The events that are no part of a span, by the span around them. */
  readonly #notes = new Map<string | null, RunStep[]>()
  /** Places of the calls of tools, by the place around them and the name of the tool. */
  readonly #toolPlaces = new Map<string, string[]>()
  /** Answers of models by their places. */
  readonly #answers = new Map<string, Reply | null>()
  /** The spans that tell the answers of the models inside them. */
  readonly #telling = new Set<string>()
  readonly steps: readonly RunStep[]

  constructor({ events, entries, calls }: Parameters<typeof runSteps>[0]) {
    for (const { place, kind, value } of entries)
      if (kind === 'model') this.#answers.set(place, (value as { readonly reply?: Reply } | null)?.reply ?? null)
    for (const event of events) {
      if (event.type === 'replyStart' || event.type === 'modelCallStart') this.#telling.add(event.id)
      const note = noteOf(event)
      if (note) listIn(this.#notes, event.parentId).push(note)
    }
    for (const { place, kind, name } of calls)
      if (kind === 'tool') listIn(this.#toolPlaces, keyOf(place, name)).push(place)
    this.steps = this.#inside(foldEvents(events).tree, null)
  }

  #inside(spans: readonly Span[], parent: string | null): readonly RunStep[] {
    const steps = Array.from(Map.groupBy(spans, (span) => this.#untoldPlace(span) ?? span.id).values(), (together) =>
      this.#together(together),
    )
    return [...steps, ...(this.#notes.get(parent) ?? [])].toSorted((one, other) => one.seq - other.seq)
  }

  /** Returns the place of a question to a model whose answer no span around it tells, such as that for a summary. */
  #untoldPlace({ kind, id, parentId }: Span): string | null {
    if (kind !== 'modelCall' && kind !== 'modelAttempt') return null
    const place = placeIn(id)
    return this.#answers.has(place) && (parentId === null || !this.#telling.has(parentId)) ? place : null
  }

  /** Returns the step of a span, or that of one answer with the attempts at it inside. */
  #together(spans: readonly Span[]): RunStep {
    const steps = spans.map((span) => this.#step(span))
    const place = this.#untoldPlace(spans[0]!)
    if (place === null) return steps[0]!
    const [first, last] = [steps[0]!, steps.at(-1)!]
    return {
      ...NOTHING,
      id: `${place}.answer`,
      kind: 'answer',
      agent: first.agent,
      output: replyText(this.#answers.get(place) ?? null),
      seq: first.seq,
      lastSeq: Math.max(...steps.map(({ lastSeq }) => lastSeq)),
      time: first.time,
      steps,
      ms: last.ms === null ? null : last.time + last.ms - first.time,
      outcome: last.outcome,
    }
  }

  #step(span: Span): RunStep {
    const { id, kind, outcome, start, end } = span
    const event = end ?? start!
    return {
      ...NOTHING,
      id,
      kind,
      agent: event.agent,
      seq: (start ?? event).seq,
      lastSeq: event.seq,
      outcome,
      time: start?.time ?? event.time - (end?.ms ?? 0),
      ms: end?.ms ?? null,
      error: end?.error?.message ?? null,
      ...this.#wordsOf(span),
      steps: this.#inside(span.children, id),
    }
  }

  #wordsOf(span: Span): Partial<StepFacts> {
    switch (span.kind) {
      case 'chat':
        return {
          name: (span.start ?? span.end)!.recipient,
          input: replyText(span.start?.message ?? null),
          output: span.end?.terminationReason ?? '',
        }
      case 'reply':
        return { output: wordsIn(span) }
      case 'modelCall': {
        const place = placeIn(span.id)
        const { message = null, model = null, ...used } = span.end ?? {}
        return { place, name: model, output: replyText(message), ...usedIn(used) }
      }
      case 'modelAttempt':
        return this.#attemptWords(span)
      case 'tool': {
        const { name, arguments: given } = (span.end ?? span.start)!
        const place = this.#toolPlaces.get(keyOf(span.id, name))?.shift() ?? null
        return { place, name, input: given === null ? '' : JSON.stringify(given), output: span.end?.result ?? '' }
      }
      case 'code':
        return {
          input: span.start?.blocks.map((block) => block.code).join('\n') ?? '',
          output: span.end
            ? `${span.end.exitCode === 0 ? '' : `exit ${String(span.end.exitCode)}: `}${span.end.output}`
            : '',
        }
      case 'humanInput':
        return { input: span.start?.prompt ?? '', output: span.end?.answer ?? '' }
      case 'search':
        return { input: span.start?.question ?? '', output: span.end?.answer ?? '' }
      case 'searchJob': {
        const { kind, job } = (span.end ?? span.start)!
        const used = span.end?.used
        return {
          name: kind,
          input: job,
          output: span.end?.failure ?? '',
          ...(used && usedIn({ usage: used, cost: used.cost, cached: used.cached ?? false })),
        }
      }
    }
  }

  #attemptWords({ id, parentId, start, end }: SpanOf<'modelAttempt'>): Partial<StepFacts> {
    const { model, endpoint } = (end ?? start)!
    const place = placeIn(id)
    return {
      // Inside the span of a question, that has the place.
      place: parentId === place ? null : place,
      name: end?.responseModel ?? model,
      input: endpoint ?? '',
      ...(end && usedIn(end)),
      ...(end?.kind && { error: end.error ? `${end.kind}: ${end.error.message}` : end.kind }),
    }
  }
}

const NOTHING = {
  agent: null,
  name: null,
  input: '',
  output: '',
  place: null,
  ms: null,
  error: null,
  usage: null,
  cost: null,
  cached: false,
} as const

/** Returns the place of a call, of which the id of an attempt has one more part. */
const placeIn = (id: string): string => id.replace(/\.span\d+$/u, '')

const usedIn = ({
  usage = null,
  cost = null,
  cached = false,
}: Partial<Pick<RunStep, 'usage' | 'cost' | 'cached'>>): Partial<StepFacts> => ({ usage, cost, cached })

/** The words of a reply; results of tools are told by their calls. */
function wordsIn({ end }: SpanOf<'reply'>): string {
  const reply = end?.reply ?? null
  return typeof reply === 'object' && reply?.tool_responses ? '' : replyText(reply)
}

/** Returns the words of a message: its text, or the calls that it asks for. */
function replyText(reply: Reply | null): string {
  if (reply === null) return ''
  if (typeof reply === 'string') return reply
  const { content, tool_calls: calls = [], function_call: call } = reply
  const text = content === null || content === undefined || typeof content === 'function' ? '' : contentText(content)
  const called = [...calls.map((each) => each.function), ...(call ? [call] : [])]
  return [...(text ? [text] : []), ...called.map(({ name, arguments: given }) => `→ ${name}(${given})`)].join('\n')
}

/** Returns a step for an event that is no part of a span but worth one; null for others. */
function noteOf(event: XEvent): RunStep | null {
  const note = (name: string, output: string): RunStep => ({
    ...NOTHING,
    id: `note.${event.seq}`,
    kind: 'note',
    agent: event.agent,
    name,
    output,
    steps: [],
    seq: event.seq,
    lastSeq: event.seq,
    time: event.time,
    outcome: 'ok',
  })
  switch (event.type) {
    case 'warning':
      return note('warning', event.text)
    case 'groupChatRunChat':
      return note('next', `${event.speaker} (${event.reason})`)
    case 'handoff':
      return note('handoff', `${event.agent} → ${event.to} (${event.by})`)
    case 'safeguard':
      return note('safeguard', `${event.action}: ${event.source} → ${event.target}`)
    case 'steeringMessage':
      return note('message to the run', event.text)
    case 'historyCut':
      return note('history cut', `${event.tokensBefore} → ${event.tokensAfter} tokens`)
    case 'approvalRequested':
      return {
        ...note('approval', `of ${event.action.type} at ${event.id}`),
        place: event.id,
        input: JSON.stringify(event.action),
      }
    case 'waitingToRetry':
      return note('retry', `${event.kind}: ${event.reason}`)
    case 'custom':
      return note(event.name, JSON.stringify(event.data) ?? '')
    default:
      return null
  }
}

const keyOf = (place: string, name: string | null): string =>
  JSON.stringify([place.slice(0, place.lastIndexOf('.')), name])
