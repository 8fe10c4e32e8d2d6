import { SILENT_MESSAGE, SPEAKER_REASONS } from '@x/example-group'
import type { ChatMessage, ChatOutcome, TerminationReason, XEvent } from '@x/interfaces'
import { EventFold, type FoldedRun } from '@x/kernel/events'
import { redact } from '@x/kernel/redact'
import { contentText } from '@x/kernel/tool-content'
import { approvalFields } from './approval-fields.ts'
import type { Change, ChatKind, ChatState, ShownUsage } from './change.ts'
import { CHAT_BUDGET_NAME, stoppedCalls } from './chat-host.ts'
import type { Item, ShownFile, SpokenItem, ToolItem } from './item.ts'
import { Lines } from './lines.ts'
import { OpenQuestions, type OpenQuestion } from './open-questions.ts'
import { shownContent } from './shown-content.ts'
import type { Speakers } from './speakers.ts'

/** Longest result of a tool that is shown in full, in characters. */
const MAX_RESULT_LENGTH = 10_000

/** Texts for a budget that has no room for another call. */
const CHAT_BUDGET_TEXT = 'The budget of this chat is used up: begin a new chat.'
const DAY_BUDGET_TEXT = 'The budget of the day is used up for all chats. It begins anew at midnight UTC.'

/** Texts for the reasons to end a turn that a person should see. */
const END_TEXTS: Readonly<Partial<Record<TerminationReason, string>>> = {
  'max-rounds': 'The group has talked enough for now: say something to go on.',
  'no-next-speaker': 'Nobody may speak next.',
  'human-exit': 'You have ended the talk.',
}

/** Facts about the message with which a turn begins, beside its text. */
interface BegunTurn {
  /** The files that came with it. */
  readonly files?: readonly ShownFile[]
  /** Title of a chat that begins with this turn; default: the text. */
  readonly title?: string
  /** True if the turn is a copy of one of another chat. */
  readonly isCopy?: boolean
}

/**
 * The lines and state of a chat as a function of the logs of its turns, so that every server shows the same at every step,
 * whichever workers ran the turns.
 */
export class Transcript {
  readonly lines: Lines
  readonly #speakers: Speakers
  readonly #kind: ChatKind
  readonly #questions = new OpenQuestions()
  /** The turn as its events tell it. */
  #fold = new EventFold()
  /** Usage of the turns that have ended. */
  #used: ShownUsage = NO_USAGE
  /** Number of messages of the chat that have lines. */
  #messages = 0
  /** Number of turns that have begun. */
  #turns = 0
  /** Approvals that were decided on, as far as this server knows. */
  readonly #decided = new Set<string>()
  /** Lines of questions, by the calls that ask. */
  readonly #questionLines = new Map<string, number>()
  #next: ChatState['next'] = null
  #title: string | null = null
  /** True if the chat has its title: the first message that no other chat has. */
  #isTitled = false
  /** Index of the answer that is being written. */
  #live: number | null = null
  /** Reasoning of that answer. */
  #reasoning = ''
  /** Index of the note on a failure that passes, after which nothing has come yet. */
  #retryNote: number | null = null
  /** Text for the budget that has refused a call of this turn. */
  #usedUp: string | null = null

  /** `tell` is called with every change of a line. */
  constructor(kind: ChatKind, speakers: Speakers, tell: (change: Change) => void) {
    this.#kind = kind
    this.#speakers = speakers
    this.lines = new Lines(tell)
  }

  /** All lines. */
  get items(): readonly Item[] {
    return this.lines.items
  }

  /** Beginning of the first message that is no copy, or else of the first one; null before it. */
  get title(): string | null {
    return this.#title
  }

  get next(): ChatState['next'] {
    return this.#next
  }

  get usage(): ShownUsage {
    return withUsage(this.#used, this.#fold.value)
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
    const waiting = this.#fold.value.approvals.filter(
      ({ id, action }) => action.type === 'toolCall' && !this.#decided.has(id),
    )
    return new Set(waiting.map(({ id }) => id))
  }

  /** Returns an open question by its identifier. */
  question(id: string): OpenQuestion | undefined {
    return this.#questions.find(id)
  }

  /** Begins a turn with the message of the person. */
  begin(text: string, { files = [], title = text, isCopy = false }: BegunTurn = {}): void {
    this.lines.next()
    if (!this.#isTitled) this.#title = title
    this.#isTitled ||= !isCopy
    this.#next = this.#first
    this.#messages++
    this.#endLive()
    const given = files.length > 0 && { files }
    this.lines.add({ kind: 'user', name: this.#speakers.person, text, ...given, turn: this.#turns++ })
  }

  /** Takes the next event of the turn. */
  take(event: XEvent): void {
    this.lines.next()
    const before = 'id' in event ? this.#fold.span(event.id)?.outcome : undefined
    this.#fold.add(event)
    switch (event.type) {
      case 'receivedMessage':
        this.#readMessages()
        this.#readTalks()
        return
      case 'answerBegin':
      case 'textDelta':
      case 'reasoningDelta':
      case 'textWasReasoning':
        this.#showAnswer()
        return
      case 'modelCallStart':
        this.#beginAnswer(before)
        return
      case 'toolStart':
        if (isLost(before)) this.#note(`Its worker was lost: another one calls ${event.name} again.`)
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
      case 'waitingToRetry':
        this.#showRetry(event)
        return
      case 'warning':
        if (event.topic === 'budget')
          this.#usedUp = event.text.startsWith(CHAT_BUDGET_NAME) ? CHAT_BUDGET_TEXT : DAY_BUDGET_TEXT
        return
      case 'humanInputStart':
        // After a takeover it asks again.
        if (before === undefined) this.#ask(event.id, event.parentId)
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
    const turn = this.#fold.value
    if (stoppedCalls(turn.messages.at(-1), this.#speakers.person)) this.#messages++
    this.#endLive()
    for (const { line } of this.#questions.end()) if (line !== null) this.#answer(line, null)
    this.decided([...this.undecided])
    this.#decided.clear()
    this.#next = null
    this.#used = withUsage(this.#used, turn)
    this.#fold = new EventFold()
    if (outcome.state === 'cancelled') this.#note('Stopped.')
    else if (outcome.state === 'failed') {
      this.lines.add({ kind: 'note', text: redact(`It failed: ${outcome.error.message}`, []), failed: true })
    } else {
      const reason = turn.chats[0]?.terminationReason
      const text = reason === 'budget' ? (this.#usedUp ?? DAY_BUDGET_TEXT) : reason && END_TEXTS[reason]
      if (text) this.#note(text)
    }
    this.#usedUp = null
  }

  /** Removes the forms of approvals that were decided on. */
  decided(approvals: readonly string[]): void {
    for (const approval of approvals) {
      this.#decided.add(approval)
      const index = this.items.findIndex((item) => item.kind === 'tool' && item.approval === approval)
      if (index !== -1) this.lines.put(index, { ...withoutApproval(this.items[index] as ToolItem), state: 'called' })
    }
  }

  /** The next speaker after a message: in a chat with an assistant, always the assistant. */
  get #first(): ChatState['next'] {
    return this.#kind === 'group' ? null : { name: this.#speakers.names[0]!, reason: null }
  }

  /** Shows the messages that have no line yet. After a takeover events come again, and their messages have lines. */
  #readMessages(): void {
    const [chat] = this.#fold.value.chats
    if (!chat) return
    for (const message of chat.messages.slice(Math.max(0, this.#messages - chat.firstIndex))) {
      this.#messages++
      // A call has no name in a chat with an assistant.
      this.#apply({ name: this.#speakers.names[0]!, ...message })
      this.#next = this.#first
    }
  }

  /** Shows what is said in the chats that tools have begun, below the call. */
  #readTalks(): void {
    for (const { id, nested, messages } of this.#fold.value.chats) {
      if (!nested) continue
      const around = this.#fold.span(this.#fold.span(id)?.parentId ?? '')
      if (around?.kind !== 'tool') continue
      // The first message is the question, which the arguments of the call have.
      const talk = messages.slice(1).flatMap(({ name = '', content }) => {
        const text = contentText(content)
        return text === '' ? [] : [{ name, text: shorten(text) }]
      })
      const entry = this.#tool(around.start?.callId)
      if (entry && talk.length > 0) this.lines.put(entry.index, { ...entry.item, talk })
    }
  }

  /** Shows a failure that passes, in place of the answer that it has cut off, or of the failure before it. */
  #showRetry({ reason, delayMs }: Extract<XEvent, { type: 'waitingToRetry' }>): void {
    const text = `This did not work: ${reason}. It is tried again in ${Math.ceil(delayMs / 1000)} seconds.`
    const last = this.items.length - 1
    const index = this.#live ?? (this.#retryNote === last ? last : null)
    this.#live = null
    this.#retryNote = index ?? this.items.length
    if (index === null) this.#note(text)
    else this.lines.put(index, { kind: 'note', text })
  }

  /** Shows the answer that is being written. */
  #showAnswer(): void {
    const { answers } = this.#fold.value
    // Other agents, such as those that choose speakers or that a tool asks, are not part of the chat.
    const answer = answers.findLast(({ agent }) => this.#speakers.names.includes(agent))
    if (!answer) return
    const { agent, text } = answer
    this.#reasoning = shorten(answer.reasoning)
    if (this.#live === null) {
      if (text !== '' || this.#reasoning !== '')
        this.#live = this.lines.add({ ...this.#spoken(agent, text), live: true })
      return
    }
    const shown = this.items[this.#live] as SpokenItem
    // Reasoning is sent as a whole, when the text after it begins.
    if (text === '' && shown.text === '') return
    const begun = this.#spoken(agent, shown.text)
    // Another model may begin the answer again.
    const isOther = shown.name !== begun.name || shown.model !== begun.model || shown.reasoning !== begun.reasoning
    if (!text.startsWith(shown.text) || isOther) {
      this.lines.put(this.#live, { ...begun, text, live: true })
    } else if (text.length > shown.text.length) this.lines.addText(this.#live, text.slice(shown.text.length))
  }

  /** Begins an answer; if another worker repeats the call, a note replaces the unfinished answer. */
  #beginAnswer(before: SpanOutcome): void {
    if (before === undefined || this.#live === null) return
    const why = isLost(before) ? 'The worker that wrote here was lost' : 'The worker that wrote here was stopped'
    this.lines.put(this.#live, { kind: 'note', text: `${why}: another one begins the answer again.` })
    this.#live = null
    this.#reasoning = ''
  }

  #askApproval({ id, action }: Extract<XEvent, { type: 'approvalRequested' }>): void {
    if (action.type !== 'toolCall' || this.#decided.has(id)) return
    const fields = approvalFields(action.arguments, this.#speakers.parametersOf(action.name))
    this.#changeTool(action.callId, { state: 'waiting', approval: id, fields, note: action.note })
  }

  /** Adds a question to the person: it is their turn, or a tool asks. */
  #ask(span: string, parent: string | null): void {
    const after = this.#messages
    const around = parent === null ? undefined : this.#fold.span(parent)
    const tool = around?.kind === 'tool' ? this.#tool(around.start?.callId)?.item : undefined
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
        const { text, files } = shownContent(result)
        this.#changeTool(id, { state: 'done', result: shorten(text), ...files })
        const line = this.#questionLines.get(id ?? '')
        if (line !== undefined) this.#answer(line, contentText(result))
      }
      return
    }
    const { text, files } = shownContent(content)
    if (name === this.#speakers.person) {
      this.#endLive()
      this.lines.add(
        text === SILENT_MESSAGE ? { kind: 'user', name, text: '', silent: true } : { kind: 'user', name, text },
      )
      return
    }
    if (this.#live === null) this.#reasoning = ''
    const spoken = { ...this.#spoken(name, withoutTerminate(text)), ...files }
    if (this.#live !== null) {
      this.lines.put(this.#live, spoken)
      this.#live = null
    } else if (text || files.files) this.lines.add(spoken)
    this.#reasoning = ''
    for (const {
      id = '',
      function: { name: called, arguments: args },
    } of calls) {
      this.lines.add({ kind: 'tool', call: id, by: name, name: called, arguments: args, state: 'called' })
    }
  }

  #spoken(name: string, text: string): SpokenItem {
    const model = this.#fold.value.models[name]
    const reasoning = this.#reasoning && { reasoning: this.#reasoning }
    return { kind: 'assistant', name, ...(model !== undefined && { model }), ...reasoning, text }
  }

  #endLive(): void {
    if (this.#live === null) return
    const { live: _, ...item } = this.items[this.#live] as SpokenItem
    this.lines.put(this.#live, { ...item, ...(this.#reasoning && { reasoning: this.#reasoning }) })
    this.#live = null
    this.#reasoning = ''
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
    this.lines.put(entry.index, { ...withoutApproval(entry.item), ...change })
  }
}

/** How a span was before its start; undefined if it had not begun. */
type SpanOutcome = FoldedRun['tree'][number]['outcome'] | undefined

/** Tells whether a span that starts again was left without an end. */
const isLost = (before: SpanOutcome): boolean => before === 'running' || before === 'interrupted'

const NO_USAGE: ShownUsage = { models: [], promptTokens: 0, completionTokens: 0, cost: 0, unpriced: false }

/** Adds the usage of a turn. */
function withUsage(before: ShownUsage, { models, usage }: FoldedRun): ShownUsage {
  const { usageIncludingCachedInference: all, usageExcludingCachedInference: paid } = usage
  const used = Object.values(paid.models)
  return {
    models: [...new Set([...before.models, ...Object.keys(all.models), ...Object.values(models)])],
    promptTokens: used.reduce((sum, { promptTokens }) => sum + promptTokens, before.promptTokens),
    completionTokens: used.reduce((sum, { completionTokens }) => sum + completionTokens, before.completionTokens),
    cost: before.cost + paid.totalCost,
    unpriced: before.unpriced || paid.unpriced !== undefined,
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
