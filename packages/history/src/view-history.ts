import type { ChosenHistory, HistoryQuestion, Io, LlmConfig, MaybePromise, Model } from '@x/interfaces'
import { runAsync, runSync } from '@x/kernel'
import { encodingOf } from './count/tokenizer.steps.ts'
import { estimateText, type TextCounter } from './count/text-tokens.ts'
import { tokensOf } from './count/message-tokens.ts'
import { Beside } from './cut/beside.ts'
import { ConversationState, plainArrival, type Arrival } from './cut/conversation-state.ts'
import { chooseWithCut } from './cut/choose.steps.ts'
import { rehearseCut, type DueCut, type KeptCut, type RehearsedCut } from './cut/cut.steps.ts'
import { modelName, roomFor } from './cut/room.ts'
import { settingsOf, type Settings } from './cut/settings.ts'
import { itemOf, type Item } from './draft/item.ts'
import type { FittedHistory } from './fitted-history.ts'
import { shortenMessage } from './draft/shorten.ts'
import type { View } from './views/view.ts'

/** Facts of a question that seldom change. */
interface Facts {
  readonly model: Model
  readonly llmConfig: LlmConfig | null
  readonly beside: Beside
  readonly room: number | undefined
  readonly encoding: ReturnType<typeof encodingOf>
  readonly arrival: Arrival
}

/** A conversation with its facts. */
interface Known {
  readonly state: ConversationState
  facts: Facts | null
}

/** The result of cutting a history without a model. */
export interface Rehearsal {
  readonly items: readonly Item[]
  /** The cuts; `at` is how many messages of the history the request had. */
  readonly cuts: readonly (RehearsedCut & { readonly at: number })[]
  /** Tokens that are sent beside the messages. */
  readonly beside: number
  /** Tokens of the request. */
  readonly tokens: number
}

/** Views put together: chooses what the models of agents see. It may be given to several agents. */
export class ViewHistory implements FittedHistory {
  readonly #views: readonly View[]
  readonly #settings: Settings
  readonly #conversations = new WeakMap<object, Known>()
  readonly #counters = new Map<string, TextCounter>()
  #ownModel: Model | null = null
  readonly #borrowed = new WeakMap<Model, Model>()

  constructor(views: readonly View[]) {
    this.#views = views
    this.#settings = settingsOf(views)
  }

  /** The views, in the order in which they were given. */
  get views(): readonly View[] {
    return this.#views
  }

  /** Models that write summaries, unless the agents' own do. */
  models(): readonly Model[] {
    return this.#ownModel ? [this.#ownModel] : []
  }

  /** Chooses the messages of a question, and cuts the history when it is due. */
  choose(question: HistoryQuestion): MaybePromise<ChosenHistory> {
    const { run, record } = question
    const known = this.#known(question)
    const { state } = known
    if (record !== undefined) return this.#repeat(known, question)
    const facts = this.#facts(known, question)
    state.update(question.messages, facts.arrival)
    if (question.answered) return { messages: state.sent, cut: null }
    if (!question.refused && this.#surelyFits(state, facts)) return { messages: state.sent, cut: null }
    const count = this.#counter(facts)
    if (count) {
      const due = this.#due(state, facts, count, question.refused)
      if (!due) return { messages: state.sent, cut: null }
    }
    const steps = chooseWithCut(question, {
      state,
      beside: facts.beside,
      encoding: facts.encoding,
      counters: this.#counters,
      due: (counter) => this.#due(state, facts, counter, question.refused),
      summaryModel: () => this.#summaryModel(question),
    })
    // Nothing has to be waited for where no model is asked.
    if (count && !this.#settings.summary) return runSync(steps)
    return run?.face === 'sync' ? runSync(steps, { run }) : runAsync(steps, { run })
  }

  /** Takes note of how many input tokens the provider counted for what was chosen last. */
  noteUsage(conversation: object, promptTokens: number): void {
    this.#conversations.get(conversation)?.state.note(promptTokens)
  }

  /** Returns the last cut of a conversation, to save it with an agent. */
  save(conversation: object): unknown {
    return this.#conversations.get(conversation)?.state.save()
  }

  /** Puts back what `save` gave. */
  load(conversation: object, saved: unknown): void {
    const state = new ConversationState()
    state.load(saved)
    this.#conversations.set(conversation, { state, facts: null })
  }

  /** Cuts a history as an agent would have that asked before each of its own messages; for `explain`, no model is asked. */
  rehearse(question: HistoryQuestion, count: TextCounter): Rehearsal {
    const { messages } = question
    const known: Known = { state: new ConversationState(), facts: null }
    const { state } = known
    const facts = this.#facts(known, question)
    const asked = messages.flatMap(({ role }, index) => (role === 'assistant' && index > 0 ? [index] : []))
    const cuts = [...asked, messages.length].flatMap((at) => {
      state.update(messages.slice(0, at), facts.arrival)
      const due = this.#due(state, facts, count, false)
      return due ? [{ at, ...rehearseCut(due) }] : []
    })
    const beside = facts.beside.tokens(count)
    return { items: state.items, cuts, beside, tokens: state.tokens(count, beside) }
  }

  #known({ conversation }: HistoryQuestion): Known {
    let known = this.#conversations.get(conversation)
    if (!known) {
      known = { state: new ConversationState(), facts: null }
      this.#conversations.set(conversation, known)
    }
    return known
  }

  #facts(known: Known, question: HistoryQuestion): Facts {
    const { model, llmConfig } = question
    const { facts } = known
    if (facts?.model === model && facts.llmConfig === llmConfig && facts.beside.isOf(question)) return facts
    const room = roomFor(question, this.#settings.limit)
    known.facts = {
      model,
      llmConfig,
      room,
      beside: new Beside(question),
      encoding: encodingOf(modelName(question)),
      arrival: this.#arrival(room),
    }
    return known.facts
  }

  /** Messages that are too long are shortened when they come, so that what was sent of them never changes. */
  #arrival(room: number | undefined): Arrival {
    const { perMessage } = this.#settings.limit
    const most =
      perMessage === undefined || perMessage > 1 ? perMessage : room === undefined ? undefined : room * perMessage
    if (most === undefined) return plainArrival
    return (message, source) => {
      const item = itemOf(message, source)
      if (item.most <= most || tokensOf(message, estimateText) <= most) return item
      return itemOf(shortenMessage(message, Math.floor(most), estimateText), source, 'shortened')
    }
  }

  /** Repeats the cut of a record. */
  #repeat(known: Known, question: HistoryQuestion): ChosenHistory {
    const { cut, usage, report } = question.record as KeptCut
    const { state } = known
    const facts = this.#facts(known, question)
    state.restore(cut, question.messages)
    state.update(question.messages, facts.arrival)
    if (usage) this.#summaryModel(question).restoreUsage?.(usage)
    return { messages: state.sent, cut: { report, record: question.record, usage, warnings: [] } }
  }

  #limit({ ceiling }: ConversationState, { room }: Facts): number | undefined {
    if (ceiling === null) return room
    return Math.min(room ?? Infinity, ceiling)
  }

  /** Whether the lengths of the texts alone prove that everything fits. */
  #surelyFits(state: ConversationState, facts: Facts): boolean {
    const limit = this.#limit(state, facts)
    const { at, maxMessages } = this.#settings
    if (maxMessages !== Infinity && state.shown > maxMessages) return false
    return limit === undefined || state.most(facts.beside.most) <= limit * at
  }

  #due(state: ConversationState, facts: Facts, count: TextCounter, refused: boolean): DueCut | null {
    const { at, maxMessages } = this.#settings
    const room = this.#limit(state, facts)
    const beside = facts.beside.tokens(count)
    const due = { state, settings: this.#settings, count, beside, room }
    if (refused) return { ...due, reason: 'overflow' }
    if (room !== undefined) {
      const tokens = state.tokens(count, beside)
      // What could not be cut is tried again only when there is more of it.
      if (tokens > Math.max(room * at, (state.stuckAt ?? 0) * GROWN)) return { ...due, reason: 'tokens' }
    }
    return maxMessages !== Infinity && state.shown > maxMessages ? { ...due, reason: 'messages' } : null
  }

  /** The counter of a model, as far as it is loaded. */
  #counter({ encoding }: Facts): TextCounter | undefined {
    return encoding === null ? estimateText : this.#counters.get(encoding)
  }

  /** The model that writes summaries, without tools. */
  #summaryModel({ model, llmConfig }: HistoryQuestion): Model {
    const own = this.#settings.summary?.llmConfig
    if (own) return (this.#ownModel ??= own.with(NO_TOOLS).createModel({ io: QUIET }))
    if (!llmConfig) return model
    let borrowed = this.#borrowed.get(model)
    if (!borrowed) {
      borrowed = llmConfig.with(NO_TOOLS).createModel({ replaces: model })
      this.#borrowed.set(model, borrowed)
    }
    return borrowed
  }
}

const NO_TOOLS = { tools: undefined, tool_choice: undefined, functions: undefined, response_format: undefined }

/** How much larger a history has to be to be cut again that did not fit after the last cut. */
const GROWN = 1.25

/** Warnings of a model go into the run that it is asked in. */
const QUIET: Io = { send: () => undefined, input: () => '' }
