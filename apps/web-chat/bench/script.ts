import { MEMBER_NAMES } from '../src/group-tool.ts'

/** What a person of the load wants. */
export const WISHES = ['talk', 'letter', 'code', 'group', 'spend'] as const
export type Wish = (typeof WISHES)[number]

/** One chat of the load; everything in it follows from its number, for the person and for the provider alike. */
export interface PlannedChat {
  readonly number: number
  readonly wish: Wish
  /** Whether the person allows the letter. */
  readonly allows: boolean
}

/** US dollars for 1,000 tokens of input and output. */
export const PRICE = [0.001, 0.01] as const

/** Input tokens that the provider counts for a request of somebody who spends: after three of them the budget of a chat is used up. */
const SPEND_TOKENS = 40_000

/** US dollars for each chat. */
export const CHAT_BUDGET = 0.1

/** Of 20 chats in a row, how many have each wish. */
const SHARES: readonly (readonly [Wish, number])[] = [
  ['talk', 8],
  ['letter', 5],
  ['code', 3],
  ['group', 3],
  ['spend', 1],
]
const IN_A_ROW = SHARES.flatMap(([wish, count]) => Array<Wish>(count).fill(wish))

/** Plans the chat of a number. */
export function plan(number: number): PlannedChat {
  // 7 and 20 have no common divisor, so the wishes are mixed.
  return { number, wish: IN_A_ROW[(number * 7) % IN_A_ROW.length]!, allows: number % 5 !== 0 }
}

/** Returns what the person says first. */
export const firstMessage = ({ number, wish }: PlannedChat): string => `#${number} ${wish}`

/** Returns the recipient of a letter, who gets exactly one. */
export const recipientOf = ({ number }: PlannedChat): string => `person-${number}`

/** Returns the words that the last answer of a chat has to contain. */
export function expectedAnswer({ number, wish, allows }: PlannedChat): string {
  if (wish === 'code') return `${number * 7}`
  if (wish === 'group') return `The writer has read #${number}.`
  if (wish === 'letter') return allows ? `sent to person-${number}` : 'not now'
  if (wish === 'spend') return 'The budget of this chat is used up'
  return `This is all about #${number}.`
}

/** A message of a request, as far as the script reads it. */
interface SentMessage {
  readonly role?: unknown
  readonly content?: unknown
}

/** An answer of the provider. */
export interface ScriptedAnswer {
  readonly content: string | null
  readonly tool_calls?: readonly {
    readonly id: string
    readonly type: 'function'
    readonly function: { readonly name: string; readonly arguments: string }
  }[]
  /** Input tokens that the request does not show. */
  readonly more: number
}

/** Returns the answer of the model to a request. */
export function answerTo(messages: readonly SentMessage[]): ScriptedAnswer {
  const text = (message: SentMessage | undefined): string =>
    typeof message?.content === 'string' ? message.content : JSON.stringify(message?.content ?? '')
  const system = text(messages.find(({ role }) => role === 'system'))
  const asked = messages.map(text).findLast((each) => /^#\d+ /u.test(each)) ?? '#0 talk'
  const chat = plan(Number(/^#(\d+)/u.exec(asked)![1]))
  const say = (content: string, more = 0): ScriptedAnswer => ({ content, more })
  const member = MEMBER_NAMES.find((name) => system.includes(`You are the ${name} of a group`))
  if (member) return say(`${'A thought or two. '.repeat(8)}The ${member} has read #${chat.number}.`)
  const last = messages.at(-1)
  if (last?.role === 'tool') return say(`${'So it is done. '.repeat(4)}The tool says: ${text(last)}`)
  const call = (name: string, args: object): ScriptedAnswer => ({
    content: null,
    tool_calls: [{ id: `call_${chat.number}`, type: 'function', function: { name, arguments: JSON.stringify(args) } }],
    more: 0,
  })
  switch (chat.wish) {
    case 'letter':
      return call('send_letter', { to: recipientOf(chat), text: `Dear ${recipientOf(chat)}, this is the only letter.` })
    case 'code':
      return call('run_code', { language: 'javascript', code: `console.log(${chat.number} * 7)` })
    case 'group':
      return call('ask_group', { question: `#${chat.number} group` })
    case 'spend':
      return say('That was dear.', SPEND_TOKENS)
    default:
      return say(`${'Word by word it comes. '.repeat(10)}This is all about #${chat.number}.`)
  }
}
