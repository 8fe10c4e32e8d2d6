import type { ChatMessage, ContentPart, ModelParams } from '@x/interfaces'
import type { MissingFeature, PlainMessage, PlainPart, PlainRequest } from './meaning.ts'

/** A source of random choices; the same seed always gives the same ones. */
export class Dice {
  #state: number
  #count = 0

  constructor(seed: number) {
    this.#state = seed * 2_654_435_761
  }

  /** Returns a whole number from 0 up to a limit, which it does not reach. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }

  /** Returns one of some values. */
  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)]!
  }

  /** Returns true once in that many times. */
  once(times: number): boolean {
    return this.below(times) === 0
  }

  /** Returns a text that occurs nowhere else. */
  text(): string {
    return `${this.pick(WORDS)} ${this.#next()}`
  }

  /** Returns an identifier of a call that occurs nowhere else. */
  id(): string {
    return `${this.pick(['call_', 'functions.weather:', 'toolu_01', `call_${'x'.repeat(80)}`])}${this.#next()}`
  }

  #next(): number {
    return ++this.#count
  }
}

const WORDS = ['So', 'Grüße', '世界 ☀️', 'a "quoted" word', String.raw`back\slash`, '{"a":1}', '<b>', 'é́']

/** A picture of one pixel. */
export const PIXEL_BASE64 =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
/** The smallest GIF: a wire that calls all images PNG is found out. */
const GIF_BASE64 = 'R0lGODlhAQABAAAAACwAAAAAAQABAAA='

/** Link of an image. */
export const IMAGE_URL = 'https://images.invalid/canary.png'

const IMAGES = [
  { mediaType: 'image/png', data: PIXEL_BASE64 },
  { mediaType: 'image/gif', data: GIF_BASE64 },
] as const

const PARAMETERS = {
  type: 'object',
  properties: { city: { type: 'string', description: 'Name of the city.' }, days: { type: 'integer' } },
  required: ['city'],
} as const

/** Tools of the requests: names that are legal everywhere, too long, and with characters that no provider takes. */
const TOOL_NAMES = ['weather', 'now', 'geo.locate!', 'a'.repeat(64), 'b'.repeat(90), 'wéather', '2nd-tool_x']

/** Arguments of calls. */
export const ARGUMENTS: readonly Readonly<Record<string, unknown>>[] = [
  {},
  { city: 'Zürich' },
  { city: 'a "quoted" \\ city\n', days: -1.5e-7, deep: { list: [1, null, true, { a: '' }], none: {} } },
  { a: 0, b: false, c: '' },
]

/** A request with what it says. */
export interface AskedRequest {
  readonly params: ModelParams
  readonly asked: PlainRequest
}

/** Builds a conversation in both forms: as an agent stores it, and in plain words. */
export class ConversationBuilder {
  readonly messages: ChatMessage[] = []
  readonly plain: PlainMessage[] = []

  system(text: string): void {
    this.#add({ role: 'system', content: text }, { role: 'system', parts: [{ type: 'text', text }] })
  }

  user(parts: readonly PlainPart[]): void {
    const content = parts.length === 1 && parts[0]!.type === 'text' ? parts[0]!.text : parts.map(contentPart)
    this.#add({ role: 'user', content }, { role: 'user', parts })
  }

  assistant(text: string, calls: readonly { id: string; name: string; args: object }[] = []): void {
    const toolCalls = calls.map(({ id, name, args }) => ({
      id,
      type: 'function' as const,
      function: { name, arguments: JSON.stringify(args) },
    }))
    this.#add(
      { role: 'assistant', content: text || null, ...(toolCalls.length > 0 && { tool_calls: toolCalls }) },
      {
        role: 'assistant',
        parts: [
          ...(text === '' ? [] : [{ type: 'text' as const, text }]),
          ...calls.map((call) => ({ type: 'call' as const, ...call })),
        ],
      },
    )
  }

  result(id: string, name: string, parts: readonly PlainPart[]): void {
    const [first] = parts
    const failed = first?.type === 'text' && first.text.startsWith('Error:')
    const content = parts.length === 1 && first!.type === 'text' ? first!.text : parts.map(contentPart)
    this.#add(
      { role: 'tool', tool_call_id: id, content },
      { role: 'tool', parts: [{ type: 'result', id, name, parts, failed }] },
    )
  }

  #add(message: ChatMessage, plain: PlainMessage): void {
    this.messages.push(message)
    this.plain.push(plain)
  }
}

function contentPart(part: PlainPart): ContentPart {
  if (part.type === 'text') return { type: 'text', text: part.text }
  if (part.type === 'image') {
    return { type: 'image_url', image_url: { url: `data:${part.mediaType};base64,${part.data}` } }
  }
  if (part.type === 'link') return { type: 'image_url', image_url: { url: part.url } }
  if (part.type === 'file') {
    return { type: 'file', file: { file_data: `data:${part.mediaType};base64,${part.data}`, filename: 'canary.pdf' } }
  }
  throw new TypeError(`a part of type \`${part.type}\` has no place in a content`)
}

/** Makes a conversation with tools by a seed; larger seeds make longer ones. */
export function randomRequest(seed: number, model: string, lacks: ReadonlySet<MissingFeature>): AskedRequest {
  const dice = new Dice(seed + 1)
  const talk = new ConversationBuilder()
  for (let count = dice.below(3); count > 0; count--) talk.system(dice.text())
  const rounds = 1 + Math.min(seed >> 1, 6)
  for (let round = 0; round < rounds; round++) addRound(talk, dice, { lacks, isLast: round === rounds - 1 })
  // Every second request has all tools, the others those of their number.
  const names = seed % 2 === 0 ? TOOL_NAMES : TOOL_NAMES.slice(0, 1 + (seed % 3))
  const tools = names.map((name, at) => ({
    name,
    ...(at !== 1 && { description: `Describes ${name}.`, parameters: PARAMETERS }),
  }))
  return {
    params: {
      model,
      messages: talk.messages,
      tools: tools.map((tool) => ({ type: 'function', function: tool })),
    },
    asked: { model, stream: false, messages: talk.plain, tools },
  }
}

function addRound(
  talk: ConversationBuilder,
  dice: Dice,
  { lacks, isLast }: { readonly lacks: ReadonlySet<MissingFeature>; readonly isLast: boolean },
): void {
  talk.user(userParts(dice, lacks))
  if (dice.once(5)) talk.user([{ type: 'text', text: dice.text() }])
  const calls = Array.from({ length: dice.pick([0, 1, 1, 2, 3]) }, () => ({
    id: dice.id(),
    name: dice.pick(TOOL_NAMES),
    args: dice.pick(ARGUMENTS),
  }))
  if (calls.length === 0) {
    if (!isLast) talk.assistant(dice.text())
    return
  }
  talk.assistant(dice.once(2) ? dice.text() : '', calls)
  for (const { id, name } of calls) talk.result(id, name, resultParts(dice, lacks))
  if (!isLast && dice.once(2)) talk.assistant(dice.text())
}

function userParts(dice: Dice, lacks: ReadonlySet<MissingFeature>): PlainPart[] {
  const parts: PlainPart[] = [{ type: 'text', text: dice.text() }]
  if (!lacks.has('images') && dice.once(2)) {
    parts.push({ type: 'image', ...dice.pick(IMAGES) })
    if (dice.once(2)) parts.push({ type: 'image', ...dice.pick(IMAGES) })
    if (dice.once(2)) parts.push({ type: 'text', text: dice.text() })
  }
  return parts
}

function resultParts(dice: Dice, lacks: ReadonlySet<MissingFeature>): PlainPart[] {
  const text = dice.once(4) ? `Error: ${dice.text()}` : dice.text()
  const parts: PlainPart[] = [{ type: 'text', text }]
  if (dice.once(3)) parts.push({ type: 'text', text: dice.text() })
  if (!lacks.has('images') && !lacks.has('result-images') && dice.once(3)) {
    parts.push({ type: 'image', ...dice.pick(IMAGES) })
  }
  return parts
}
