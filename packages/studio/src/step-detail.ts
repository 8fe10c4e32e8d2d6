import type { CallInput, ChatMessage, ContentPart, Reply, XEvent } from '@x/interfaces'
import type { KeptRun } from '@x/records'
import type { AskedModel, StepDetail, ThoughtNode } from './protocol.ts'
import type { RowOfSteps } from './run-rows.ts'

/** Most events of a step that are sent with it. */
const MAX_EVENTS = 50

/** Messages of a prompt that are sent although the prompt before had them. */
const MAX_SHARED = 4

/** Tells everything that is known of a row of a run; of a long prompt, only what is new unless it is wanted `whole`. */
export function detailOf(rows: readonly RowOfSteps[], id: string, whole: boolean): StepDetail | undefined {
  const at = rows.findIndex(({ row }) => row.id === id)
  const found = rows[at]
  if (!found) return undefined
  const { run, row, steps } = found
  const ids = new Set(steps.map((step) => step.id))
  const events = run.events.filter((event) => isOf(event, ids, row.id)).slice(0, MAX_EVENTS)
  const own = steps[0]!
  const call = steps.at(-1)!
  const end = events.find((event) => event.type === 'modelCallEnd')
  return {
    id,
    input: own.input,
    output: own.output || call.output,
    error: own.error ?? call.error,
    asked: row.place !== null && isModelRow(found) ? askedAt(rows.slice(0, at), found, whole) : null,
    answer: row.place === null ? null : answerAt(run, row.place),
    reasoning: end?.details?.reasoning ?? null,
    parts: partsOf(events),
    thoughts: row.kind === 'search' ? thoughtsOf(run.events, row.id) : [],
    events,
  }
}

const isOf = (event: XEvent, ids: ReadonlySet<string>, rowId: string): boolean =>
  ('id' in event && ids.has(event.id)) || rowId === `note.${event.seq}`

const isModelRow = ({ row }: RowOfSteps): boolean => row.model !== null || row.tokens !== null || row.kind === 'answer'

/** Returns the question to a model at a row, beside the last one of the same agent before it. */
function askedAt(earlier: readonly RowOfSteps[], row: RowOfSteps, whole: boolean): AskedModel | null {
  const input = inputAt(row)
  if (!input) return null
  const before = earlier.findLast(
    (each) => each.row.agent === row.row.agent && isModelRow(each) && each.row.place !== null,
  )
  const messages = messagesIn(input)
  const known = before ? messagesIn(inputAt(before) ?? {}) : []
  let shared = 0
  while (shared < messages.length && shared < known.length && isEqual(messages[shared], known[shared])) shared++
  const leftOut = whole || shared <= MAX_SHARED ? 0 : shared
  return {
    messages: messages.slice(leftOut),
    leftOut,
    shared,
    before: known.slice(shared),
    settings: input['settings'] ?? null,
  }
}

function inputAt({ run, row, steps }: RowOfSteps): CallInput | null {
  const call = run.calls.find(({ place, kind }) => kind === 'model' && place === row.place)
  if (call) return call.input
  const messages = steps.map(({ id }) => run.requestOf(id)).find(Boolean)
  return messages ? { messages } : null
}

const messagesIn = (input: CallInput): readonly ChatMessage[] =>
  Array.isArray(input['messages']) ? (input['messages'] as readonly ChatMessage[]) : []

/** Messages that a record shares are one object; others are compared by their texts. */
const isEqual = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other)

function answerAt({ entries }: KeptRun, place: string): Reply | null {
  const entry = entries.find((each) => each.place === place && each.kind === 'model')
  return (entry?.value as { readonly reply?: Reply } | undefined)?.reply ?? null
}

const partsOf = (events: readonly XEvent[]): readonly ContentPart[] =>
  events.flatMap((event) => (event.type === 'toolEnd' ? (event.parts ?? []) : []))

/** Reads the tree of a search from its events. */
function thoughtsOf(events: readonly XEvent[], searchId: string): readonly ThoughtNode[] {
  const nodes = new Map<string, { -readonly [K in keyof ThoughtNode]: ThoughtNode[K] }>()
  const isInside = insideOf(events, searchId)
  let best: string | null = null
  for (const event of events) {
    if (!isInside(event.parentId)) continue
    if (event.type === 'searchNode') {
      const { node, parent, content } = event
      nodes.set(node, { id: node, parent, text: content, grade: null, fate: null, isBest: false })
    } else if (event.type === 'searchGrade') {
      const node = nodes.get(event.node)
      if (node) node.grade = event.grade
    } else if (event.type === 'searchFate') {
      const node = nodes.get(event.node)
      if (node) node.fate = event.fate
    } else if (event.type === 'searchBest') best = event.node
  }
  const chosen = best === null ? undefined : nodes.get(best)
  if (chosen) chosen.isBest = true
  return [...nodes.values()]
}

/** Returns a test for events inside of a span. */
function insideOf(events: readonly XEvent[], id: string): (parentId: string | null) => boolean {
  const inside = new Set([id])
  for (const event of events)
    if ('id' in event && event.parentId !== null && inside.has(event.parentId)) inside.add(event.id)
  return (parentId) => parentId !== null && inside.has(parentId)
}
