import { styleText } from 'node:util'
import { printable } from '@x/agent'
import type { ActionToApprove, ChatMessage, PendingApproval, XEvent } from '@x/interfaces'

/** How a text is set off. */
export type Style = Parameters<typeof styleText>[0]

/** Sets a text off, or not, where there are no colours. */
export type Paint = (style: Style, text: string) => string

/** Colours where the stream and the environment (`NO_COLOR`, `FORCE_COLOR`) have them. */
export const paintFor =
  (stream: NodeJS.WriteStream): Paint =>
  (style, text) =>
    styleText(style, text, { stream })

/** What is shown piece by piece. */
type Part = 'text' | 'reasoning' | 'output'

/** Longest result of a tool that is shown whole, in characters. */
const LONGEST = 2000

/** A chat as a person reads it in a terminal, piece by piece; all that others wrote is made printable. */
export class ChatView {
  readonly #paint: Paint
  readonly #prices: boolean
  /** What the last piece was part of, so that the next one knows whether to begin a line. */
  #within: Part | null = null
  /** Whether the last piece did not end its line. */
  #open = false
  /** What code printed while its tool ran. */
  #printed = ''

  /** `prices`: whether an unknown price is worth a word, because dollars are limited. */
  constructor(paint: Paint, { prices }: { prices: boolean }) {
    this.#paint = paint
    this.#prices = prices
  }

  /** What an event adds. */
  event(event: XEvent): string {
    switch (event.type) {
      case 'modelDelta':
        if (event.event.type === 'textDelta') return this.#piece('text', printable(event.event.text))
        if (event.event.type === 'reasoningDelta') {
          return this.#piece('reasoning', printable(event.event.text))
        }
        return event.event.type === 'start' && this.#within === 'text' ? this.end('(begun anew)') : ''
      case 'codeOutput':
        this.#printed += event.text
        return this.#piece('output', printable(event.text))
      case 'executeFunction':
        this.#printed = ''
        return `${this.#line()}${this.#paint('cyan', `→ ${printable(event.funcName)}`)} ${this.#arguments(event.arguments)}\n`
      case 'receivedMessage':
        return this.#results(event.message)
      case 'warning':
        if (event.topic === 'unpriced' && !this.#prices) return ''
        return `${this.#line()}${this.#paint('yellow', printable(event.text))}\n`
      default:
        return ''
    }
  }

  /** What waits for a decision: whole, because somebody decides by it. */
  pending({ action }: Pick<PendingApproval, 'action'>): string {
    const head = action.type === 'toolCall' ? `${printable(action.name)} is to be called` : 'Code is to run'
    const lines = linesOf(action).map((line) => `${this.#paint('yellow', '│')} ${line}`)
    return `${this.#line()}${this.#paint(['yellow', 'bold'], head)}\n${lines.join('\n')}\n`
  }

  /** A message of an earlier turn. */
  message(message: ChatMessage): string {
    const { name, content, tool_calls: calls = [] } = message
    if (message.tool_responses) return this.#results(message)
    const text = typeof content === 'string' ? printable(content) : ''
    if (name === 'user') return `${this.#paint('bold', '› ')}${text}\n`
    const called = calls.map(({ function: { name: its, arguments: args } }) => `→ ${its} ${args}\n`).join('')
    return `${text ? `${text}\n` : ''}${this.#paint('cyan', printable(called))}`
  }

  /** Ends what is being written, with a word about it if need be. */
  end(word?: string): string {
    return `${this.#line()}${word ? `${this.#paint('yellow', printable(word))}\n` : ''}`
  }

  #results({ tool_responses: responses = [] }: ChatMessage): string {
    const shown = responses.map(({ content }) => {
      const text = content ?? ''
      if (text.trim() === this.#printed.trim()) return ''
      const cut = text.length > LONGEST ? `${text.slice(0, LONGEST)} … (${text.length} characters)` : text
      return `${this.#paint('dim', `← ${printable(cut).trimEnd().replaceAll('\n', '\n  ')}`)}\n`
    })
    return shown.length > 0 ? `${this.#line()}${shown.join('')}` : ''
  }

  #arguments(args: unknown): string {
    const text = JSON.stringify(args) ?? ''
    return this.#paint('dim', printable(text.length > LONGEST ? `${text.slice(0, LONGEST)} …` : text))
  }

  #piece(within: Part, text: string): string {
    const before = this.#within === within ? '' : this.#line()
    this.#within = within
    this.#open = !text.endsWith('\n')
    return before + (within === 'text' ? text : this.#paint('dim', text))
  }

  /** Begins a line, where one is not yet ended. */
  #line(): string {
    const open = this.#within !== null && this.#open
    this.#within = null
    return open ? '\n' : ''
  }
}

/** Every line of what waits; each gets a mark of its own, so that no text can pass for a question of the program. */
function linesOf(action: ActionToApprove): string[] {
  if (action.type === 'code') {
    return action.blocks.flatMap(({ language, code }) => [`[${printable(language)}]`, ...printable(code).split('\n')])
  }
  return Object.entries(action.arguments).flatMap(([key, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
    const [first = '', ...rest] = printable(text).split('\n')
    const name = printable(key)
    return rest.length > 0 ? [`${name}:`, ...[first, ...rest].map((line) => `  ${line}`)] : [`${name}: ${first}`]
  })
}
