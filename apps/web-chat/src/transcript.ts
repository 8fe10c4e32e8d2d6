import { SILENT_MESSAGE, SPEAKER_REASONS } from '@x/example-group'
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

/** Longest result of a tool that is shown in full, in characters. */
const MAX_RESULT_LENGTH = 10_000

/** Texts for the reasons to end a turn that a person should see. */
const END_TEXTS: Readonly<Partial<Record<TerminationReason, string>>> = {
  budget: 'The budget is used up.',
  'max-rounds': 'The group has talked enough for now: say something to go on.',
  'no-next-speaker': 'Nobody may speak next.',
  'human-exit': 'You have ended the talk.',
}

/**
 * The lines and state of a chat as a function of the logs of its turns, so that every server shows the same at every step,
 * whichever workers ran the turns.
 */
export class Transcript {
  readonly lines: Lines
  readonly #speakers: Speakers
  readonly #kind: ChatKind
  readonly #history: History
  readonly #questions = new OpenQuestions()
  readonly #used = new Used()
  /** Approvals without a decision, as far as this server knows. */
  readonly #asked = new Set<string>()
  readonly #decided = new Set<string>()
  /** Model and tool calls by their spans; true if the end was logged. */
  readonly #calls = new Map<string, boolean>()
  /** Lines of questions, by the calls that ask. */
  readonly #questionLines = new Map<string, number>()
  #next: ChatState['next'] = null
  #title: string | null = null
  /** Index of the answer that is being written. */
  #live: number | null = null
  /** The tool call that began last. */
  #toolCall: string | null = null

  /** `tell` is called with every change of a line. */
  constructor(kind: ChatKind, speakers: Speakers, tell: (change: Change) => void) {
    this.#kind = kind
    this.#speakers = speakers
    this.#history = new History(speakers.person)
    this.lines = new Lines(tell)
  }

  /** All lines. */
  get items(): readonly Item[] {
    return this.lines.items
  }

  /** Beginning of the first message; null before it. */
  get title(): string | null {
    return this.#title
  }

  get next(): ChatState['next'] {
    return this.#next
  }

  get usage(): ShownUsage {
    return this.#used.shown
  }

  /** Identifier of the question when it is the person's turn; else null. */
  get turn(): string | null {
    return this.#questions.turn
  }

  /** True if a question is open. */
  get isAsking(): boolean {
    return this.#questions.isOpen
  }

  /** Approvals that wait for a decision. */
  get undecided(): ReadonlySet<string> {
    return this.#asked
  }

  /** Returns an open question by its identifier. */
  question(id: string): OpenQuestion | undefined {
    return this.#questions.find(id)
  }

  /** Begins a turn with the message of the person. */
  begin(text: string): void {
    this.lines.next()
    this.#title ??= text.slice(0, 120)
    this.#next = this.#first
    this.#apply(this.#history.begin(text))
  }

  /** Takes the next event of the turn. */
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
        this.#takeModelEvent(event)
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
        if (event.outcome === 'ok') this.#questions.remove(event.id)
        return
      default:
    }
  }

  /** Ends the turn. */
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
    else if (reason && END_TEXTS[reason]) this.#note(END_TEXTS[reason])
  }

  /** Removes the forms of approvals that were decided on. */
  decided(approvals: readonly string[]): void {
    for (const approval of approvals) {
      this.#asked.delete(approval)
      this.#decided.add(approval)
      const index = this.items.findIndex((item) => item.kind === 'tool' && item.approval === approval)
      if (index !== -1) this.lines.put(index, { ...withoutApproval(this.items[index] as ToolItem), state: 'called' })
    }
  }

  /** The next speaker after a message: in a chat with an assistant, always the assistant. */
  get #first(): ChatState['next'] {
    return this.#kind === 'group' ? null : { name: this.#speakers.names[0]!, reason: null }
  }

  #takeModelEvent({ agent, event }: Extract<XEvent, { type: 'modelDelta' }>): void {
    // Other agents, such as those that choose speakers or that a tool asks, are not part of the chat.
    if (!this.#speakers.names.includes(agent)) return
    if (event.type === 'start') this.#speakers.noteModel(agent, event.model)
    if (event.type === 'start' || (event.type === 'textWasReasoning' && event.index === 0)) this.#dropLive()
    if (event.type === 'textDelta' && event.index === 0) this.#write(agent, event.text)
  }

  /** Begins an answer; if another worker repeats the call, a note replaces the unfinished answer. */
  #beginAnswer(event: Extract<XEvent, { type: 'modelCallStart' }>): void {
    const begins = this.#begins(event)
    if (begins === 'first' || this.#live === null) return
    const why = begins === 'lost' ? 'The worker that wrote here was lost' : 'The worker that wrote here was stopped'
    this.lines.put(this.#live, { kind: 'note', text: `${why}: another one begins the answer again.` })
    this.#live = null
  }

  /** Tells whether a call begins for the first time, or again: after it ended, or after it was lost with its worker. */
  #begins({ id, resumed }: { readonly id: string; readonly resumed?: true }): 'first' | 'again' | 'lost' {
    const ended = this.#calls.get(id)
    // A recorded answer is only replayed.
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

  /** Adds a question to the person: it is their turn, or a tool asks. */
  #ask(span: string, parent: string | null): void {
    if (this.#questions.isKnown(span)) return
    const after = this.#history.messages.length
    const tool = parent !== null && this.#calls.has(parent) ? this.#tool(this.#toolCall)?.item : undefined
    const question = tool ? questionOf(tool) : null
    const id = question === null ? String(after) : `${after}-${this.#questionLines.size + 1}`
    const line = question === null ? null : this.lines.add({ kind: 'question', id, text: question })
    if (tool && line !== null) this.#questionLines.set(tool.call, line)
    this.#questions.add(span, { id, line, answerTo: { after, question } })
  }

  /** Puts an answer beside its question; null when the question was withdrawn. */
  #answer(line: number, answer: string | null): void {
    const item = this.items[line]
    if (item?.kind === 'question' && item.answer === undefined) this.lines.put(line, { ...item, answer })
  }

  #apply({ name = '', content, tool_calls: calls = [], tool_responses: responses }: ChatMessage): void {
    if (responses) {
      for (const { tool_call_id: id, content: result } of responses) {
        this.#changeTool(id, { state: 'done', result: shorten(contentText(result)) })
        const line = this.#questionLines.get(id ?? '')
        if (line !== undefined) this.#answer(line, contentText(result))
      }
      return
    }
    const text = typeof content === 'string' ? content : ''
    if (name === this.#speakers.person) {
      this.#endLive()
      this.lines.add(
        text === SILENT_MESSAGE ? { kind: 'user', name, text: '', silent: true } : { kind: 'user', name, text },
      )
      return
    }
    const spoken = this.#spoken(name, withoutTerminate(text))
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

  /** Clears the answer that is being written, because another model begins it again. */
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

  /** Changes the line of a call; removes its approval form, unless the change has one. */
  #changeTool(call: string | null | undefined, change: Partial<ToolItem>): void {
    const entry = this.#tool(call)
    if (!entry) return
    if (entry.item.approval !== change.approval) this.#asked.delete(entry.item.approval ?? '')
    this.lines.put(entry.index, { ...withoutApproval(entry.item), ...change })
  }
}

/** Returns a call without its approval form. */
function withoutApproval({ approval: _approval, fields: _fields, ...item }: ToolItem): ToolItem {
  return item
}

/** Returns the question of a call of `ask_person`, whose arguments were checked before it ran. */
const questionOf = ({ arguments: json }: ToolItem): string =>
  String((JSON.parse(json) as { readonly question?: unknown }).question)

/** Removes the word that ends a group chat, which is meant for the program. */
const withoutTerminate = (text: string): string => text.replace(/\s*\bTERMINATE\W*$/u, '')

const shorten = (text: string): string =>
  text.length > MAX_RESULT_LENGTH ? `${text.slice(0, MAX_RESULT_LENGTH)} … (${text.length} characters)` : text
