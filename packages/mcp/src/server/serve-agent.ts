import type { ActionToApprove, Io, JournalEntry, XEvent } from '@x/interfaces'
import { MemoryJournal } from './memory-journal.ts'
import type { StateSeal } from './sealed-state.ts'
import { askClient, decisionOf, failed, given, type ServedCall, type ServedOutcome } from './served-call.ts'
import type { ServedAgent } from './server-options.ts'

/** Characters of an answer that are told at once. */
const PIECE = 200

/** Attempts of one task between two questions; each denies what nobody can be asked about. */
const ATTEMPTS = 50

/**
 * Gives an agent a task of a client. What waits for an approval goes to the client as a question, with the answers that
 * the task has had; with the decision the task is begun again and walks to where it was.
 */
export async function serveAgent(seal: StateSeal, its: ServedAgent, call: ServedCall): Promise<ServedOutcome> {
  const { task } = call.args
  if (typeof task !== 'string' || !task.trim()) return failed('`task` is missing: say in a text what is to be done')
  const journal = new MemoryJournal((call.waiting?.entries ?? []) as JournalEntry[])
  for (const id of call.waiting?.pending ?? []) decide(journal, id, decisionOf(call.answers[id]))
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const told = new ToldProgress(call)
    const agent = await its.create(told.io)
    const { terminationReason, summary, chatHistory } = await agent.run(task, {
      journal,
      signal: call.signal,
      userInput: false,
    })
    await told.end()
    if (terminationReason !== 'suspended') return given(textOf(summary) || textOf(chatHistory.at(-1)?.content))
    const questions = Object.fromEntries(openQuestions(journal).map(({ id, action }) => [id, questionOf(action)]))
    const pending = Object.keys(questions)
    if (call.canAsk) return await askClient(seal, call, { entries: journal.entries, pending }, questions)
    for (const id of pending) decide(journal, id, { allow: false, reason: 'nobody can be asked' })
  }
  return failed('it asked for too many approvals, and nobody can be asked')
}

const decide = (journal: MemoryJournal, place: string, value: unknown): void =>
  journal.keep({ place, kind: 'decision', value })

/** What waits for a decision in a journal. */
function openQuestions(journal: MemoryJournal): { readonly id: string; readonly action: ActionToApprove }[] {
  return journal.entries
    .filter(({ kind, place }) => kind === 'question' && !journal.recall(place).some((each) => each.kind === 'decision'))
    .map(({ place, value }) => ({ id: place, action: (value as { action: ActionToApprove }).action }))
}

function questionOf(action: ActionToApprove): string {
  const what =
    action.type === 'toolCall'
      ? `call ${action.name}(${JSON.stringify(action.arguments)})`
      : `run this code:\n${action.blocks.map(({ language, code }) => `[${language}]\n${code}`).join('\n')}`
  return `The agent is about to ${what.slice(0, 4000)}`
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : value ? JSON.stringify(value) : '')

/** Tells a client of the events of a task: the text as it is written, and the tools that are called. */
class ToldProgress {
  readonly #call: ServedCall
  #text = ''
  #telling: Promise<void> = Promise.resolve()

  constructor(call: ServedCall) {
    this.#call = call
  }

  get io(): Io {
    return { send: (event) => this.#send(event), input: () => '' }
  }

  async end(): Promise<void> {
    this.#flush()
    await this.#telling
  }

  #send(event: XEvent): void {
    if (event.type === 'modelDelta' && event.event.type === 'textDelta') {
      this.#text += event.event.text
      if (this.#text.length >= PIECE) this.#flush()
    } else if (event.type === 'executeFunction') {
      this.#flush()
      this.#tell(`calls ${event.funcName}`)
    }
  }

  #flush(): void {
    if (this.#text) this.#tell(this.#text)
    this.#text = ''
  }

  /** One after the other; a client that is gone ends the task by its signal. */
  #tell(message: string): void {
    this.#telling = this.#telling.then(async () => await this.#call.tell(message)).catch(() => {})
  }
}
