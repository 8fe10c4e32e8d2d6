import type { AnswerDetails, XEvent } from '@x/interfaces'
import { contentText } from '@x/kernel/tool-content'
import { AgentMessages } from './agent-messages.ts'
import { readable } from './json.ts'
import { type Place, RunPlaces, STOPPED } from './run-places.ts'
import { ToolInputs } from './tool-inputs.ts'
import type { UiError, UiMessageChunk, UiMessageMetadata } from './ui-message-chunk.ts'
import { approvalIdOf, CODE_TOOL, errorTextOf, type RunWriter, type RunWriting } from './written-run.ts'

/** The message of a page that an answer continues, as `fromUiMessages` gives it. */
export interface UiContinuation {
  readonly messageId: string
  /** The calls that the page shows, by the span of each. */
  readonly calls: ReadonlyMap<string, string>
  /** The event of a hosted chat behind which the answer goes on: `after` of `host.events`. */
  readonly cursor: string | undefined
}

/** Options of `toUiMessageStream`. */
export interface UiStreamOptions extends RunWriting {
  /** Id of the message; default: that of the run. */
  readonly messageId?: string | undefined
  /** The message that the answer continues behind a decision; default: none. */
  readonly continues?: UiContinuation | undefined
}

type EventOf<T extends XEvent['type']> = Extract<XEvent, { type: T }>
type BlockKind = 'text' | 'reasoning'

/** An answer of a model in the message. */
interface Call {
  readonly agent: string | null
  isOpen: boolean
  /** True once a piece of it was written. */
  isTold: boolean
  blocks: number
  block: { readonly kind: BlockKind; readonly id: string } | null
}

/** A call of a tool, or code, in the message. */
interface Shown {
  readonly toolCallId: string
  /** The question about it that this message asks; null: none. */
  approvalId: string | null
  /** True if the page knows of it from the message that is continued. */
  readonly isKnown: boolean
  state: 'open' | 'waiting' | 'ended'
}

/** A chunk of the step, with the call of a model that it belongs to. */
interface StepChunk {
  chunk: UiMessageChunk
  readonly call: string | null
}

/** How a page shows a question to a person. */
const QUESTION_TOOL = 'ask_person'

/** Writes the events of a run as chunks of one message. */
export class UiMessageWriter implements RunWriter<UiMessageChunk> {
  readonly #options: UiStreamOptions
  readonly run: RunPlaces = new RunPlaces()
  readonly #agents: AgentMessages
  #out: UiMessageChunk[] = []
  #hasBegun = false
  /** The chunks of the step: those of other calls stay if an answer becomes void. */
  #step: StepChunk[] | null = null
  /** The parts of data in the step, by their ids. */
  readonly #data = new Map<string, StepChunk>()
  readonly #calls = new Map<string, Call>()
  readonly #inputs = new ToolInputs()
  readonly #shown = new Map<string, Shown>()
  readonly #toolCallIds = new Set<string>()
  /** The questions to a person that wait for their answers. */
  readonly #questions = new Set<string>()
  #mainAgent: string | null = null
  #finishReason: string | null = null
  /** Cursor of the last event; null outside of a log. */
  #cursor: string | null = null

  constructor(options: UiStreamOptions) {
    this.#options = options
    this.#agents = new AgentMessages((error) => this.#errorText(error))
  }

  /** Returns the chunks that an event makes; of a log with its cursor. */
  add(event: XEvent, cursor: string | null, signature: string | null): UiMessageChunk[] {
    this.#cursor = cursor
    this.run.add(event)
    this.#begin(event.runId)
    const isChat = event.type === 'chatStart' || event.type === 'chatEnd'
    const place = this.run.placeIn(isChat ? event.id : event.parentId)
    if (event.type === 'custom') this.#put({ type: `data-${event.name}`, data: readable(event.data ?? null) })
    else if (event.type === 'approvalRequested') this.#ask(event, signature)
    else if (event.type === 'toolStart' && this.#shows(event.id)) this.#shown.get(event.id)!.state = 'open'
    else if (event.type === 'toolEnd' && this.#shown.has(event.id)) this.#endTool(event)
    else if (place.level === 'main') this.#addMain(event)
    if (place.level === 'agent' && this.#options.agents !== false) this.#addAgent(event, place)
    if ('outcome' in event) this.#settleQuestions()
    return this.#take()
  }

  /** Returns the chunks that end the message, with that of the error if there was one. */
  end(error: UiError | null): UiMessageChunk[] {
    this.#begin(null)
    const { outcome, error: failure, terminationReason } = this.run.endWith(error)
    for (const id of this.#calls.keys()) this.#close(id)
    if (outcome !== 'suspended') this.#endAll()
    if (this.#step) this.#out.push({ type: 'finish-step' })
    const messageMetadata = this.#metadata(terminationReason)
    // A page reads nothing behind an error.
    if (outcome === 'aborted') this.#out.push({ type: 'message-metadata', messageMetadata }, { type: 'abort' })
    else if (outcome === 'error') {
      this.#out.push(
        { type: 'message-metadata', messageMetadata },
        { type: 'error', errorText: this.#errorText(failure) },
        { type: 'finish', finishReason: 'error' },
      )
    } else {
      const finishReason = outcome === 'suspended' ? 'tool-calls' : finishReasonOf(this.#finishReason)
      this.#out.push({ type: 'finish', finishReason, messageMetadata })
    }
    return this.#take()
  }

  #take(): UiMessageChunk[] {
    const chunks = this.#out
    this.#out = []
    return chunks
  }

  #begin(runId: string | null): void {
    if (this.#hasBegun) return
    this.#hasBegun = true
    const { continues, messageId } = this.#options
    const id = continues?.messageId ?? messageId ?? runId
    this.#out.push({ type: 'start', ...(id !== null && { messageId: id }) })
  }

  #put(chunk: UiMessageChunk, call: string | null = null): void {
    if (!this.#step) {
      this.#step = []
      this.#out.push({ type: 'start-step' })
    }
    this.#out.push(chunk)
    const added = { chunk, call }
    if ('data' in chunk && chunk.id !== undefined) {
      // A part of data replaces the one before it.
      const earlier = this.#data.get(chunk.id)
      if (earlier) earlier.chunk = chunk
      else this.#data.set(chunk.id, added)
      if (earlier) return
    }
    this.#step.push(added)
  }

  #addMain(event: XEvent): void {
    switch (event.type) {
      case 'modelCallStart':
        if (this.run.isSpoken(event)) this.#beginCall(event)
        return
      case 'answerBegin':
      case 'textDelta':
      case 'reasoningDelta':
      case 'textWasReasoning':
      case 'toolInputDelta':
        if (event.parentId !== null && this.#calls.has(event.parentId)) this.#write(event, event.parentId)
        return
      case 'modelCallEnd':
        if (this.#calls.has(event.id)) this.#endCall(event)
        return
      case 'replyEnd':
        this.#endReply(event)
        return
      case 'toolStart':
        this.#show(event.id, {
          toolCallId: this.#inputs.take(event, null)?.toolCallId ?? this.#newToolCallId(event.callId ?? event.id),
          toolName: event.name,
          input: event.arguments,
          toolMetadata: { spanId: event.id },
        })
        return
      case 'codeStart':
        this.#beginCode(event)
        return
      case 'codeEnd':
        this.#endShown(event.id, event, { exitCode: event.exitCode, output: event.output })
        return
      default:
    }
  }

  #beginCall({ id, agent }: EventOf<'modelCallStart'>): void {
    this.#mainAgent ??= agent
    const known = this.#calls.get(id)
    if (known) {
      // Another process answers anew.
      this.#drop(id)
      known.isOpen = true
      return
    }
    const isFree = this.#inputs.all.length === 0 && [...this.#calls.values()].every(({ isOpen }) => !isOpen)
    if (this.#step && this.#step.length > 0 && isFree) {
      this.#out.push({ type: 'finish-step' }, { type: 'start-step' })
      this.#step = []
      this.#data.clear()
      this.#calls.clear()
    }
    this.#calls.set(id, { agent, isOpen: true, isTold: false, blocks: 0, block: null })
  }

  /** Takes back what a call of a model has written. */
  #drop(id: string): void {
    for (const { toolCallId } of this.#inputs.takeOf(id)) this.#toolCallIds.delete(toolCallId)
    Object.assign(this.#calls.get(id)!, { isTold: false, block: null })
    this.#keepOf(({ call }) => call !== id)
  }

  /** Takes the step back, and writes again what stays of it. */
  #keepOf(stays: (each: StepChunk) => boolean): void {
    const step = this.#step ?? []
    const kept = step.filter(stays)
    if (kept.length === step.length) return
    this.#step = kept
    this.#out.push({ type: 'reset-step' }, ...kept.map(({ chunk }) => chunk))
  }

  #write(event: AnswerPiece, id: string): void {
    const call = this.#calls.get(id)!
    if (event.type === 'answerBegin') {
      // A config has failed half-way, and the next one answers.
      if (call.isTold) this.#drop(id)
      return
    }
    if (event.index) return
    call.isTold = true
    if (event.type === 'textDelta') this.#say(id, 'text', event.text)
    else if (event.type === 'reasoningDelta') this.#say(id, 'reasoning', event.text)
    else if (event.type === 'toolInputDelta') this.#writeInput(event, id)
    else this.#turnToReasoning(id)
  }

  #say(id: string, kind: BlockKind, delta: string): void {
    if (!delta || (kind === 'reasoning' && this.#options.reasoning === false)) return
    const call = this.#calls.get(id)!
    if (call.block?.kind !== kind) {
      this.#close(id)
      call.block = { kind, id: `${id}-${call.blocks++}` }
      const isOther = call.agent !== null && call.agent !== this.#mainAgent
      const from = isOther ? { providerMetadata: { run: { agent: call.agent } } } : {}
      this.#put({ type: `${kind}-start`, id: call.block.id, ...from }, id)
    }
    this.#put({ type: `${kind}-delta`, id: call.block.id, delta }, id)
  }

  #close(id: string): void {
    const call = this.#calls.get(id)!
    if (call.block) this.#put({ type: `${call.block.kind}-end`, id: call.block.id }, id)
    call.block = null
  }

  #turnToReasoning(id: string): void {
    const isText = ({ chunk, call }: StepChunk): boolean => call === id && chunk.type.startsWith('text-')
    const texts = (this.#step ?? []).filter(isText).map(({ chunk }) => ('delta' in chunk ? chunk.delta : ''))
    this.#calls.get(id)!.block = null
    this.#keepOf((each) => !isText(each))
    this.#say(id, 'reasoning', texts.join(''))
    this.#close(id)
  }

  #writeInput({ call: index, callId, name, text }: EventOf<'toolInputDelta'>, call: string): void {
    this.#close(call)
    let input = this.#inputs.find(call, index)
    if (!input) {
      const toolCallId = this.#newToolCallId(callId ?? `${call}-call${index}`)
      input = this.#inputs.add({ call, index, toolCallId, callId, name, owner: null })
      this.#put({ type: 'tool-input-start', toolCallId: input.toolCallId, toolName: name }, call)
    }
    if (text) this.#put({ type: 'tool-input-delta', toolCallId: input.toolCallId, inputTextDelta: text }, call)
  }

  #endCall({ id, outcome, message, details, finishReason }: EventOf<'modelCallEnd'>): void {
    const call = this.#calls.get(id)!
    call.isOpen = false
    if (outcome === 'ok') {
      this.#finishReason = finishReason
      if (!call.isTold) {
        this.#say(id, 'reasoning', details?.reasoning ?? '')
        this.#say(id, 'text', contentText(typeof message === 'object' ? message?.content : message))
      }
    }
    this.#close(id)
    if (outcome === 'ok' && details) for (const chunk of partsOf(details, id)) this.#put(chunk, id)
  }

  #endReply(event: EventOf<'replyEnd'>): void {
    const { id, agent, outcome, reply } = event
    const code = this.#shows(id) ? this.#shown.get(id) : undefined
    // Code that was not allowed does not begin.
    if (code?.state === 'waiting' && outcome === 'ok') this.#deny(code, id, null)
    if (outcome !== 'ok' || reply === null || !this.run.isUntold(event)) return
    if (typeof reply === 'object' && reply.role !== undefined && reply.role !== 'assistant' && reply.role !== 'user')
      return
    this.#mainAgent ??= agent
    this.#calls.set(id, { agent, isOpen: false, isTold: true, blocks: 0, block: null })
    this.#say(id, 'text', contentText(typeof reply === 'object' ? reply.content : reply))
    this.#close(id)
  }

  #newToolCallId(wanted: string): string {
    let id = wanted
    for (let count = 2; this.#toolCallIds.has(id); count++) id = `${wanted}-${count}`
    this.#toolCallIds.add(id)
    return id
  }

  /** True if the message shows a call, or the message of the page that it continues. */
  #shows(id: string): boolean {
    const toolCallId = this.#options.continues?.calls.get(id)
    if (toolCallId !== undefined && !this.#shown.has(id)) {
      this.#toolCallIds.add(toolCallId)
      this.#shown.set(id, { toolCallId, approvalId: null, isKnown: true, state: 'waiting' })
    }
    return this.#shown.has(id)
  }

  #show(id: string, call: Omit<ShownInput, 'type'>): Shown {
    const shown: Shown = { toolCallId: call.toolCallId, approvalId: null, isKnown: false, state: 'open' }
    this.#shown.set(id, shown)
    this.#put({ type: 'tool-input-available', ...call, input: readable(call.input) })
    return shown
  }

  #beginCode({ id, parentId, blocks }: EventOf<'codeStart'>): void {
    const asked = parentId !== null && this.#shows(parentId) ? this.#shown.get(parentId) : undefined
    if (asked?.state === 'waiting') {
      asked.state = 'open'
      this.#shown.set(id, asked)
    } else {
      const toolCallId = this.#newToolCallId(id)
      this.#show(id, { toolCallId, toolName: CODE_TOOL, input: { blocks }, toolMetadata: { spanId: id } })
    }
  }

  /** Asks the page; without a signature it is only told. */
  #ask(event: EventOf<'approvalRequested'>, signature: string | null): void {
    const { id, parentId, agent, action } = event
    const approvalId = approvalIdOf(event)
    if (action.type === 'question') {
      const toolMetadata = { agent, approvalId, ...(signature && { signature }) }
      const question = { toolName: QUESTION_TOOL, input: { prompt: action.prompt }, toolMetadata }
      // A chat that goes on after another decision asks again.
      const toolCallId = this.#shown.get(id)?.toolCallId ?? this.#newToolCallId(id)
      this.#show(id, { toolCallId, ...question }).state = 'waiting'
      this.#questions.add(id)
      return
    }
    const spanId = parentId ?? id
    let shown = this.#shown.get(spanId)
    if (!shown) {
      const isCode = action.type === 'code'
      shown = this.#show(spanId, {
        toolCallId: this.#newToolCallId(isCode ? id : spanId),
        toolName: isCode ? CODE_TOOL : action.name,
        input: isCode ? { blocks: action.blocks } : action.arguments,
        toolMetadata: { spanId, agent },
      })
    }
    shown.state = 'waiting'
    if (!signature) return
    shown.approvalId = approvalId
    const note = action.type === 'toolCall' ? action.note : undefined
    this.#put({
      type: 'tool-approval-request',
      toolCallId: shown.toolCallId,
      approvalId,
      ...(note && { reason: note }),
      signature,
    })
  }

  /** Ends the questions that were answered before the page has read of them: the log does not tell how. */
  #settleQuestions(): void {
    if (this.#questions.size === 0) return
    const open = new Set(this.run.fold.value.approvals.map(({ id }) => id))
    for (const id of this.#questions) {
      if (open.has(id)) continue
      this.#questions.delete(id)
      const shown = this.#shown.get(id)!
      shown.state = 'ended'
      // Without its `approvalId`: `hasDecided` would take it for an answer of the page.
      this.#put({ type: 'tool-output-available', toolCallId: shown.toolCallId, output: null, toolMetadata: {} })
    }
  }

  #endTool(event: EventOf<'toolEnd'>): void {
    const { id, result, parts, approval, outcome } = event
    const shown = this.#shown.get(id)!
    if (approval?.allow === false && outcome !== 'suspended') this.#deny(shown, id, approval.reason)
    else this.#endShown(id, event, parts ?? valueOf(result))
  }

  #deny(shown: Shown, id: string, reason: string | null): void {
    shown.state = 'ended'
    const { toolCallId } = shown
    if (!shown.approvalId && !shown.isKnown) {
      shown.approvalId = id
      this.#put({ type: 'tool-approval-request', toolCallId, approvalId: id, isAutomatic: true })
    }
    this.#answer(shown, false, reason)
    this.#put({ type: 'tool-output-denied', toolCallId })
  }

  /** Tells a page of the decision on a question that this message has asked. */
  #answer({ approvalId }: Shown, approved: boolean, reason: string | null = null): void {
    if (approvalId) this.#put({ type: 'tool-approval-response', approvalId, approved, ...(reason && { reason }) })
  }

  #endShown(id: string, { outcome, error }: Pick<SpanEnd, 'outcome' | 'error'>, output: unknown): void {
    const shown = this.#shown.get(id)
    if (!shown || shown.state === 'ended') return
    if (outcome === 'suspended') {
      shown.state = 'waiting'
      return
    }
    this.#answer(shown, true)
    shown.state = 'ended'
    const { toolCallId } = shown
    if (outcome === 'ok') this.#put({ type: 'tool-output-available', toolCallId, output })
    else this.#put({ type: 'tool-output-error', toolCallId, errorText: this.#errorText(error ?? STOPPED) })
  }

  /** Ends what a page would take for work that goes on. */
  #endAll(): void {
    for (const id of this.#shown.keys()) this.#endShown(id, { outcome: 'aborted', error: null }, null)
    for (const { toolCallId } of this.#inputs.all) {
      this.#put({ type: 'tool-output-error', toolCallId, errorText: this.#errorText(STOPPED) })
    }
    for (const chunk of this.#agents.endAll()) this.#put(chunk)
  }

  #addAgent(event: XEvent, place: Extract<Place, { level: 'agent' }>): void {
    if (event.type === 'modelCallEnd' && !this.run.isSpoken(event)) return
    if (event.type === 'replyEnd' && !this.run.isUntold(event)) return
    const toolCallId = place.tool === null ? null : (this.#shown.get(place.tool)?.toolCallId ?? place.tool)
    const chunk = this.#agents.add(event, place, toolCallId, this.#options.reasoning !== false)
    if (chunk) this.#put(chunk)
  }

  #metadata(terminationReason: string | null): UiMessageMetadata {
    const { models, totalCost, unpriced } = this.run.fold.value.usage.usageExcludingCachedInference
    const sum = (field: 'promptTokens' | 'completionTokens' | 'totalTokens'): number =>
      Object.values(models).reduce((total, each) => total + each[field], 0)
    const usage = {
      inputTokens: sum('promptTokens'),
      outputTokens: sum('completionTokens'),
      totalTokens: sum('totalTokens'),
    }
    const place = this.#cursor === null ? {} : { cursor: this.#cursor }
    return { usage, cost: unpriced?.length ? null : totalCost, terminationReason, ...place }
  }

  #errorText(error: UiError): string {
    return errorTextOf(this.#options, error)
  }
}

type ShownInput = Extract<UiMessageChunk, { type: 'tool-input-available' }>
type SpanEnd = Extract<XEvent, { outcome: unknown }>
type AnswerPiece = EventOf<'answerBegin' | 'textDelta' | 'reasoningDelta' | 'textWasReasoning' | 'toolInputDelta'>

/** Objects and lists come to a page as such, everything else as the text that the model reads. */
function valueOf(result: string | null): unknown {
  if (!/^[[{]/u.test(result ?? '')) return result
  try {
    const value: unknown = JSON.parse(result!)
    return readable(value) === value ? value : result
  } catch {
    return result
  }
}

const FINISH_REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['stop', 'stop'],
  ['length', 'length'],
  ['content_filter', 'content-filter'],
])
type FinishReason = Extract<UiMessageChunk, { type: 'finish' }>['finishReason']

const finishReasonOf = (reason: string | null): FinishReason => FINISH_REASONS.get(reason ?? 'stop') ?? 'other'

/** Returns the sources, files and pictures of an answer. */
function partsOf({ citations = [], sources = [], media = [] }: AnswerDetails, call: string): UiMessageChunk[] {
  const chunks: UiMessageChunk[] = []
  const told = new Set<string>()
  for (const { url, file_id: file, title } of [...sources, ...citations]) {
    const key = url ?? file
    if (key === undefined || told.has(key)) continue
    told.add(key)
    const sourceId = `${call}-source${chunks.length}`
    if (url !== undefined) chunks.push({ type: 'source-url', sourceId, url, ...(title !== undefined && { title }) })
    else if (title !== undefined)
      chunks.push({ type: 'source-document', sourceId, mediaType: 'application/octet-stream', title })
  }
  for (const { url, media_type: mediaType, type } of media) {
    if (url !== undefined) chunks.push({ type: 'file', url, mediaType: mediaType ?? `${type}/*` })
  }
  return chunks
}
