import type { AnswerDetails, ContentPart, XEvent } from '@x/interfaces'
import { contentText } from '@x/kernel/tool-content'
import type { AgUiEvent, AgUiInterrupt, AgUiMessage, AgUiOutcome, AgUiPart } from './ag-ui-event.ts'
import { PageMessages } from './page-messages.ts'
import { type Place, RunPlaces, STOPPED } from './run-places.ts'
import { ToolInputs } from './tool-inputs.ts'
import type { UiError } from './ui-message-chunk.ts'
import { approvalIdOf, CODE_TOOL, errorTextOf, type RunWriter, type RunWriting } from './written-run.ts'

/** The request that a run answers, as `fromAgUi` gives it. */
export interface AgUiInput {
  readonly threadId: string
  readonly runId: string
  /** The messages of the page: what it loses of them is told by them. */
  readonly messages: readonly AgUiMessage[]
  /** The event of a hosted chat behind which the answer goes on: `after` of `host.events`. */
  readonly cursor: string | undefined
}

/** Options of `toAgUi`. */
export interface AgUiOptions extends RunWriting {
  /** The request that the run answers, as `fromAgUi` gives it. */
  readonly input: AgUiInput
}

type EventOf<T extends XEvent['type']> = Extract<XEvent, { type: T }>
type MessageKind = 'TEXT' | 'REASONING'

/** The agent inside the run that something comes from; empty: the agent of the run. */
interface From {
  readonly subagentRunId?: string
}

/** An answer of a model that is being written. */
interface Call {
  readonly id: string
  readonly from: From
  /** Name of the agent, if another one has answered first. */
  readonly name: { readonly name?: string }
  /** Number of its messages. */
  messages: number
  /** Its text so far. */
  text: string
  open: { readonly kind: MessageKind; readonly id: string } | null
  /** The message that its calls of tools belong to. */
  messageId: string | undefined
}

/** A call of a tool, or code, that the page shows. */
interface Shown {
  readonly toolCallId: string
  readonly from: From
  /** True as long as it waits for a decision. */
  waits: boolean
}

/** The result of a call that was not allowed, and how it ended. */
const DENIED = 'denied'

/** JSON Schema of a decision. */
const APPROVAL = {
  type: 'object',
  properties: { approved: { type: 'boolean' }, reason: { type: 'string' } },
  required: ['approved'],
}

/** Writes the events of a run as events of AG-UI. */
export class AgUiWriter implements RunWriter<AgUiEvent> {
  readonly run: RunPlaces = new RunPlaces()
  readonly #options: AgUiOptions
  readonly #ids: Pick<AgUiInput, 'threadId' | 'runId'>
  readonly #page: PageMessages
  readonly #out: AgUiEvent[] = []
  /** The start of all ids of the run; empty before it has begun. */
  #prefix = ''
  readonly #calls = new Map<string, Call>()
  readonly #inputs = new ToolInputs()
  /** The calls that the page shows, by the ids of their spans in all runs. */
  readonly #shown = new Map<string, Shown>()
  /** The agents inside the run; true as long as they work. */
  readonly #subagents = new Map<string, boolean>()
  /** The questions to the page. An id begins with the signature, and has a place for the last cursor behind it. */
  readonly #questions = new Map<string, AgUiInterrupt>()
  #mainAgent: string | null = null
  /** Cursor of the last event; null outside of a log. */
  #cursor: string | null = null

  constructor(options: AgUiOptions) {
    this.#options = options
    const { threadId, runId, messages } = options.input
    this.#ids = { threadId, runId }
    this.#page = new PageMessages(messages)
  }

  /** Returns the events that an event makes; of a log with its cursor. */
  add(event: XEvent, cursor: string | null, signature: string | null): AgUiEvent[] {
    this.#cursor = cursor
    this.run.add(event)
    this.#begin(event)
    const isAgents = 'id' in event && /^(?:chat|reply)/u.test(event.type)
    const place = this.run.placeIn(isAgents ? event.id : event.parentId)
    const from = this.#fromOf(place)
    if (event.type === 'custom')
      this.#put({
        type: 'CUSTOM',
        name: event.name,
        value: event.data ?? null,
        ...this.#shows(event.parentId)?.from,
        ...from,
      })
    else if (event.type === 'approvalRequested') this.#ask(event, signature, from)
    else if (event.type === 'toolEnd' && this.#shows(event.id)) this.#endTool(event)
    else if (place.level === 'main' || from.subagentRunId !== undefined) this.#tell(event, place, from)
    return this.#out.splice(0)
  }

  /** Returns the events that end the run. */
  end(error: UiError | null): AgUiEvent[] {
    this.#begin(null)
    const { outcome, error: failure, terminationReason } = this.run.endWith(error)
    for (const call of this.#calls.values()) this.#close(call)
    for (const { toolCallId, owner } of this.#inputs.all) {
      this.#show(toolCallId, ['', null], owner === null ? {} : { subagentRunId: owner }, toolCallId)
    }
    if (outcome !== 'suspended') {
      for (const [span, shown] of this.#shown) if (span.startsWith(this.#prefix)) this.#fail(shown, null)
    }
    for (const id of [...this.#subagents.keys()].toReversed()) this.#endSubagent(id, outcome, null)
    const { models, totalCost, unpriced } = this.run.fold.value.usage.usageExcludingCachedInference
    const usage = Object.entries(models).map(([model, { promptTokens, completionTokens, totalTokens }]) => ({
      model,
      inputTokens: promptTokens,
      outputTokens: completionTokens,
      totalTokens,
    }))
    const place = this.#cursor !== null && { cursor: this.#cursor }
    const metadata = { cost: unpriced?.length ? null : totalCost, terminationReason, ...place }
    if (outcome === 'error')
      this.#out.push({ type: 'RUN_ERROR', message: errorTextOf(this.#options, failure), usage, metadata })
    else this.#out.push({ type: 'RUN_FINISHED', ...this.#ids, outcome: this.#outcome(outcome), usage, metadata })
    return this.#out.splice(0)
  }

  #begin(event: XEvent | null): void {
    if (this.#prefix) return
    this.#prefix = `${event?.runId ?? ''}/`
    this.#out.push({ type: 'RUN_STARTED', ...this.#ids, protocolVersion: '1.0' })
    // A page that was loaded again in the middle may have kept the first half.
    if (event?.seq === 0) this.#takeBack('')
    for (const [span, toolCallId] of this.#page.calls()) {
      this.#shown.set(span, { toolCallId, from: {}, waits: true })
    }
  }

  #put(event: AgUiEvent): void {
    this.#page.add(event)
    this.#out.push(event)
  }

  #takeBack(id: string): void {
    const snapshot = this.#page.drop(this.#prefix + id)
    if (snapshot) this.#out.push(snapshot)
  }

  /** Returns the agent inside the run that a place belongs to, and tells of its start. */
  #fromOf(place: Place): From {
    if (place.level !== 'agent' || this.#options.agents === false) return {}
    const { owner, agent: name, tool } = place
    const from = { subagentRunId: this.#prefix + owner }
    if (this.#subagents.has(owner)) return from
    this.#subagents.set(owner, true)
    const around = this.run.placeIn(this.run.fold.span(tool ?? owner)?.parentId ?? null)
    const { subagentRunId: parentSubagentRunId } = this.#fromOf(around)
    const parentToolCallId = this.#shows(tool)?.toolCallId
    this.#out.push({
      type: 'SUBAGENT_STARTED',
      ...from,
      name,
      ...(parentSubagentRunId !== undefined && { parentSubagentRunId }),
      ...(parentToolCallId !== undefined && { parentToolCallId }),
    })
    return from
  }

  #tell(event: XEvent, place: Place, from: From): void {
    switch (event.type) {
      case 'modelCallStart':
        // Another process may answer anew.
        if (this.run.isSpoken(event)) this.#beginCall(event.id, from, this.#nameOf(event.agent, place))
        return
      case 'answerBegin':
      case 'textDelta':
      case 'reasoningDelta':
      case 'textWasReasoning':
      case 'toolInputDelta':
        this.#write(event, this.#calls.get(event.parentId ?? ''))
        return
      case 'modelCallEnd':
        this.#endCall(event, this.#calls.get(event.id))
        return
      case 'replyEnd':
      case 'chatEnd':
        if (event.type === 'replyEnd') this.#endReply(event, place, from)
        // Another process may go on with an agent that waits: that is told at the end.
        if (event.outcome !== 'suspended') this.#endSubagent(event.id, event.outcome, event.error)
        return
      case 'toolStart':
        this.#startTool(event, from)
        return
      case 'codeStart':
        this.#startCode(event, from)
        return
      case 'codeEnd': {
        const { exitCode, output } = event
        this.#endShown(event, JSON.stringify({ exitCode, output }))
        return
      }
      default:
    }
  }

  #nameOf(agent: string | null, place: Place): Call['name'] {
    if (place.level === 'main') this.#mainAgent ??= agent
    return agent === null || agent === (place.level === 'agent' ? place.agent : this.#mainAgent) ? {} : { name: agent }
  }

  /** Begins an answer; what the same call of a model has written before is taken back. */
  #beginCall(id: string, from: From, name: Call['name']): Call {
    const earlier = this.#calls.get(id)
    if (earlier) this.#close(earlier)
    for (const { toolCallId } of this.#inputs.takeOf(id)) this.#put({ type: 'TOOL_CALL_END', toolCallId, ...from })
    this.#takeBack(`${id}-`)
    const call: Call = { id, from, name, messages: 0, text: '', open: null, messageId: undefined }
    this.#calls.set(id, call)
    return call
  }

  #write(event: AnswerPiece, call: Call | undefined): void {
    if (!call) return
    const { id, from, name, text, messages } = call
    // A config has failed half-way, and the next one answers.
    if (event.type === 'answerBegin') {
      if (messages > 0) this.#beginCall(id, from, name)
    } else if (event.index === 0) {
      if (event.type === 'textDelta') this.#say(call, 'TEXT', event.text)
      else if (event.type === 'reasoningDelta') this.#say(call, 'REASONING', event.text)
      else if (event.type === 'toolInputDelta') this.#writeInput(event, call)
      else this.#say(this.#beginCall(id, from, name), 'REASONING', text)
    }
  }

  /** Returns a new id: it begins as the call, and those of both kinds differ, as an answer that is void leaves reasoning behind. */
  #newMessageId(call: Call, kind: MessageKind): string {
    return `${this.#prefix}${call.id}-${kind}${call.messages++}`
  }

  #say(call: Call, kind: MessageKind, delta: string): void {
    if (!delta || (kind === 'REASONING' && this.#options.reasoning === false)) return
    if (kind === 'TEXT') call.text += delta
    this.#put({ type: `${kind}_MESSAGE_CONTENT`, messageId: this.#open(call, kind), delta, ...call.from })
  }

  /** Returns the message that a call writes, a new one if it has written another kind. */
  #open(call: Call, kind: MessageKind): string {
    if (call.open?.kind === kind) return call.open.id
    this.#close(call)
    const { from, name } = call
    const messageId = this.#newMessageId(call, kind)
    call.open = { kind, id: messageId }
    if (kind === 'TEXT') {
      call.messageId = messageId
      this.#put({ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant', ...name, ...from })
    } else {
      this.#put({ type: 'REASONING_START', messageId, ...from })
      this.#put({ type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning', ...from })
    }
    return messageId
  }

  #close(call: Call, more?: { readonly metadata: Readonly<Record<string, unknown>> }): void {
    const { open, from } = call
    if (!open) return
    call.open = null
    const { kind, id: messageId } = open
    this.#put({ type: `${kind}_MESSAGE_END`, messageId, ...more, ...from })
    if (kind === 'REASONING') this.#put({ type: 'REASONING_END', messageId, ...from })
  }

  #writeInput({ call: index, callId, name, text: delta }: EventOf<'toolInputDelta'>, call: Call): void {
    this.#close(call)
    const { id, from } = call
    const toolCallId = `${this.#prefix}${id}-call${index}`
    if (!this.#inputs.find(id, index)) {
      this.#inputs.add({ call: id, index, toolCallId, callId, name, owner: from.subagentRunId ?? null })
      call.messageId ??= this.#newMessageId(call, 'TEXT')
      this.#put({ type: 'TOOL_CALL_START', toolCallId, toolCallName: name, parentMessageId: call.messageId, ...from })
    }
    if (delta) this.#put({ type: 'TOOL_CALL_ARGS', toolCallId, delta, ...from })
  }

  #endCall(
    { id, outcome, message, details }: Pick<EventOf<'modelCallEnd'>, 'id' | 'outcome' | 'message' | 'details'>,
    call: Call | undefined,
  ): void {
    if (!call) return
    if (outcome === 'ok') {
      if (call.messages === 0) {
        this.#say(call, 'REASONING', details?.reasoning ?? '')
        this.#say(call, 'TEXT', contentText(typeof message === 'object' ? message?.content : message))
      }
      const more = details && sourcesOf(details)
      if (more) {
        this.#open(call, 'TEXT')
        this.#close(call, more)
      }
    }
    this.#close(call)
    this.#calls.delete(id)
  }

  #endReply(event: EventOf<'replyEnd'>, place: Place, from: From): void {
    const { id, agent, outcome, reply } = event
    const code = this.#shows(id)
    // Code that was not allowed does not begin.
    if (code?.waits && outcome === 'ok') this.#result(code, DENIED, DENIED)
    const isResult = typeof reply === 'object' && ['tool', 'function'].includes(reply?.role ?? '')
    if (isResult || !this.run.isUntold(event)) return
    this.#endCall({ id, outcome, message: reply, details: null }, this.#beginCall(id, from, this.#nameOf(agent, place)))
  }

  #endSubagent(id: string, outcome: string, error: UiError | null): void {
    if (!this.#subagents.get(id)) return
    this.#subagents.set(id, false)
    const subagentRunId = this.#prefix + id
    if (outcome === 'ok' || outcome === 'suspended') {
      const type = outcome === 'ok' ? 'success' : 'suspended'
      this.#out.push({ type: 'SUBAGENT_FINISHED', subagentRunId, outcome: { type } })
    } else
      this.#out.push({ type: 'SUBAGENT_ERROR', subagentRunId, message: errorTextOf(this.#options, error ?? STOPPED) })
  }

  /** Returns a call that the page shows, also from the run that it continues. */
  #shows(id: string | null): Shown | undefined {
    return this.#shown.get(`${this.#prefix}${id}`)
  }

  #startTool(event: EventOf<'toolStart'>, from: From): void {
    const { id, name, arguments: input } = event
    const shown = this.#shows(id)
    if (shown) shown.waits = false
    else this.#show(id, [name, input], from, this.#inputs.take(event, from.subagentRunId ?? null)?.toolCallId)
  }

  #startCode({ id, parentId, blocks }: EventOf<'codeStart'>, from: From): void {
    const asked = this.#shows(parentId)
    if (asked?.waits) {
      asked.waits = false
      this.#shown.set(this.#prefix + id, asked)
    } else this.#show(id, [CODE_TOOL, { blocks }], from)
  }

  /** Shows a call, unless its arguments have told of it. */
  #show(id: string, [toolCallName, input]: readonly [string, unknown], from: From, told?: string): Shown {
    const span = this.#prefix + id
    const toolCallId = told ?? span
    if (!told) {
      this.#put({ type: 'TOOL_CALL_START', toolCallId, toolCallName, ...from })
      this.#put({ type: 'TOOL_CALL_ARGS', toolCallId, delta: JSON.stringify(input), ...from })
    }
    this.#put({ type: 'TOOL_CALL_END', toolCallId, metadata: { span }, ...from })
    const shown: Shown = { toolCallId, from, waits: false }
    this.#shown.set(span, shown)
    return shown
  }

  #ask(event: EventOf<'approvalRequested'>, signature: string | null, around: From): void {
    const { id, parentId, agent, action } = event
    const span = parentId ?? id
    const known = this.#shows(span)
    const approvalId = approvalIdOf(event)
    const ask = (question: Omit<AgUiInterrupt, 'id' | 'metadata'>): void => {
      const signed = signature
        ? { id: `${signature}//${approvalId}` }
        : ({ id: approvalId, reason: 'decided_elsewhere' } as const)
      this.#questions.set(id, { metadata: { agent }, ...(known?.from ?? around), ...question, ...signed })
    }
    if (action.type === 'question')
      return ask({ reason: 'input_required', message: action.prompt, responseSchema: { type: 'string' } })
    const isCode = action.type === 'code'
    const name = isCode ? CODE_TOOL : action.name
    const { note: message = `Allow ${name}?` } = isCode ? {} : action
    const shown = known ?? this.#show(span, [name, isCode ? { blocks: action.blocks } : action.arguments], around)
    shown.waits = true
    ask({ reason: 'tool_call', message, responseSchema: APPROVAL, toolCallId: shown.toolCallId })
  }

  #endTool(event: EventOf<'toolEnd'>): void {
    const { id, result, parts, approval, outcome } = event
    if (approval?.allow === false && outcome !== 'suspended')
      this.#result(this.#shows(id)!, approval.reason ?? DENIED, DENIED)
    else this.#endShown(event, parts?.map(agUiPart) ?? result ?? '')
  }

  #endShown(
    { id, outcome, error }: Pick<EventOf<'toolEnd'>, 'id' | 'outcome' | 'error'>,
    content: string | AgUiPart[],
  ): void {
    const shown = this.#shows(id)
    if (!shown) return
    shown.waits = outcome === 'suspended'
    if (outcome === 'ok') this.#result(shown, content)
    else if (!shown.waits) this.#fail(shown, error)
  }

  #fail(shown: Shown, error: UiError | null): void {
    this.#result(shown, errorTextOf(this.#options, error ?? STOPPED), error ? 'error' : 'stopped')
  }

  #result({ toolCallId, from }: Shown, content: string | AgUiPart[], outcome?: string): void {
    const messageId = `${toolCallId}-result`
    // A run that goes on tells again what has ended.
    if (this.#page.has(messageId)) return
    const metadata = outcome !== undefined && { metadata: { outcome } }
    this.#put({ type: 'TOOL_CALL_RESULT', messageId, toolCallId, role: 'tool', content, ...metadata, ...from })
  }

  #outcome(outcome: string): AgUiOutcome {
    if (outcome === 'aborted') return { type: 'cancelled' }
    const interrupts = this.run.fold.value.approvals.flatMap(({ id }) => {
      const asked = this.#questions.get(id)
      return asked ? [{ ...asked, id: asked.id.replace('//', `/${encodeURIComponent(this.#cursor ?? '')}/`) }] : []
    })
    return outcome === 'suspended' && interrupts.length > 0 ? { type: 'interrupt', interrupts } : { type: 'success' }
  }
}

type AnswerPiece = EventOf<'answerBegin' | 'textDelta' | 'reasoningDelta' | 'textWasReasoning' | 'toolInputDelta'>

/** Returns the sources and files of an answer, which AG-UI has no place for; null without any. */
function sourcesOf({ citations = [], sources = [], media = [] }: AnswerDetails): {
  readonly metadata: Readonly<Record<string, unknown>>
} | null {
  const all = [...sources, ...citations].filter(({ url, file_id: file }) => url ?? file)
  if (all.length + media.length === 0) return null
  const told = new Map(all.map(({ url, file_id: file, title }) => [url ?? file, { url, title }]))
  const files = media.map(({ url, media_type: mediaType }) => ({ url, mediaType }))
  return { metadata: { sources: [...told.values()], files } }
}

/** Returns a part of a result as AG-UI has it; data are URLs of their own. */
function agUiPart(part: ContentPart): AgUiPart {
  if (part.type === 'text') return part
  if (part.type === 'image_url') return { type: 'image', source: { type: 'url', value: part.image_url.url } }
  if (part.type === 'input_audio') {
    const { data, format } = part.input_audio
    const value = `data:audio/${format === 'mp3' ? 'mpeg' : format};base64,${data}`
    return { type: 'audio', source: { type: 'url', value } }
  }
  const { file_data: url, file_id: id = '' } = part.file
  return { type: 'document', source: url === undefined ? { type: 'file', value: id } : { type: 'url', value: url } }
}
