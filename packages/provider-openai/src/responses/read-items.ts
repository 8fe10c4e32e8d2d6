import type { AnswerBuilder } from '@x/provider-kit'
import { readItem, readMessage } from './read-details.ts'
import { CALL_TYPES, storedForm, recordsIn, type Item } from './own-items.ts'

/** Reads the items of an answer, in pieces or whole; text, arguments and reasoning become events once. */
export interface ItemReader {
  /** Returns the number of the item with an id; undefined for an id that did not come. */
  placeOf(id: unknown): number | undefined
  /** Begins an item. Without a number it is the next one. */
  open(at: number | undefined, item: Item, answer: AnswerBuilder): void
  /** A piece of the text of a message. Without a number it belongs to the latest item. */
  text(at: number | undefined, piece: unknown, refusal: boolean, answer: AnswerBuilder): void
  /** A piece of the arguments or the input of a call. */
  piece(at: number | undefined, piece: unknown, answer: AnswerBuilder): void
  /** A piece of reasoning; an empty line separates its parts. */
  reasoning(at: number | undefined, piece: unknown, part: unknown, answer: AnswerBuilder): void
  /** Ends an item: what was not streamed of it follows. */
  close(at: number | undefined, item: Item, answer: AnswerBuilder): void
  /** Ends the items of the whole answer that have not ended; their ids may differ from those that were streamed. */
  settle(items: readonly Item[], answer: AnswerBuilder): void
  /** Whether a part of the answer is a refusal. */
  readonly refused: boolean
  /** Returns the items in the form in which they are stored, in their order. */
  storedItems(): Item[]
}

/** An item in the making. */
interface OpenItem {
  readonly place: number
  id: unknown
  /** Text, arguments or reasoning that has become events. */
  sent: string
  /** Number of the call. */
  call: number | undefined
  /** Whether the call is of a custom tool, whose input is a text. */
  custom: boolean
  /** Part of the reasoning to which the latest piece belongs. */
  part: unknown
  /** The form in which it is stored, once it has ended. */
  stored: Item | undefined
}

/** Makes a reader for the items of one answer. */
export function createItemReader(): ItemReader {
  const items: OpenItem[] = []
  /** The latest item of each place: some endpoints give several the same. */
  const byPlace = new Map<number, OpenItem>()
  let refused = false
  let latest = -1
  /** Length of the texts of earlier messages. */
  let before = 0

  const itemAt = (at: number | undefined, isNew: boolean = false): OpenItem => {
    const place = at ?? Math.max(latest, 0)
    let item = byPlace.get(place)
    if (!item || isNew) {
      item = { place, id: undefined, sent: '', call: undefined, custom: false, part: undefined, stored: undefined }
      byPlace.set(place, item)
      items.push(item)
    }
    latest = place
    return item
  }

  const open = (at: number | undefined, item: Item, answer: AnswerBuilder): OpenItem => {
    const place = at ?? latest + 1
    const stored = byPlace.get(place)?.stored
    const state = itemAt(place, stored !== undefined && stored['id'] !== item['id'])
    state.id ??= item['id']
    if (!CALL_TYPES.has(item['type']) || state.call !== undefined) return state
    state.call = answer.callStart({ id: textIn(item['call_id']), name: textIn(item['name']) })
    state.custom = item['type'] === 'custom_tool_call'
    // The input of a custom tool becomes the one argument of a call.
    if (state.custom) answer.callDelta(state.call, INPUT[0])
    return state
  }

  const send = (state: OpenItem, piece: unknown, answer: AnswerBuilder): void => {
    const text = textIn(piece)
    if (text === '' || state.call === undefined) return
    state.sent += text
    answer.callDelta(state.call, state.custom ? JSON.stringify(text).slice(1, -1) : text)
  }

  const closeCall = (state: OpenItem, item: Item, answer: AnswerBuilder): void => {
    const whole = textIn(item[state.custom ? 'input' : 'arguments'])
    if (whole.startsWith(state.sent)) send(state, whole.slice(state.sent.length), answer)
    if (state.custom) answer.callDelta(state.call!, INPUT[1])
    answer.callEnd(state.call!)
  }

  /** Returns the lengths of the texts, and tells what was not streamed of them. */
  const closeMessage = (state: OpenItem, item: Item, answer: AnswerBuilder): number[] => {
    const parts = recordsIn(item['content'])
    const texts = parts.map((part) => textIn(part['text']) || textIn(part['refusal']))
    if (parts.some((part) => part['type'] === 'refusal')) refused = true
    const whole = texts.join('')
    if (whole.startsWith(state.sent)) {
      answer.text(whole.slice(state.sent.length))
      readMessage(parts, before, answer)
      before += whole.length
      return texts.map(({ length }) => length)
    }
    readMessage(parts, before, answer)
    before += state.sent.length
    // What was streamed is what the caller has seen.
    return texts.map((_, n) => (n === 0 ? state.sent.length : 0))
  }

  const placeOf = (id: unknown): number | undefined =>
    id === undefined ? undefined : items.findLast((item) => item.id === id)?.place

  const close = (at: number | undefined, item: Item, answer: AnswerBuilder): void => {
    const unended = byPlace.get(latest)?.stored ? undefined : latest
    const state = open(at ?? placeOf(item['id']) ?? (latest < 0 ? undefined : unended), item, answer)
    if (state.stored) return
    let lengths: number[] = []
    if (item['type'] === 'message') lengths = closeMessage(state, item, answer)
    else if (state.call !== undefined) closeCall(state, item, answer)
    else if (item['type'] !== 'reasoning') readItem(item, answer)
    else if (state.sent === '') answer.reasoning(reasoningIn(item))
    state.stored = storedForm(item, lengths)
  }

  return {
    placeOf,
    open: (at, item, answer) => void open(at, item, answer),
    text(at, piece, refusal, answer) {
      const text = textIn(piece)
      if (refusal) refused = true
      itemAt(at).sent += text
      answer.text(text)
    },
    piece: (at, piece, answer) => send(itemAt(at), piece, answer),
    reasoning(at, piece, part, answer) {
      const text = textIn(piece)
      const state = itemAt(at)
      if (state.sent !== '' && part !== state.part) answer.reasoning('\n\n')
      state.part = part
      state.sent += text
      answer.reasoning(text)
    },
    close,
    settle(whole, answer) {
      if (items.filter(({ stored }) => stored).length >= whole.length) return
      for (const [at, item] of whole.entries()) if (!byPlace.get(at)?.stored) close(at, item, answer)
    },
    get refused() {
      return refused
    },
    storedItems: () =>
      items.toSorted((a, b) => a.place - b.place).flatMap(({ stored }): Item[] => (stored ? [stored] : [])),
  }
}

/** Text before and behind the input of a custom tool, which makes JSON of it. */
const INPUT = ['{"input":"', '"}'] as const

/** Returns the reasoning that may be shown: its summary, else its text. */
function reasoningIn({ summary, content }: Item): string {
  const parts = [summary, content].map(recordsIn).find((each) => each.length > 0) ?? []
  return parts.map(({ text }) => textIn(text)).join('\n\n')
}

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')
