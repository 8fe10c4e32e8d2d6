import type {
  ChatMessage,
  ChatResult,
  PendingApproval,
  Reply,
  SpanEvent,
  SpanOutcome,
  UsageSummary,
  XEvent,
} from '@x/interfaces'

/** A run as its events tell it. Its lists and the objects in them grow and change as a fold takes further events. */
export interface FoldedRun {
  /** Globally unique id of the run; null before its first event, and outside of runs. */
  readonly runId: string | null
  /**
   * Result of the operation, equal to the returned one: that of the outermost chat, of the last one if there are several;
   * without a chat the reply of the outermost reply. Null while it runs and after an error.
   */
  readonly result: ChatValue | Reply | null
  /** Messages of the outermost chat, as the agent has them that started it. */
  readonly messages: readonly ChatMessage[]
  /** Usage of the models, with and without answers that a cache gave. */
  readonly usage: ChatResult['cost']
  /** Cost in US dollars, without answers that a cache gave. */
  readonly cost: number
  /** All chats, in the order in which they began. */
  readonly chats: readonly FoldedChat[]
  /** All calls of tools, in the order in which they began. */
  readonly toolCalls: readonly FoldedToolCall[]
  /** Tool calls and code that wait for a decision. */
  readonly approvals: readonly PendingApproval[]
  /** The answers that models are writing. */
  readonly answers: readonly FoldedAnswer[]
  /** The model that answered last, by the name of the agent that asked it. */
  readonly models: Readonly<Record<string, string>>
  /** The outermost spans, with those inside them. */
  readonly tree: readonly FoldedSpan[]
}

/** The result of a chat, with the value of a `run` that had a `result`, and the further results of a group. */
type ChatValue = ChatResult & { readonly result?: unknown } & Partial<NonNullable<EventOf<'chatEnd'>['group']>>

/** How a span ended. `interrupted`: its process ended first, and no later process has gone on with it. */
type FoldedOutcome = SpanOutcome | 'running' | 'interrupted'

/** A chat of a run. */
interface FoldedChat {
  /** Id of its span. */
  readonly id: string
  readonly chatId: string | null
  /** The agent that started the chat. */
  readonly agent: string
  readonly recipient: string
  /** True if the chat is inside another one. */
  readonly nested: boolean
  /** Messages of both agents, as the one that started the chat has them. */
  readonly messages: readonly ChatMessage[]
  /** Position of the first of them in the conversation: above 0 if it goes on behind messages that no event has told. */
  readonly firstIndex: number
  readonly outcome: FoldedOutcome
  readonly error: SpanError
  /** Null until the chat has ended, and after an error; so are the next three. */
  readonly terminationReason: ChatResult['terminationReason'] | null
  readonly summary: ChatResult['summary'] | null
  readonly cost: ChatResult['cost'] | null
  /** The value of a `run` with a `result`. */
  readonly result: unknown
  /** Further results of a group. */
  readonly group: EventOf<'chatEnd'>['group']
  readonly humanInput: readonly string[]
}

/** A call of a tool. */
interface FoldedToolCall extends Pick<
  EventOf<'toolEnd'>,
  'name' | 'callId' | 'arguments' | 'result' | 'parts' | 'approval'
> {
  /** Id of its span. */
  readonly id: string
  readonly agent: string
  readonly chatId: string | null
  /** When it began, in milliseconds since 1970. */
  readonly time: number
  /** Duration in milliseconds; null while it runs. */
  readonly ms: number | null
  readonly outcome: FoldedOutcome
  readonly error: SpanError
}

/** An answer that a model is writing: its first choice. */
interface FoldedAnswer {
  /** Id of the span of the model call. */
  readonly id: string
  readonly agent: string
  readonly chatId: string | null
  readonly text: string
  readonly reasoning: string
}

/** A span of a run, with its start and end events. */
type FoldedSpan = { [K in SpanKind]: SpanOfKind<K> }[SpanKind]

interface SpanOfKind<K extends SpanKind> {
  readonly kind: K
  readonly id: string
  readonly parentId: string | null
  readonly outcome: FoldedOutcome
  /** The last start event; null if only the end was read. */
  readonly start: EventOf<`${K}Start`> | null
  /** The last end event; null while the span runs. */
  readonly end: EventOf<`${K}End`> | null
  readonly children: readonly FoldedSpan[]
}

type EventOf<T extends string> = Extract<XEvent, { type: T }>
type StartEvent = EventOf<`${SpanKind}Start`>
type EndEvent = EventOf<`${SpanKind}End`>
type SpanError = EndEvent['error']
type SpanKind = Extract<SpanEvent, { type: `${string}Start` }>['type'] extends `${infer K}Start` ? K : never

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** A span, and what else is told of it. */
interface OpenSpan {
  readonly span: Mutable<SpanOfKind<SpanKind>> & { readonly children: FoldedSpan[] }
  parent: OpenSpan | null
  readonly chat: ChatUnderWay | null
  readonly toolCall: Mutable<FoldedToolCall> | null
  /** True if spans inside it have told its usage. */
  isCounted: boolean
}

/** Returns a run as its events tell it: with what the operation returned, and how that came about. */
export function foldEvents(events: Iterable<XEvent>): FoldedRun {
  const fold = new EventFold()
  for (const event of events) fold.add(event)
  return fold.value
}

/** Reads the events of a run, one after the other, also those of several processes that the run lived in. */
export class EventFold {
  readonly #spans = new Map<string, OpenSpan>()
  readonly #tree: FoldedSpan[] = []
  /** Spans whose parent was not told yet, by its id. */
  readonly #orphans = new Map<string, OpenSpan[]>()
  readonly #chats: FoldedChat[] = []
  readonly #chatsById = new Map<string | null, ChatUnderWay>()
  readonly #toolCalls: FoldedToolCall[] = []
  readonly #approvals = new Map<string, { readonly pending: PendingApproval; readonly parentId: string | null }>()
  readonly #answers = new Map<string, Mutable<FoldedAnswer>>()
  readonly #models = new Map<string, string>()
  readonly #usage = new UsageSum()
  #runId: string | null = null
  #outermost: ChatUnderWay | null = null
  #value: FoldedRun | null = null

  /** Takes the next event. Events of types that are not known are left out. */
  add(event: XEvent): void {
    this.#value = null
    this.#runId ??= event.runId
    switch (event.type) {
      case 'receivedMessage':
        this.#chatsById.get(event.chatId)?.receive(event)
        return
      case 'groupChatRunChat':
        this.#chatsById.get(event.chatId)?.addSpeaker(event.speaker)
        return
      case 'answerBegin':
      case 'textDelta':
      case 'reasoningDelta':
      case 'textWasReasoning':
        this.#write(event)
        return
      case 'approvalRequested':
        this.#approvals.set(event.id, { pending: pendingApproval(event), parentId: event.parentId })
        return
      default:
        if (isStart(event)) this.#begin(event)
        else if (isEnd(event)) this.#end(event)
    }
  }

  /** Returns a span of the tree by its id. */
  span(id: string): FoldedSpan | undefined {
    return this.#spans.get(id)?.span as FoldedSpan | undefined
  }

  /** The run as the events so far tell it. */
  get value(): FoldedRun {
    if (this.#value) return this.#value
    const usage = this.#usage.value
    this.#value = {
      runId: this.#runId,
      result: this.#result(),
      messages: this.#outermost?.chat.messages ?? [],
      usage,
      cost: usage.usageExcludingCachedInference.totalCost,
      chats: this.#chats,
      toolCalls: this.#toolCalls,
      approvals: Array.from(this.#approvals.values(), ({ pending }) => pending),
      answers: [...this.#answers.values()],
      models: Object.fromEntries(this.#models),
      tree: this.#tree,
    }
    return this.#value
  }

  #result(): FoldedRun['result'] {
    if (this.#outermost) return this.#outermost.result()
    const reply = this.#tree.findLast((span) => span.kind === 'reply')
    return reply?.end?.reply ?? null
  }

  #begin(event: StartEvent): void {
    const known = this.#spans.get(event.id)
    const open = known ?? this.#open(event)
    const { span, chat, toolCall } = open
    if (known) {
      // A process before this one may have ended without a word.
      this.#interrupt(open)
      this.#answers.delete(event.id)
      for (const [id, { parentId }] of this.#approvals) if (parentId === event.id) this.#approvals.delete(id)
    }
    span.start = event
    span.end = null
    span.outcome = 'running'
    chat?.begin()
    if (toolCall && event.type === 'toolStart') beginToolCall(toolCall, event)
  }

  #end(event: EndEvent): void {
    const open = this.#spans.get(event.id) ?? this.#open(event)
    const { span, chat, toolCall } = open
    this.#interrupt(open)
    span.end = event
    span.outcome = event.outcome
    if (chat && event.type === 'chatEnd') chat.end(event)
    if (toolCall && event.type === 'toolEnd') endToolCall(toolCall, event)
    if (event.type === 'modelCallEnd' && event.agent !== null && event.model !== null) {
      this.#models.set(event.agent, event.model)
    }
    this.#count(open, event)
    this.#answers.delete(event.id)
    if (event.outcome !== 'suspended') this.#settle(open)
  }

  /** Opens a span at its first event, inside its parent. */
  #open(event: StartEvent | EndEvent): OpenSpan {
    const { id, parentId } = event
    const kind = event.type.replace(/(?:Start|End)$/u, '') as SpanKind
    const parent = parentId === null ? null : (this.#spans.get(parentId) ?? null)
    const span = { kind, id, parentId, outcome: 'running', start: null, end: null, children: [] } as const
    const open: OpenSpan = {
      span: span as unknown as OpenSpan['span'],
      parent,
      chat: event.type === 'chatStart' || event.type === 'chatEnd' ? this.#openChat(event, parent) : null,
      toolCall: event.type === 'toolStart' || event.type === 'toolEnd' ? newToolCall(event) : null,
      isCounted: false,
    }
    this.#spans.set(id, open)
    if (open.toolCall) this.#toolCalls.push(open.toolCall)
    this.#place(open)
    for (const orphan of this.#orphans.get(id) ?? []) {
      orphan.parent = open
      this.#tree.splice(this.#tree.indexOf(orphan.span as FoldedSpan), 1)
      open.span.children.push(orphan.span as FoldedSpan)
      if (orphan.isCounted || this.#usage.has(orphan.span.id)) this.#countAround(orphan)
    }
    this.#orphans.delete(id)
    return open
  }

  #place(open: OpenSpan): void {
    const { parent, span } = open
    const siblings = parent ? parent.span.children : this.#tree
    siblings.push(span as FoldedSpan)
    if (parent || span.parentId === null) return
    const orphans = this.#orphans.get(span.parentId)
    if (orphans) orphans.push(open)
    else this.#orphans.set(span.parentId, [open])
  }

  #openChat(event: EventOf<'chatStart' | 'chatEnd'>, parent: OpenSpan | null): ChatUnderWay {
    let around = parent
    while (around && !around.chat) around = around.parent
    const chat = new ChatUnderWay(event, around !== null || (parent === null && event.parentId !== null))
    this.#chats.push(chat.chat)
    this.#chatsById.set(event.chatId, chat)
    if (!chat.chat.nested) this.#outermost = chat
    return chat
  }

  /** Marks the open spans inside a span: their process has ended, or went on without them. */
  #interrupt({ span }: OpenSpan): void {
    for (const { id, outcome } of span.children) {
      const inner = this.#spans.get(id)
      if (outcome !== 'running' || !inner) continue
      inner.span.outcome = 'interrupted'
      if (inner.chat) inner.chat.chat.outcome = 'interrupted'
      if (inner.toolCall) inner.toolCall.outcome = 'interrupted'
      this.#answers.delete(id)
      this.#interrupt(inner)
    }
  }

  /** Adds the usage that the end of a span tells, unless spans inside it have told it. */
  #count(open: OpenSpan, event: EndEvent): void {
    const used = usageIn(event)
    if (!used || open.isCounted) return
    this.#usage.add(event.id, used)
    this.#countAround(open)
  }

  #countAround({ parent }: OpenSpan): void {
    for (let around = parent; around && !around.isCounted; around = around.parent) {
      around.isCounted = true
      this.#usage.remove(around.span.id)
    }
  }

  /** Removes the approvals inside a span that has ended and does not wait for them. */
  #settle(open: OpenSpan): void {
    for (const [id, { parentId }] of this.#approvals) {
      let around = parentId === null ? undefined : this.#spans.get(parentId)
      while (around && around !== open) around = around.parent ?? undefined
      if (around) this.#approvals.delete(id)
    }
  }

  #write(event: EventOf<'answerBegin' | 'textDelta' | 'reasoningDelta' | 'textWasReasoning'>): void {
    const { agent, chatId, parentId } = event
    if (event.type === 'answerBegin') this.#models.set(agent, event.model)
    if (parentId === null || ('index' in event && event.index !== 0)) return
    let call = this.#spans.get(parentId)
    while (call && call.span.kind !== 'modelCall') call = call.parent ?? undefined
    const id = call?.span.id ?? parentId
    let answer = this.#answers.get(id)
    if (!answer || event.type === 'answerBegin') {
      answer = { id, agent, chatId, text: '', reasoning: '' }
      this.#answers.set(id, answer)
    }
    if (event.type === 'textDelta') answer.text += event.text
    if (event.type === 'reasoningDelta') answer.reasoning += event.text
    if (event.type !== 'textWasReasoning') return
    answer.reasoning += answer.text
    answer.text = ''
  }
}

const isStart = (event: XEvent): event is StartEvent => event.type.endsWith('Start') && 'id' in event

const isEnd = (event: XEvent): event is EndEvent => event.type.endsWith('End') && 'id' in event

const pendingApproval = ({ id, chatId, agentPath, agent, action }: EventOf<'approvalRequested'>): PendingApproval => ({
  id,
  chatId,
  agentPath: agentPath ?? [],
  agent,
  action,
})

const newToolCall = ({ id, agent, chatId, name, callId, arguments: args, time }: ToolEvent): FoldedToolCall => ({
  id,
  agent,
  chatId,
  name,
  callId,
  arguments: args,
  time,
  ms: null,
  outcome: 'running',
  error: null,
  result: null,
  parts: null,
  approval: null,
})

type ToolEvent = EventOf<'toolStart' | 'toolEnd'>

const beginToolCall = (call: Mutable<FoldedToolCall>, event: EventOf<'toolStart'>): void =>
  void Object.assign(call, newToolCall(event))

const endToolCall = (
  call: Mutable<FoldedToolCall>,
  { ms, outcome, error, arguments: args, result, parts, approval }: EventOf<'toolEnd'>,
): void => void Object.assign(call, { ms, outcome, error, arguments: args, result, parts, approval })

/** A chat whose messages are being read. */
class ChatUnderWay {
  readonly chat: Mutable<FoldedChat>
  readonly #messages: ChatMessage[] = []
  /** Position of each message in the conversation of its recipient. */
  #indexes: number[] = []
  /** The messages that events have told, by recipient and position. */
  readonly #places = new Map<string, number>()
  readonly #speakers = new Set<string>()
  #begun = false
  /** True until a further process tells its first message. */
  #resumes = false

  constructor({ id, chatId, agent, recipient }: EventOf<'chatStart' | 'chatEnd'>, nested: boolean) {
    this.chat = {
      id,
      chatId,
      agent,
      recipient,
      nested,
      messages: this.#messages,
      firstIndex: 0,
      outcome: 'running',
      error: null,
      terminationReason: null,
      summary: null,
      cost: null,
      result: null,
      group: null,
      humanInput: [],
    }
  }

  begin(): void {
    this.#resumes = this.#begun
    this.#begun = true
    Object.assign(this.chat, { outcome: 'running', error: null, terminationReason: null, summary: null })
    Object.assign(this.chat, { cost: null, result: null, group: null, humanInput: [] })
  }

  end({ messages, ...event }: EventOf<'chatEnd'>): void {
    const { outcome, error, terminationReason, summary, cost, result, group, humanInput } = event
    Object.assign(this.chat, { outcome, error, terminationReason, summary, cost, result, group, humanInput })
    if (!messages) return
    this.#places.clear()
    this.#messages.length = 0
    for (const message of messages) this.#messages.push(message)
    this.#indexes = messages.map((_, index) => index)
    this.chat.firstIndex = 0
  }

  /** Notes a member of the group that the recipient manages: it speaks to the recipient. */
  addSpeaker(name: string): void {
    this.#speakers.add(name)
  }

  /**
   * Adds a message of one of the two agents to the other, or of a member of a group to its manager. A message that is told
   * again replaces itself.
   */
  receive({ sender, recipient, message, index, recalled }: EventOf<'receivedMessage'>): void {
    const { agent, recipient: other } = this.chat
    const own = sender === agent && recipient === other
    const ofMember = !own && recipient === other && this.#speakers.has(sender)
    if (!own && !ofMember && !(sender === other && recipient === agent)) return
    const place = `${recipient} ${index}`
    if (this.#resumes && !recalled) this.#dropBehind(index, place)
    // The recipient has each text as the other's; the agent that started the chat has its own as its own.
    let kept = own && message.role === 'user' ? { ...message, role: 'assistant' as const } : message
    // The manager passes it on under the name of the member.
    if (ofMember && kept.name === undefined) kept = { ...kept, name: sender }
    const position = this.#places.get(place) ?? this.#messages.length
    this.#places.set(place, position)
    this.#messages[position] = kept
    this.#indexes[position] = index
    if (position === 0) this.chat.firstIndex = index
  }

  /** Removes the messages that a killed process has told after the place at which this one goes on. */
  #dropBehind(index: number, place: string): void {
    this.#resumes = false
    const known = this.#places.get(place)
    let length = this.#messages.length
    while (length > 0 && length - 1 !== known && this.#indexes[length - 1]! >= index) length--
    this.#messages.length = length
    this.#indexes.length = length
    for (const [each, position] of this.#places) if (position >= length) this.#places.delete(each)
  }

  /** The result of the chat; null while it runs and after an error. */
  result(): ChatValue | null {
    const { terminationReason, summary, cost, humanInput, messages, result, group } = this.chat
    if (!terminationReason || !cost) return null
    return {
      chatId: null,
      chatHistory: messages,
      summary: summary ?? '',
      cost,
      humanInput,
      terminationReason,
      ...(terminationReason === 'result' && { result }),
      ...group,
    }
  }
}

type ModelUsage = UsageSummary['models'][string]

/** The usage that one span tells. */
interface SpanUsage {
  readonly model: string
  readonly usage: Omit<ModelUsage, 'cost'>
  /** Null if the price is not known. */
  readonly cost: number | null
  readonly cached: boolean
}

/** Returns the usage in the end of an attempt, of a call whose model tells no attempts, or of a search without either. */
function usageIn(event: EndEvent): SpanUsage | null {
  if (event.type === 'searchJobEnd') {
    const { used, replayed } = event
    if (!used || replayed) return null
    const { model = '', promptTokens, completionTokens, cost, cached = false } = used
    const usage = { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens }
    return { model, usage, cost, cached }
  }
  if ((event.type !== 'modelAttemptEnd' && event.type !== 'modelCallEnd') || !event.usage) return null
  const { usage, cost, cached } = event
  const model = 'responseModel' in event ? (event.responseModel ?? event.model) : event.model
  return { model: model ?? '', usage, cost, cached }
}

/** Adds up usage, that of each span once. */
class UsageSum {
  readonly #spans = new Map<string, SpanUsage>()
  #total = new Summary()
  #paid = new Summary()
  #value: ChatResult['cost'] | null = null

  add(id: string, used: SpanUsage): void {
    const isKnown = this.#spans.has(id)
    this.#spans.set(id, used)
    if (isKnown) this.#addAll()
    else this.#add(used)
  }

  has(id: string): boolean {
    return this.#spans.has(id)
  }

  remove(id: string): void {
    if (this.#spans.delete(id)) this.#addAll()
  }

  get value(): ChatResult['cost'] {
    this.#value ??= {
      usageIncludingCachedInference: this.#total.value,
      usageExcludingCachedInference: this.#paid.value,
    }
    return this.#value
  }

  #add(used: SpanUsage): void {
    this.#value = null
    this.#total.add(used)
    if (!used.cached) this.#paid.add(used)
  }

  #addAll(): void {
    this.#value = null
    this.#total = new Summary()
    this.#paid = new Summary()
    for (const used of this.#spans.values()) this.#add(used)
  }
}

/** A usage summary that grows. */
class Summary {
  #cost = 0
  readonly #models = new Map<string, ModelUsage>()
  readonly #unpriced = new Set<string>()

  add({ model, usage, cost }: SpanUsage): void {
    const sum = this.#models.get(model) ?? { cost: 0, promptTokens: 0, completionTokens: 0, totalTokens: 0 }
    this.#models.set(model, sum)
    this.#cost += cost ?? 0
    sum.cost += cost ?? 0
    sum.promptTokens += usage.promptTokens
    sum.completionTokens += usage.completionTokens
    sum.totalTokens += usage.totalTokens
    if (cost === null) this.#unpriced.add(model)
  }

  get value(): UsageSummary {
    const models = Object.fromEntries(Array.from(this.#models, ([model, usage]) => [model, { ...usage }]))
    const unpriced = [...this.#unpriced]
    return { totalCost: this.#cost, models, ...(unpriced.length > 0 && { unpriced }) }
  }
}
