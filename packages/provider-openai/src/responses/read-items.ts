import { isRecord, listOf, textAs, type AnswerBuilder } from '@x/provider-kit'
import type { AnswerSource } from '@x/interfaces'
import { CALL_TYPES, storedForm, recordsIn, type Item, without } from './own-items.ts'
import { escapedInput, INPUT_WRAPPER, textIn } from '../call-texts.ts'
import { citationOf } from '../citation.ts'
import { logprobsOf } from '../logprobs.ts'

/** An item while it is read. */
interface OpenItem {
  readonly place: number
  id: unknown
  /** Text, arguments or reasoning that became events. */
  sent: string
  /** Number of the call. */
  call: number | undefined
  /** Whether the call is of a custom tool, whose input is a text. */
  custom: boolean
  /** Part of the reasoning to which the latest piece belongs. */
  part: unknown
  /** Stored form, once the item has ended. */
  stored: Item | undefined
}

/**
 * Reads the items of one answer, in pieces or whole; text, arguments and reasoning become events once. `at` is the place of an
 * item; without it, pieces belong to the latest one.
 */
export class ItemReader {
  /** Whether a part of the answer is a refusal. */
  isRefusal = false
  readonly #items: OpenItem[] = []
  /** The latest item of each place: some endpoints give several items the same place. */
  readonly #byPlace = new Map<number, OpenItem>()
  #latestPlace = -1
  /** Length of the texts of earlier messages. */
  #textBefore = 0

  /** Returns the place of the item with an id; undefined for an unknown id. */
  placeOf(id: unknown): number | undefined {
    return id === undefined ? undefined : this.#items.findLast((item) => item.id === id)?.place
  }

  /** Begins an item; without a place it is the next one. */
  open(at: number | undefined, item: Item, answer: AnswerBuilder): OpenItem {
    const place = at ?? this.#latestPlace + 1
    const stored = this.#byPlace.get(place)?.stored
    const isSame = stored?.['id'] === item['id'] && stored?.['call_id'] === item['call_id']
    const open = this.#itemAt(place, stored !== undefined && !isSame)
    open.id ??= item['id']
    if (!CALL_TYPES.has(item['type']) || open.call !== undefined) return open
    open.call = answer.callStart({ id: textIn(item['call_id']), name: textIn(item['name']) })
    open.custom = item['type'] === 'custom_tool_call'
    if (open.custom) answer.callDelta(open.call, INPUT_WRAPPER[0])
    return open
  }

  /** Takes a piece of the text of a message. */
  text(at: number | undefined, piece: unknown, isRefusal: boolean, answer: AnswerBuilder): void {
    const text = textIn(piece)
    if (isRefusal) this.isRefusal = true
    this.#itemAt(at).sent += text
    answer.text(text)
  }

  /** Takes a piece of the arguments or the input of a call. */
  callPiece(at: number | undefined, piece: unknown, answer: AnswerBuilder): void {
    this.#sendCallPiece(this.#itemAt(at), piece, answer)
  }

  /** Takes the whole text, arguments or input of an item of which no piece came. */
  whole(at: number | undefined, value: unknown, answer: AnswerBuilder): void {
    const open = this.#itemAt(at)
    if (open.sent !== '' || open.stored) return
    if (open.call === undefined) this.text(at, value, false, answer)
    else this.#sendCallPiece(open, value, answer)
  }

  /** Takes a piece of reasoning; an empty line separates the parts. */
  reasoning(at: number | undefined, piece: unknown, part: unknown, answer: AnswerBuilder): void {
    const text = textIn(piece)
    const open = this.#itemAt(at)
    if (open.sent !== '' && part !== open.part) answer.reasoning('\n\n')
    open.part = part
    open.sent += text
    answer.reasoning(text)
  }

  /** Ends an item; the rest that was not streamed follows. */
  close(at: number | undefined, ended: Item, answer: AnswerBuilder): void {
    const { type, content } = ended
    const isPlain = type === 'message' && typeof content === 'string'
    const item = isPlain ? { ...ended, content: [{ type: 'output_text', text: content }] } : ended
    const latest = this.#latestPlace
    const unfinished = this.#byPlace.get(latest)?.stored ? undefined : latest
    const place = at ?? this.placeOf(item['id']) ?? (latest < 0 ? undefined : unfinished)
    const open = this.open(place, item, answer)
    if (open.stored) return
    let lengths: number[] = []
    if (item['type'] === 'message') lengths = this.#closeMessage(open, item, answer)
    else if (open.call !== undefined) closeCall(open, open.call, item, answer)
    else if (item['type'] !== 'reasoning') readItem(item, answer)
    else if (open.sent === '') answer.reasoning(reasoningIn(item))
    open.stored = storedForm(item, lengths)
  }

  /** Ends the open items of the whole answer; their ids may differ from the streamed ones. */
  closeAll(items: readonly Item[], answer: AnswerBuilder): void {
    if (this.#items.filter(({ stored }) => stored).length >= items.length) return
    for (const [at, item] of items.entries()) if (!this.#byPlace.get(at)?.stored) this.close(at, item, answer)
  }

  /** Returns the items in the form in which they are stored, in their order. */
  storedItems(): Item[] {
    return this.#items.toSorted((a, b) => a.place - b.place).flatMap(({ stored }): Item[] => (stored ? [stored] : []))
  }

  #itemAt(at: number | undefined, isNew: boolean = false): OpenItem {
    const place = at ?? Math.max(this.#latestPlace, 0)
    let item = this.#byPlace.get(place)
    if (!item || isNew) {
      item = { place, id: undefined, sent: '', call: undefined, custom: false, part: undefined, stored: undefined }
      this.#byPlace.set(place, item)
      this.#items.push(item)
    }
    this.#latestPlace = place
    return item
  }

  #sendCallPiece(open: OpenItem, piece: unknown, answer: AnswerBuilder): void {
    if (open.call !== undefined) sendCallPiece(open, open.call, textIn(piece), answer)
  }

  /** Reports the rest of a message that was not streamed; returns the lengths of its texts. */
  #closeMessage(open: OpenItem, item: Item, answer: AnswerBuilder): number[] {
    const parts = recordsIn(item['content'])
    const texts = parts.map((part) => textIn(part['text']) || textIn(part['refusal']))
    if (parts.some((part) => part['type'] === 'refusal')) this.isRefusal = true
    const whole = texts.join('')
    const isSame = whole.startsWith(open.sent)
    if (isSame) answer.text(whole.slice(open.sent.length))
    readMessage(parts, this.#textBefore, answer)
    this.#textBefore += isSame ? whole.length : open.sent.length
    if (isSame) return texts.map(({ length }) => length)
    // The caller has seen the streamed text.
    return texts.map((_, n) => (n === 0 ? open.sent.length : 0))
  }
}

function sendCallPiece(open: OpenItem, call: number, text: string, answer: AnswerBuilder): void {
  if (text === '') return
  open.sent += text
  answer.callDelta(call, open.custom ? escapedInput(text) : text)
}

function closeCall(open: OpenItem, call: number, item: Item, answer: AnswerBuilder): void {
  const given = item[open.custom ? 'input' : 'arguments']
  // Some endpoints send the object itself.
  const whole = isRecord(given) ? JSON.stringify(given) : textIn(given)
  if (whole.startsWith(open.sent)) sendCallPiece(open, call, whole.slice(open.sent.length), answer)
  if (open.custom) answer.callDelta(call, INPUT_WRAPPER[1])
  answer.callEnd(call)
}

/** Returns the reasoning to show: its summary, else its text. */
function reasoningIn({ summary, content }: Item): string {
  const parts = [summary, content].map(recordsIn).find((list) => list.length > 0) ?? []
  return parts.map(({ text }) => textIn(text)).join('\n\n')
}

/** Reads citations and probabilities of the texts of a message; `textBefore` is the length of the texts of earlier ones. */
function readMessage(parts: readonly Item[], textBefore: number, answer: AnswerBuilder): void {
  let at = textBefore
  for (const part of parts) {
    const { text, annotations, logprobs } = part
    const citations = recordsIn(annotations).map((raw) => {
      const { start, end, ...rest } = citationOf(raw)
      return { ...(start !== undefined && { start: start + at }), ...(end !== undefined && { end: end + at }), ...rest }
    })
    if (citations.length > 0) answer.details({ citations })
    const tokens = logprobsOf(logprobs)
    if (tokens.length > 0) answer.details({ logprobs: tokens })
    if (typeof text === 'string') at += text.length
  }
}

/** Reads an item that is neither a message nor reasoning nor a call of a tool of the caller. */
function readItem(item: Item, answer: AnswerBuilder): void {
  const type = String(item['type'])
  const sources = sourcesOf(item)
  if (sources.length > 0) answer.details({ sources })
  for (const { url } of recordsIn(item['outputs'])) {
    if (typeof url === 'string') answer.media({ type: 'image', url, ...textAs('media_type', mediaTypeOf(url)) })
  }
  const { result, output_format: format, id } = item
  if (type !== 'image_generation_call' || typeof result !== 'string') {
    answer.part(type, item)
    return
  }
  const media_type = `image/${typeof format === 'string' ? format : 'png'}`
  answer.media({ type: 'image', url: `data:${media_type};base64,${result}`, media_type, ...textAs('id', id) })
  // The image itself is part of the content.
  answer.details({ provider_parts: [without(item, 'result')] })
}

const mediaTypeOf = (url: string): string | undefined => /^data:([^;,]+)/u.exec(url)?.[1]

function sourcesOf({ type, action, queries, results }: Item): AnswerSource[] {
  if (type === 'web_search_call' && isRecord(action)) {
    const { query, sources, url } = action
    return [
      ...(typeof query === 'string' && query !== '' ? [{ type: 'search', text: query }] : []),
      ...[...recordsIn(sources), ...(url === undefined ? [] : [{ url }])].flatMap(
        ({ url: page, title }): AnswerSource[] =>
          typeof page === 'string' ? [{ type: 'url', url: page, ...textAs('title', title) }] : [],
      ),
    ]
  }
  if (type !== 'file_search_call') return []
  return [
    ...listOf(queries).flatMap((text): AnswerSource[] => (typeof text === 'string' ? [{ type: 'search', text }] : [])),
    ...recordsIn(results).map(({ file_id: file, filename, text }) => ({
      type: 'file',
      ...textAs('file_id', file),
      ...textAs('title', filename),
      ...textAs('text', text),
    })),
  ]
}
