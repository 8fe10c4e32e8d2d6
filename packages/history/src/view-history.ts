import type { ChosenHistory, HistoryQuestion, Io, LlmConfig, MaybePromise, Model } from '@x/interfaces'
import { runAsync, runSync } from '@x/kernel'
import { tokensOf } from './count/message-tokens.ts'
import { estimateText, type TextCounter } from './count/text-tokens.ts'
import { encodingOf, type EncodingName } from './count/tokenizer.steps.ts'
import { ConversationState, unchangedItem, type MakeItem } from './cut/conversation-state.ts'
import { chooseWithCut, rehearseCut, type DueCut, type KeptCut, type RehearsedCut } from './cut/cut.steps.ts'
import { settingsOf, type Settings } from './cut/settings.ts'
import { firstModelName, tokenHeadroom, UnmanagedTokens } from './cut/token-headroom.ts'
import { itemOf, type Item } from './draft/item.ts'
import { shortenMessage } from './draft/shorten.ts'
import type { FittedHistory, View } from './views/view.ts'

/** The facts behind a question, which seldom change within a conversation. */
interface QuestionFacts {
  readonly model: Model
  readonly llmConfig: LlmConfig | null
  readonly unmanaged: UnmanagedTokens
  readonly headroom: number | undefined
  readonly encoding: EncodingName | null
  readonly makeItem: MakeItem
}

/** A conversation with the facts of its last question. */
interface Conversation {
  readonly state: ConversationState
  facts: QuestionFacts | null
}

/** The result of cutting a history without a model. */
export interface Rehearsal {
  readonly items: readonly Item[]
  /** The cuts; `at` is the number of messages that the history had at the cut. */
  readonly cuts: readonly (RehearsedCut & { readonly at: number })[]
  /** Tokens of the request that no view can cut. */
  readonly unmanaged: number
  /** Tokens of the request. */
  readonly tokens: number
}

/** Growth since a cut that did not suffice, from which on another cut is tried. */
const RETRY_GROWTH_FACTOR = 1.25

/** Options that a model for summaries must not have. */
const WITHOUT_TOOLS = { tools: undefined, tool_choice: undefined, functions: undefined, response_format: undefined }

/** Ignores events: the warnings of a model go into the run that asks it. */
const SILENT_IO: Io = { send: () => undefined, input: () => '' }

/** Chooses the messages that models see, by views. */
export class ViewHistory implements FittedHistory {
  readonly #views: readonly View[]
  readonly #settings: Settings
  readonly #conversations = new WeakMap<object, Conversation>()
  readonly #counters = new Map<string, TextCounter>()
  #limits: Readonly<Record<string, unknown>> | undefined
  /** The model for summaries that `summarize` was given. */
  #ownModel: Model | null = null
  /** Models for summaries by the models of the agents. */
  readonly #agentModels = new WeakMap<Model, Model>()

  constructor(views: readonly View[]) {
    this.#views = views
    this.#settings = settingsOf(views)
  }

  /** The views, in the order in which they were given. */
  get views(): readonly View[] {
    return this.#views
  }

  /** The limits of all views together, the options of each, and what the model for summaries is sent beside messages. */
  get limits(): Readonly<Record<string, unknown>> {
    return (this.#limits ??= this.#readLimits())
  }

  #readLimits(): Readonly<Record<string, unknown>> {
    const { limit, at, to, maxMessages, summary, clearing, leaving } = this.#settings
    // Infinity is no JSON.
    const most = maxMessages === Infinity ? null : maxMessages
    const cuts = clearing.length + leaving.length
    const views = this.#views.map(({ name, settings }) => ({ name, ...settings }))
    // A summary by the model of the agent has the settings that are compared with the call.
    const model = summary?.llmConfig && this.#ownModelOf(summary.llmConfig)
    const summarizer = model?.settingsOf?.({ messages: [] })
    return {
      ...limit,
      at,
      to,
      maxMessages: most,
      summarizes: summary !== null,
      cuts,
      views,
      ...(summarizer && { summarizer }),
    }
  }

  /** Returns the models that write summaries, except those of the agents. */
  models(): readonly Model[] {
    return this.#ownModel ? [this.#ownModel] : []
  }

  /** Chooses the messages of a question, and cuts the history if a cut is due. */
  choose(question: HistoryQuestion): MaybePromise<ChosenHistory> {
    const { run, record } = question
    const conversation = this.#conversation(question)
    const { state } = conversation
    if (record !== undefined) return this.#repeatCut(conversation, question)
    const facts = this.#facts(conversation, question)
    state.update(question.messages, facts.makeItem)
    if (question.answered) return { messages: state.sent, cut: null }
    if (!question.refused && this.#certainlyFits(state, facts)) return { messages: state.sent, cut: null }
    const findDueCut = (count: TextCounter): DueCut | null => this.#dueCut(state, facts, count, question.refused)
    const count = facts.encoding === null ? estimateText : this.#counters.get(facts.encoding)
    if (count && !findDueCut(count)) return { messages: state.sent, cut: null }
    const steps = chooseWithCut(question, {
      state,
      unmanaged: facts.unmanaged,
      encoding: facts.encoding,
      counters: this.#counters,
      findDueCut,
      summaryModel: () => this.#summaryModel(question),
    })
    // Without a tokenizer to load and a model to ask, nothing is asynchronous.
    if (count && !this.#settings.summary) return runSync(steps)
    return run?.face === 'sync' ? runSync(steps, { run }) : runAsync(steps, { run })
  }

  /** Takes the provider's count of the input tokens of the last request. */
  noteUsage(conversation: object, promptTokens: number): void {
    this.#conversations.get(conversation)?.state.noteTokens(promptTokens)
  }

  /** Returns the record of the last cut of a conversation, to save it with an agent. */
  save(conversation: object): unknown {
    return this.#conversations.get(conversation)?.state.save()
  }

  /** Takes back a record that `save` returned. */
  load(conversation: object, saved: unknown): void {
    const state = new ConversationState()
    state.load(saved)
    this.#conversations.set(conversation, { state, facts: null })
  }

  /** Cuts a history without a model, as if an agent had asked before each of its own messages; `explain` needs it. */
  rehearse(question: HistoryQuestion, count: TextCounter): Rehearsal {
    const { messages } = question
    const conversation: Conversation = { state: new ConversationState(), facts: null }
    const { state } = conversation
    const facts = this.#facts(conversation, question)
    const questions = messages.flatMap(({ role }, index) => (role === 'assistant' && index > 0 ? [index] : []))
    const cuts = [...questions, messages.length].flatMap((at) => {
      state.update(messages.slice(0, at), facts.makeItem)
      const due = this.#dueCut(state, facts, count, false)
      return due ? [{ at, ...rehearseCut(due) }] : []
    })
    const unmanaged = facts.unmanaged.tokens(count)
    return { items: state.items, cuts, unmanaged, tokens: state.tokens(count, unmanaged) }
  }

  #conversation({ conversation: key }: HistoryQuestion): Conversation {
    let conversation = this.#conversations.get(key)
    if (!conversation) {
      conversation = { state: new ConversationState(), facts: null }
      this.#conversations.set(key, conversation)
    }
    return conversation
  }

  #facts(conversation: Conversation, question: HistoryQuestion): QuestionFacts {
    const { model, llmConfig } = question
    const { facts } = conversation
    if (facts?.model === model && facts.llmConfig === llmConfig && facts.unmanaged.belongsTo(question)) return facts
    const headroom = tokenHeadroom(question, this.#settings.limit)
    conversation.facts = {
      model,
      llmConfig,
      headroom,
      unmanaged: new UnmanagedTokens(question),
      encoding: encodingOf(firstModelName(question)),
      makeItem: this.#itemMaker(headroom),
    }
    return conversation.facts
  }

  /** Shortens a message above `perMessage` when it arrives, so that its sent form never changes. */
  #itemMaker(headroom: number | undefined): MakeItem {
    const { perMessage } = this.#settings.limit
    const maxTokens =
      perMessage === undefined || perMessage > 1
        ? perMessage
        : headroom === undefined
          ? undefined
          : headroom * perMessage
    if (maxTokens === undefined) return unchangedItem
    return (message, source) => {
      const item = itemOf(message, source)
      if (item.maxTokens <= maxTokens || tokensOf(message, estimateText) <= maxTokens) return item
      return itemOf(shortenMessage(message, Math.floor(maxTokens), estimateText), source, 'shortened')
    }
  }

  /** Repeats the cut of a record. */
  #repeatCut(conversation: Conversation, question: HistoryQuestion): ChosenHistory {
    const { cut, usage, report } = question.record as KeptCut
    const { state } = conversation
    const facts = this.#facts(conversation, question)
    state.restore(cut, question.messages)
    state.update(question.messages, facts.makeItem)
    if (usage) this.#summaryModel(question).restoreUsage?.(usage)
    return { messages: state.sent, cut: { report, record: question.record, usage, warnings: [] } }
  }

  /** Returns the limit of the tokens of a request; undefined if none is known. */
  #tokenLimit({ ceiling }: ConversationState, { headroom }: QuestionFacts): number | undefined {
    if (ceiling === null) return headroom
    return Math.min(headroom ?? Infinity, ceiling)
  }

  /** True if the lengths of the texts alone prove that everything fits. */
  #certainlyFits(state: ConversationState, facts: QuestionFacts): boolean {
    const limit = this.#tokenLimit(state, facts)
    const { at, maxMessages } = this.#settings
    if (maxMessages !== Infinity && state.sentCount > maxMessages) return false
    return limit === undefined || state.maxTokens(facts.unmanaged.max) <= limit * at
  }

  #dueCut(state: ConversationState, facts: QuestionFacts, count: TextCounter, refused: boolean): DueCut | null {
    const { at, maxMessages } = this.#settings
    const headroom = this.#tokenLimit(state, facts)
    const unmanaged = facts.unmanaged.tokens(count)
    const due = { state, settings: this.#settings, count, unmanaged, headroom }
    if (refused) return { ...due, reason: 'overflow' }
    if (headroom !== undefined) {
      const tokens = state.tokens(count, unmanaged)
      // A history that the last cut could not make fit is cut again only after it has grown.
      if (tokens > Math.max(headroom * at, (state.stuckAt ?? 0) * RETRY_GROWTH_FACTOR)) {
        return { ...due, reason: 'tokens' }
      }
    }
    return maxMessages !== Infinity && state.sentCount > maxMessages ? { ...due, reason: 'messages' } : null
  }

  #ownModelOf(llmConfig: LlmConfig): Model {
    return (this.#ownModel ??= llmConfig.with(WITHOUT_TOOLS).createModel({ io: SILENT_IO }))
  }

  /** Returns the model that writes summaries, without tools. */
  #summaryModel({ model, llmConfig }: HistoryQuestion): Model {
    const ownConfig = this.#settings.summary?.llmConfig
    if (ownConfig) return this.#ownModelOf(ownConfig)
    if (!llmConfig) return model
    let withoutTools = this.#agentModels.get(model)
    if (!withoutTools) {
      withoutTools = llmConfig.with(WITHOUT_TOOLS).createModel({ replaces: model })
      this.#agentModels.set(model, withoutTools)
    }
    return withoutTools
  }
}
