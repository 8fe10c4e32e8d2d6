import type { ActionToApprove, Io, Journal, JournalEntry, XEvent } from '@x/interfaces'
import type { StateSeal } from './sealed-state.ts'
import {
  askClient,
  type ClientQuestion,
  readDecision,
  failedResult,
  shownText,
  textResult,
  type ServedCall,
  type ServedOutcome,
} from './served-call.ts'
import type { ServedAgent } from './server-options.ts'

/** Characters of an answer that are sent as one progress message. */
const PROGRESS_CHUNK_LENGTH = 200

/** Most attempts of one task when nobody can be asked; each attempt denies the pending approvals. */
const MAX_TASK_ATTEMPTS = 50

/**
 * Gives an agent a task of a client. A pending approval goes to the client as a question, together with the answers that
 * the task has received; with the decision the task starts again and replays those answers.
 */
export async function serveAgent(seal: StateSeal, served: ServedAgent, call: ServedCall): Promise<ServedOutcome> {
  const { signal, tracer } = call
  const { task } = call.args
  if (typeof task !== 'string' || !task.trim())
    return failedResult('`task` is missing: say in a text what is to be done')
  const journal = new MemoryJournal((call.waiting?.entries ?? []) as JournalEntry[])
  for (const id of call.waiting?.pending ?? []) {
    const isQuestion = openQuestions(journal).some((each) => each.id === id && each.action.type === 'question')
    recordDecision(journal, id, readDecision(call.answers[id], isQuestion))
  }
  for (let attempt = 0; attempt < MAX_TASK_ATTEMPTS; attempt++) {
    const progress = new ProgressReporter(call)
    const agent = await served.create(progress.io)
    const { terminationReason, text } = await agent.run(task, { journal, signal, ...(tracer && { tracer }) })
    await progress.end()
    if (terminationReason !== 'suspended') return textResult(text)
    const questions = Object.fromEntries(openQuestions(journal).map(({ id, action }) => [id, questionTo(action)]))
    const pending = Object.keys(questions)
    if (call.canAsk) return await askClient(seal, call, { entries: journal.entries, pending }, questions)
    for (const id of pending) recordDecision(journal, id, { allow: false, reason: 'nobody can be asked' })
  }
  return failedResult('it asked for too many approvals, and nobody can be asked')
}

const recordDecision = (journal: MemoryJournal, place: string, value: unknown): void =>
  journal.keep({ place, kind: 'decision', value })

/** Finds the questions of a journal that have no decision yet. */
function openQuestions(journal: MemoryJournal): { readonly id: string; readonly action: ActionToApprove }[] {
  return journal.entries
    .filter(({ kind, place }) => kind === 'question' && !journal.recall(place).some((each) => each.kind === 'decision'))
    .map(({ place, value }) => ({ id: place, action: (value as { action: ActionToApprove }).action }))
}

/** The question to the person at the client: whether an action is allowed, or what an agent asks. */
function questionTo(action: ActionToApprove): ClientQuestion {
  if (action.type === 'question') return { message: shownText(action.prompt), wantsText: true }
  const what =
    action.type === 'toolCall'
      ? `call ${action.name}(${JSON.stringify(action.arguments)})${action.note === undefined ? '' : ` (${action.note})`}`
      : `run this code:\n${action.blocks.map(({ language, code }) => `[${language}]\n${code}`).join('\n')}`
  return { message: `The agent is about to ${shownText(what)}`, wantsText: false }
}

/** Sends the progress of a task to the client: the text as it is written, and the tools that are called. */
class ProgressReporter {
  readonly #call: ServedCall
  #text = ''
  #sending: Promise<void> = Promise.resolve()

  constructor(call: ServedCall) {
    this.#call = call
  }

  get io(): Io {
    return { send: (event) => this.#handle(event), input: () => '' }
  }

  async end(): Promise<void> {
    this.#flush()
    await this.#sending
  }

  #handle(event: XEvent): void {
    if (event.type === 'textDelta') {
      this.#text += event.text
      if (this.#text.length >= PROGRESS_CHUNK_LENGTH) this.#flush()
    } else if (event.type === 'executeFunction') {
      this.#flush()
      this.#send(`calls ${event.funcName}`)
    }
  }

  #flush(): void {
    if (this.#text) this.#send(this.#text)
    this.#text = ''
  }

  /** Sends messages in order; errors are ignored, since a client that disconnects ends the task by its signal. */
  #send(message: string): void {
    this.#sending = this.#sending.then(async () => await this.#call.sendProgress(message)).catch(() => {})
  }
}

/** A journal in memory for one task. */
class MemoryJournal implements Journal {
  readonly #entries: JournalEntry[] = []
  readonly #byPlace = new Map<string, JournalEntry[]>()
  readonly #lastPlaces = new Map<string, number>()

  constructor(entries: readonly JournalEntry[]) {
    for (const entry of entries) this.keep(entry)
  }

  get entries(): readonly JournalEntry[] {
    return this.#entries
  }

  get length(): number {
    return this.#entries.length
  }

  recall(place: string): readonly JournalEntry[] {
    return this.#byPlace.get(place) ?? []
  }

  lastPlace(place: string): number {
    return this.#lastPlaces.get(place) ?? -1
  }

  keep(entry: JournalEntry): void {
    const { place, kind, name } = entry
    const there = this.recall(place)
    if (there.some((each) => each.kind === kind && each.name === name)) return
    this.#entries.push(entry)
    this.#byPlace.set(place, [...there, entry])
    // Entries of these kinds accompany an answer and do not count as one.
    if (kind === 'question' || kind === 'job' || kind === 'hook') return
    for (let end = place.length; end > 0;) {
      const dot = place.lastIndexOf('.', end - 1)
      const around = dot === -1 ? '' : place.slice(0, dot)
      this.#lastPlaces.set(around, Math.max(this.lastPlace(around), Number(place.slice(dot + 1, end))))
      end = dot
    }
  }
}
