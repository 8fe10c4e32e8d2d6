import { SILENT, SPEAKER_REASONS } from '@x/example-group'
import type { ChatMessage, ChatOutcome, TerminationReason, XEvent } from '@x/interfaces'
import { contentText } from '@x/kernel/tool-content'
import { approvalFields } from './approval-fields.ts'
import type { Change, ChatKind, ChatState, ShownUsage } from './change.ts'
import type { TurnValue } from './chat-host.ts'
import { History } from './history.ts'
import type { Item, SpokenItem, ToolItem } from './item.ts'
import { Lines } from './lines.ts'
import { OpenQuestions, type OpenQuestion } from './open-questions.ts'
import type { Speakers } from './speakers.ts'
import { Used } from './used.ts'

/** Longest result of a tool that is shown whole, in characters. */
const LONGEST = 10_000

/** Words on why a turn has ended, where a person would ask. */
const ENDED: Readonly<Partial<Record<TerminationReason, string>>> = {
  budget: 'The budget is used up.',
  'max-rounds': 'The group has talked enough for now: say something to go on.',
  'no-next-speaker': 'Nobody may speak next.',
  'human-exit': 'You have ended the talk.',
}

/**
 * The chat as a page shows it: a function of what its turns have logged, so that every server shows the same, step by step,
 * whichever worker has sent it.
 */
export class Transcript {
  readonly lines: Lines
  readonly #speakers: Speakers
  readonly #kind: ChatKind
  readonly #history: History
  readonly #questions = new OpenQuestions()
  readonly #used = new Used()
  /** Approvals that nobody has decided on, as far as is known here. */
  readonly #asked = new Set<string>()
  readonly #decided = new Set<string>()
  /** Model and tool calls by their spans: whether the end was logged. */
  readonly #calls = new Map<string, boolean>()
  /** Lines of questions, by the calls that ask. */
  readonly #questionLines = new Map<string, number>()
  #next: ChatState['next'] = null
  #title: string | null = null
  /** Index of the answer that is being written. */
  #live: number | null = null
  /** The tool that runs, or began last. */
  #toolCall: string | null = null

  /** `tell` hears every change of a line. */
  constructor(kind: ChatKind, speakers: Speakers, tell: (change: Change) => void) {
    this.#kind = kind
    this.#speakers = speakers
    this.#history = new History(speakers.person)
    this.lines = new Lines(tell)
  }

  /** Every line. */
  get items(): readonly Item[] {
    return this.lines.items
  }

  /** What the person said first; null before. */
  get title(): string | null {
    return this.#title
  }

  get next(): ChatState['next'] {
    return this.#next
  }

  get usage(): ShownUsage {
    return this.#used.shown
  }

  /** The question to answer when it is the person's turn; null when it is not. */
  get turn(): string | null {
    return this.#questions.turn
  }

  /** Whether a question is open. */
  get isAsking(): boolean {
    return this.#questions.isOpen
  }

  /** Calls that wait for a decision. */
  get undecided(): ReadonlySet<string> {
    return this.#asked
  }

  /** The open question of an identifier. */
  question(id: string): OpenQuestion | undefined {
    return this.#questions.find(id)
  }

  /** A turn begins with what the person says. */
  begin(text: string): void {
    this.lines.next()
    this.#title ??= text.slice(0, 120)
    this.#next = this.#first
    this.#apply(this.#history.begin(text))
  }

  /** The next event of the turn. */
  take(event: XEvent): void {
    this.lines.next()
    const message = this.#history.take(event)
    if (message) {
      this.#apply(message)
      this.#next = this.#first
    }
    this.#used.take(event)
    switch (event.type) {
      case 'modelDelta':
        this.#takePiece(event)
        return
      case 'modelCallStart':
        this.#beginAnswer(event)
        return
      case 'toolStart':
        this.#toolCall = event.callId
        if (this.#begins(event) === 'lost') this.#note(`Its worker was lost: another one calls ${event.name} again.`)
        return
      case 'modelCallEnd':
      case 'toolEnd':
        this.#calls.set(event.id, true)
        return
      case 'executeFunction':
        this.#changeTool(event.callId, { arguments: JSON.stringify(event.arguments), state: 'running' })
        return
      case 'approvalRequested':
        this.#askApproval(event)
        return
      case 'groupChatRunChat':
        this.#next = { name: event.speaker, reason: SPEAKER_REASONS[event.reason] }
        return
      case 'humanInputStart':
        this.#ask(event.id, event.parentId)
        return
      case 'humanInputEnd':
        if (event.outcome === 'ok') this.#questions.answered(event.id)
        return
      default:
    }
  }

  /** The turn has ended. */
  end(outcome: ChatOutcome): void {
    this.lines.next()
    this.#history.end()
    this.#endLive()
    for (const { line } of this.#questions.end()) if (line !== null) this.#answer(line, null)
    this.decided([...this.#asked])
    this.#decided.clear()
    this.#calls.clear()
    this.#next = null
    const { reason, usage } = outcome.state === 'done' ? (outcome.value as TurnValue) : {}
    this.#used.end(usage)
    if (outcome.state === 'cancelled') this.#note('Stopped.')
    else if (outcome.state === 'failed') this.#note(`It failed: ${outcome.error.message}`)
    else if (reason && ENDED[reason]) this.#note(ENDED[reason])
  }

  /** Takes the question away that tool calls waited with. */
  decided(approvals: readonly string[]): void {
    for (const approval of approvals) {
      this.#asked.delete(approval)
      this.#decided.add(approval)
      const index = this.items.findIndex((item) => item.kind === 'tool' && item.approval === approval)
      if (index !== -1) this.lines.put(index, { ...decidedOn(this.items[index] as ToolItem), state: 'called' })
    }
  }

  /** The only one who can be next in a chat with an assistant. */
  get #first(): ChatState['next'] {
    return this.#kind === 'group' ? null : { name: this.#speakers.names[0]!, reason: null }
  }

  #takePiece({ agent, event }: Extract<XEvent, { type: 'modelDelta' }>): void {
    // Others, such as the choice of speakers and agents that a tool asks, are no part of the chat.
    if (!this.#speakers.names.includes(agent)) return
    if (event.type === 'start') this.#speakers.noteModel(agent, event.model)
    if (event.type === 'start' || (event.type === 'textWasReasoning' && event.index === 0)) this.#dropLive()
    if (event.type === 'textDelta' && event.index === 0) this.#write(agent, event.text)
  }

  /** A model is asked; once more, when another worker goes on with what one had in hand. */
  #beginAnswer(event: Extract<XEvent, { type: 'modelCallStart' }>): void {
    const begins = this.#begins(event)
    if (begins === 'first' || this.#live === null) return
    const why = begins === 'lost' ? 'The worker that wrote here was lost' : 'The worker that wrote here was stopped'
    this.lines.put(this.#live, { kind: 'note', text: `${why}: another one begins the answer again.` })
    this.#live = null
  }

  /** Whether a call begins for the first time, or again: after one that ended, or one that was lost with its worker. */
  #begins({ id, resumed }: { readonly id: string; readonly resumed?: true }): 'first' | 'again' | 'lost' {
    const ended = this.#calls.get(id)
    // What has answered before only comes to its end here.
    if (resumed) return 'first'
    this.#calls.set(id, false)
    return ended === undefined ? 'first' : ended ? 'again' : 'lost'
  }

  #askApproval({ id, action }: Extract<XEvent, { type: 'approvalRequested' }>): void {
    if (action.type !== 'toolCall' || this.#decided.has(id)) return
    this.#asked.add(id)
    const fields = approvalFields(action.arguments, this.#speakers.parametersOf(action.name))
    this.#changeTool(action.callId, { state: 'waiting', approval: id, fields })
  }

  /** The person is asked: it is their turn, or a tool asks. */
  #ask(span: string, parent: string | null): void {
    if (this.#questions.isKnown(span)) return
    const after = this.#history.messages.length
    const tool = parent !== null && this.#calls.has(parent) ? this.#tool(this.#toolCall)?.item : undefined
    const question = tool ? questionOf(tool) : null
    const id = question === null ? String(after) : `${after}-${this.#questionLines.size + 1}`
    const line = question === null ? null : this.lines.add({ kind: 'question', id, text: question })
    if (tool && line !== null) this.#questionLines.set(tool.call, line)
    this.#questions.add(span, { id, line, asked: { after, question } })
  }

  /** Puts an answer beside its question; null when the question was withdrawn. */
  #answer(line: number, answer: string | null): void {
    const item = this.items[line]
    if (item?.kind === 'question' && item.answer === undefined) this.lines.put(line, { ...item, answer })
  }

  #apply({ name = '', content, tool_calls: calls = [], tool_responses: responses }: ChatMessage): void {
    if (responses) {
      for (const { tool_call_id: id, content: result } of responses) {
        this.#changeTool(id, { state: 'done', result: shortened(contentText(result)) })
        const line = this.#questionLines.get(id ?? '')
        if (line !== undefined) this.#answer(line, contentText(result))
      }
      return
    }
    const text = typeof content === 'string' ? content : ''
    if (name === this.#speakers.person) {
      this.#endLive()
      this.lines.add(text === SILENT ? { kind: 'user', name, text: '', silent: true } : { kind: 'user', name, text })
      return
    }
    const spoken = this.#spoken(name, withoutEnd(text))
    if (this.#live !== null) {
      this.lines.put(this.#live, spoken)
      this.#live = null
    } else if (text) this.lines.add(spoken)
    for (const {
      id = '',
      function: { name: called, arguments: args },
    } of calls) {
      this.lines.add({ kind: 'tool', call: id, by: name, name: called, arguments: args, state: 'called' })
    }
  }

  #spoken(name: string, text: string): SpokenItem {
    const model = this.#speakers.modelOf(name)
    return { kind: 'assistant', name, ...(model !== undefined && { model }), text }
  }

  #write(name: string, text: string): void {
    if (this.#live === null) this.#live = this.lines.add({ ...this.#spoken(name, text), live: true })
    else this.lines.addText(this.#live, text)
  }

  /** Another model begins the answer anew. */
  #dropLive(): void {
    if (this.#live === null) return
    const { name } = this.items[this.#live] as SpokenItem
    this.lines.put(this.#live, { ...this.#spoken(name, ''), live: true })
  }

  #endLive(): void {
    if (this.#live === null) return
    const { live: _, ...item } = this.items[this.#live] as SpokenItem
    this.lines.put(this.#live, item)
    this.#live = null
  }

  #note(text: string): void {
    this.lines.add({ kind: 'note', text })
  }

  #tool(call: string | null | undefined): { index: number; item: ToolItem } | undefined {
    const index = this.items.findLastIndex((item) => item.kind === 'tool' && item.call === call)
    return index === -1 ? undefined : { index, item: this.items[index] as ToolItem }
  }

  /** Changes the line of a call; what was to be decided on is gone, unless the change brings it. */
  #changeTool(call: string | null | undefined, change: Partial<ToolItem>): void {
    const entry = this.#tool(call)
    if (!entry) return
    if (entry.item.approval !== change.approval) this.#asked.delete(entry.item.approval ?? '')
    this.lines.put(entry.index, { ...decidedOn(entry.item), ...change })
  }
}

/** The call without what was to be decided on. */
function decidedOn({ approval: _approval, fields: _fields, ...item }: ToolItem): ToolItem {
  return item
}

/** What a call of `ask_person` asks: its arguments were checked before it ran. */
const questionOf = ({ arguments: json }: ToolItem): string =>
  String((JSON.parse(json) as { readonly question?: unknown }).question)

/** A text without the word that ends a group's talk, which is for the program. */
const withoutEnd = (text: string): string => text.replace(/\s*\bTERMINATE\W*$/u, '')

const shortened = (text: string): string =>
  text.length > LONGEST ? `${text.slice(0, LONGEST)} … (${text.length} characters)` : text
