import type { PlainUsage } from '../wire/wire-format.ts'
import type { MissingFeature, PlainAnswer, PlainCall, PlainPiece, WireMeaning } from './meaning.ts'
import { ARGUMENTS, Dice } from './random-conversation.ts'

/** One choice of an answer. */
type PlainChoice = PlainAnswer['choices'][number]

/** Parts of an answer; the rest follows from the wire. */
export interface AnswerPlan {
  readonly choices: readonly {
    readonly reasoning?: string | undefined
    readonly text?: string | undefined
    readonly calls?: readonly PlainCall[] | undefined
    /** Reason of the end, in the word of the wire; default: that of an answer with or without calls. */
    readonly finish?: string | undefined
  }[]
  readonly usage?: PlainUsage | null | undefined
  /** True for an answer that names no model. */
  readonly nameless?: boolean | undefined
}

/** Moment of all answers, in seconds since 1970. */
const CREATED_S = 1_700_000_000

/** Counts that differ from each other. */
export const USAGE: PlainUsage = { prompt: 31, completion: 17, cached: 11, reasoning: 5 }

/** Returns the word of a wire for a finish reason, if it has one. */
const wordFor = ({ finish }: WireMeaning, reason: string): string | undefined =>
  Object.entries(finish).find(([, meant]) => meant === reason)?.[0]

/** Makes an answer with its pieces. Different numbers give different identifiers, and cut the texts in other places. */
export function makeAnswer(meaning: WireMeaning, plan: AnswerPlan, number: number): PlainAnswer {
  const lacks = new Set(meaning.lacks)
  const stop = wordFor(meaning, 'stop') ?? 'stop'
  const choices = plan.choices.map(({ reasoning = '', text = '', calls = [], finish }): PlainChoice => ({
    reasoning: lacks.has('reasoning') ? '' : reasoning,
    text,
    calls,
    finish: finish ?? (calls.length > 0 ? (wordFor(meaning, 'tool_calls') ?? stop) : stop),
  }))
  const dice = new Dice(number)
  return {
    id: `answer-${number}`,
    created: CREATED_S,
    model: plan.nameless ? '' : `model-${number}`,
    choices,
    pieces: alternating(choices.map((choice, at) => piecesOf(choice, at, { dice, calls: orderOf(meaning, number) }))),
    usage: fittingUsage(plan.usage === undefined ? USAGE : plan.usage, lacks),
  }
}

/** Returns how the calls of an answer arrive: every second one has its calls one after the other. */
export const orderOf = ({ calls = 'whole' }: WireMeaning, number: number): NonNullable<WireMeaning['calls']> =>
  calls === 'interleaved' && number % 2 === 1 ? 'pieces' : calls

/** Leaves out of counts what the wire does not tell. */
function fittingUsage(usage: PlainUsage | null, lacks: ReadonlySet<MissingFeature>): PlainUsage | null {
  if (!usage) return lacks.has('usage-null') ? fittingUsage(USAGE, lacks) : null
  const { prompt, completion, cached, reasoning } = usage
  return {
    ...{ prompt, completion },
    ...(!lacks.has('usage-cached') && cached !== undefined && { cached }),
    ...(!lacks.has('usage-reasoning') && reasoning !== undefined && { reasoning }),
  }
}

interface PieceOptions {
  readonly dice: Dice
  readonly calls: NonNullable<WireMeaning['calls']>
}

function piecesOf(choice: PlainChoice, at: number, { dice, calls }: PieceOptions): PlainPiece[] {
  const textPieces = (type: 'text' | 'reasoning', text: string): PlainPiece[] =>
    cutText(text, dice).map((piece) => ({ type, choice: at, text: piece }))
  const callPieces = choice.calls.map((call, index): PlainPiece[] => {
    const place = { choice: at, call: index }
    if (calls === 'whole') return [{ type: 'call', ...place, ...call }]
    const { id, name, args } = call
    return [
      { type: 'callStart', ...place, id, name },
      ...cutText(JSON.stringify(args), dice).map((text): PlainPiece => ({ type: 'callDelta', ...place, text })),
      { type: 'callEnd', ...place },
    ]
  })
  return [
    ...textPieces('reasoning', choice.reasoning),
    ...textPieces('text', choice.text),
    ...(calls === 'interleaved' ? alternating(callPieces) : callPieces.flat()),
    { type: 'finish', choice: at, word: choice.finish },
  ]
}

/** Cuts a text between characters; some pieces have one character, and some are empty. */
function cutText(text: string, dice: Dice): string[] {
  const pieces: string[] = []
  let piece = ''
  for (const character of text) {
    piece += character
    if (!dice.once(3)) continue
    pieces.push(piece)
    piece = ''
    if (dice.once(5)) pieces.push('')
  }
  return piece === '' ? pieces : [...pieces, piece]
}

/** Takes the first item of each list, then the second of each, and so on. */
function alternating<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length))
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat()
}

const call = (id: string, name: string, args: PlainCall['args'] = {}): PlainCall => ({ id, name, args })

/** A word for the end that no client knows yet, in the letters of the others. */
const laterWord = ({ finish }: WireMeaning): string =>
  Object.keys(finish).some((word) => word !== word.toLowerCase()) ? 'NOVEL_REASON' : 'novel_reason'

/** Plans of answers that every wire has in some form, by what they are about. */
export function answerPlans(meaning: WireMeaning): Readonly<Record<string, AnswerPlan>> {
  const words = Object.keys(meaning.finish).map((word): [string, AnswerPlan] => [
    `an end with the word \`${word}\``,
    {
      choices: [
        {
          text: 'So far',
          finish: word,
          ...(meaning.finish[word] === 'tool_calls' && { calls: [call('call_w', 'weather')] }),
        },
      ],
    },
  ])
  const cut = wordFor(meaning, 'length')
  return {
    'a text': { choices: [{ text: 'Grüße, “世界” ☀️ – 22 °C.' }] },
    'an empty answer': { choices: [{}] },
    'a text of a model that is not named': { choices: [{ text: 'Yes.' }], nameless: true },
    'a text of white space': { choices: [{ text: ' \n\n  a\n' }] },
    'reasoning before a text': { choices: [{ reasoning: 'Hm, “so” 世界.\n\nAh.', text: 'Yes.' }] },
    'a text without counts': { choices: [{ text: 'Yes.' }], usage: null },
    'a text with plain counts': { choices: [{ text: 'Yes.' }], usage: { prompt: 13, completion: 2 } },
    'a call': { choices: [{ calls: [call('call_1', 'weather', ARGUMENTS[2])] }] },
    'a call without arguments': { choices: [{ calls: [call('call_1', 'now')] }] },
    'calls at once': {
      choices: [
        {
          reasoning: 'Three.',
          text: 'I look.',
          calls: [
            call('call_1', 'weather', { city: 'Rome', days: 3 }),
            call('call_2', 'now'),
            call('call_3', 'weather', ARGUMENTS[2]),
            call('call_4', 'weather', { city: 'Rome', days: 3 }),
          ],
        },
      ],
    },
    ...Object.fromEntries(words),
    'an end with a word of a later version': { choices: [{ text: 'So far', finish: laterWord(meaning) }] },
    ...(cut !== undefined && {
      'a call of an answer that was cut short': {
        choices: [{ calls: [call('call_1', 'weather', { city: 'Rome' })], finish: cut }],
      },
    }),
    ...(!new Set(meaning.lacks).has('n') && {
      'two choices': {
        choices: [
          { reasoning: 'One.', text: 'First answer', calls: [call('call_1', 'weather', { city: 'Rome' })] },
          { text: 'Second answer', calls: [call('call_2', 'now'), call('call_3', 'weather', { city: 'Paris' })] },
        ],
      },
    }),
  }
}
