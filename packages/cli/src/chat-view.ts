import { styleText } from 'node:util'
import { printable } from '@x/agent'
import { EventFold } from '@x/kernel/events'
import { contentText } from '@x/kernel/tool-content'
import type {
  ActionToApprove,
  ChatMessage,
  HistoryCutReport,
  PendingApproval,
  SpeakerReason,
  XEvent,
} from '@x/interfaces'
import { EndWord, withoutEndWord } from './end-word.ts'

/** The style that sets a text off. */
export type Style = Parameters<typeof styleText>[0]

/** Sets a text off, or not, where there are no colours. */
export type Paint = (style: Style, text: string) => string

/** Colours where the stream and the environment (`NO_COLOR`, `FORCE_COLOR`) have them. */
export const paintFor =
  (stream: NodeJS.WriteStream): Paint =>
  (style, text) =>
    styleText(style, text, { stream })

/** The kinds of text that are shown piece by piece. */
type Part = 'text' | 'reasoning' | 'output'

/** Texts that tell why a member of a group speaks next. */
const SPEAKER_REASONS: Readonly<Record<SpeakerReason, string>> = {
  function: 'chosen by the program',
  executor: 'makes the calls',
  'only-one': 'nobody else may speak',
  round_robin: 'in turn',
  random: 'drawn',
  manual: 'chosen by you',
  auto: 'chosen by the model',
  'next-in-order': 'nobody was chosen, so in turn',
  admin: 'after the interruption',
  initial: 'begins',
  handoff: 'handed over to',
  answered: 'was asked',
}

/** Length of the longest result of a tool that is shown whole. */
const MAX_RESULT_CHARACTERS = 2000

/** A chat as a person reads it in a terminal, piece by piece; all that others wrote is made printable. */
export class ChatView {
  readonly #paint: Paint
  readonly #prices: boolean
  readonly #members: ReadonlySet<string> | null
  /** The turn as its events tell it. */
  #fold = new EventFold()
  /** The member of a group that speaks. */
  #speaker: string | null = null
  /** The member that was said to be next. */
  #announced: string | null = null
  /** The kind of the last piece, to tell whether the next piece begins a line. */
  #within: Part | null = null
  /** Whether the last piece did not end its line. */
  #open = false
  readonly #endWord = new EndWord()

  /**
   * `prices`: whether an unknown price is worth a word, because dollars are limited. `members`: names of the agents of a
   * group, of which is shown who speaks; null for a chat with one assistant.
   */
  constructor(paint: Paint, { prices, members }: { prices: boolean; members: ReadonlySet<string> | null }) {
    this.#paint = paint
    this.#prices = prices
    this.#members = members
  }

  /** Shows an event. */
  event(event: XEvent): string {
    const { runId } = this.#fold.value
    // Each turn is a run of its own.
    if (runId !== null && event.runId !== null && event.runId !== runId) this.#fold = new EventFold()
    this.#fold.add(event)
    switch (event.type) {
      case 'groupChatRunChat':
        return this.#next(event.speaker, event.reason)
      case 'answerBegin':
      case 'textDelta':
      case 'reasoningDelta':
      case 'textWasReasoning':
        return this.#answer(event)
      case 'codeOutput':
        return this.#piece('output', event.text)
      case 'executeFunction':
        return `${this.#header(event.agent)}${this.#line()}${this.#paint('cyan', `→ ${printable(event.funcName)}`)} ${this.#arguments(event.arguments)}\n`
      case 'receivedMessage':
        return this.#results(event.message)
      case 'steeringMessage':
        return `${this.#header('you')}${printable(event.text)}\n`
      case 'historyCut':
        return `${this.#line()}${this.#paint('dim', cutLine(event))}\n`
      case 'warning':
        if (event.topic === 'unpriced' && !this.#prices) return ''
        return `${this.#line()}${this.#paint('yellow', printable(event.text))}\n`
      default:
        return ''
    }
  }

  /** Shows a pending request in full, for the person who decides. */
  pending({ action }: Pick<PendingApproval, 'action'>): string {
    const head = headOf(action)
    const lines = linesOf(action).map((line) => `${this.#paint('yellow', '│')} ${line}`)
    return `${this.#line()}${this.#paint(['yellow', 'bold'], head)}\n${lines.join('\n')}\n`
  }

  /** Shows what code has changed in a copy of the person's folder. */
  changes(diff: string): string {
    const lines = printable(diff.trimEnd()).split('\n')
    const painted = lines.map((line) => {
      const style = line.startsWith('+') ? 'green' : line.startsWith('-') || line.startsWith('!') ? 'red' : null
      return `${this.#paint('yellow', '│')} ${style ? this.#paint(style, line) : line}`
    })
    const head = 'Code has changed a copy of your folder'
    return `${this.#line()}${this.#paint(['yellow', 'bold'], head)}\n${painted.join('\n')}\n`
  }

  /** A message of an earlier turn. */
  message(message: ChatMessage): string {
    const { name, content, tool_calls: calls = [] } = message
    if (message.tool_responses) return this.#results(message)
    const text = typeof content === 'string' ? printable(content) : ''
    if (name === 'user') {
      this.#speaker = null
      return `${this.#paint('bold', '› ')}${text}\n`
    }
    const said = withoutEndWord(text)
    const header = this.#header(name ?? '')
    const called = calls.map(({ function: { name: its, arguments: args } }) => `→ ${its} ${args}\n`).join('')
    return `${header}${said ? `${said}\n` : ''}${this.#paint('cyan', printable(called))}`
  }

  /** Ends what is being written, with a word about it if need be. */
  end(word?: string): string {
    const line = this.#line()
    this.#speaker = null
    this.#announced = null
    return `${line}${word ? `${this.#paint('yellow', printable(word))}\n` : ''}`
  }

  /** A part of an answer; the choice of speakers is asked for under another name than those of the members. */
  #answer(
    event: Extract<XEvent, { type: 'answerBegin' | 'textDelta' | 'reasoningDelta' | 'textWasReasoning' }>,
  ): string {
    if (this.#members && !this.#members.has(event.agent)) return ''
    if (event.type === 'textDelta') return this.#header(event.agent) + this.#piece('text', event.text)
    if (event.type === 'reasoningDelta') return this.#piece('reasoning', event.text)
    if (this.#within !== 'text') return ''
    return this.end(event.type === 'answerBegin' ? '(begun anew)' : '(reasoning)')
  }

  /** Names the next speaker of a group, and why it is that one. */
  #next(speaker: string, reason: SpeakerReason): string {
    if (speaker === this.#speaker || speaker === this.#announced) return ''
    const who = speaker === 'user' ? 'You are' : `${printable(speaker)} is`
    const ended = this.end()
    this.#announced = speaker
    return `${ended}${this.#paint('dim', `  ${who} next: ${SPEAKER_REASONS[reason]}`)}\n`
  }

  /** The name and model of a member of a group that begins to speak. */
  #header(agent: string): string {
    if (!this.#members || agent === this.#speaker || !this.#members.has(agent)) return ''
    const line = this.#line()
    this.#speaker = agent
    const model = this.#fold.value.models[agent]
    return `${line}${this.#paint('bold', printable(agent))}${model ? this.#paint('dim', ` · ${printable(model)}`) : ''}\n`
  }

  #results({ tool_responses: responses = [] }: ChatMessage): string {
    const shown = responses.map(({ content, tool_call_id: id }) => {
      const text = contentText(content)
      if (text.trim() === this.#outputOf(id).trim()) return ''
      const cut =
        text.length > MAX_RESULT_CHARACTERS
          ? `${text.slice(0, MAX_RESULT_CHARACTERS)} … (${text.length} characters)`
          : text
      return `${this.#paint('dim', `← ${printable(cut).trimEnd().replaceAll('\n', '\n  ')}`)}\n`
    })
    return shown.length > 0 ? `${this.#line()}${shown.join('')}` : ''
  }

  /** The output of the code that a call ran, which was shown while it ran. */
  #outputOf(callId: string | undefined): string {
    const call = this.#fold.value.toolCalls.findLast((each) => each.callId === callId)
    const inside = call ? (this.#fold.span(call.id)?.children ?? []) : []
    return inside.map((span) => (span.kind === 'code' ? (span.end?.output ?? '') : '')).join('')
  }

  #arguments(args: unknown): string {
    const text = JSON.stringify(args) ?? ''
    return this.#paint(
      'dim',
      printable(text.length > MAX_RESULT_CHARACTERS ? `${text.slice(0, MAX_RESULT_CHARACTERS)} …` : text),
    )
  }

  #piece(within: Part, text: string): string {
    const before = this.#within === within ? '' : this.#line()
    this.#within = within
    const shown = printable(within === 'text' ? this.#endWord.take(text) : text)
    if (shown !== '') this.#open = !shown.endsWith('\n')
    return before + (within === 'text' ? shown : this.#paint('dim', shown))
  }

  /** Begins a line, where one is not yet ended. */
  #line(): string {
    const rest = printable(this.#endWord.end())
    const open = rest === '' ? this.#open : !rest.endsWith('\n')
    this.#within = null
    this.#open = false
    return `${rest}${open ? '\n' : ''}`
  }
}

/** Describes in one line which messages the model no longer sees. */
function cutLine({ summarized, leftOut, cleared, shortened, tokensBefore, tokensAfter }: HistoryCutReport): string {
  const dropped = leftOut - summarized
  const parts = [
    ...(summarized > 0 ? [`${summarized} messages summed up`] : []),
    ...(dropped > 0 ? [`${dropped} left out`] : []),
    ...(cleared > 0 ? [`${cleared} cleared`] : []),
    ...(shortened > 0 ? [`${shortened} shortened`] : []),
  ]
  return `✂ earlier messages, for the model: ${parts.join(', ')} (about ${tokensBefore} → ${tokensAfter} tokens)`
}

function headOf(action: ActionToApprove): string {
  if (action.type === 'question') return 'A question is open'
  return action.type === 'toolCall' ? `${printable(action.name)} is to be called` : 'Code is to run'
}

/** Marks every line of a pending request, so that no text can pass for a question of the program. */
function linesOf(action: ActionToApprove): string[] {
  if (action.type === 'code') {
    return action.blocks.flatMap(({ language, code }) => [`[${printable(language)}]`, ...printable(code).split('\n')])
  }
  if (action.type === 'question') return printable(action.prompt).split('\n')
  const note = action.note === undefined ? [] : printable(action.note).split('\n')
  const given = Object.entries(action.arguments).flatMap(([key, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
    const [first = '', ...rest] = printable(text).split('\n')
    const name = printable(key)
    return rest.length > 0 ? [`${name}:`, ...[first, ...rest].map((line) => `  ${line}`)] : [`${name}: ${first}`]
  })
  return [...note, ...given]
}
