import { printable } from '@x/agent'
import type { ChatSession } from '@x/session'
import type { ChatResult, XEvent } from '@x/interfaces'
import { isXError, runStream } from '@x/kernel'
import { each } from '@x/kernel/each'
import { DECISION_HINT, readDecision } from './chat-decision.ts'
import type { Interrupts } from './chat-interrupts.ts'
import type { Lines } from './chat-lines.ts'
import type { ChatView } from './chat-view.ts'
import { printableJson } from './printable-json.ts'

/** Where a chat is had. */
export interface ChatDesk {
  readonly session: ChatSession
  readonly lines: Lines
  readonly interrupts: Interrupts
  /** Fires when the program is to end. */
  readonly left: AbortSignal
  /** Writes the chat; its promise is waited for, so that a slow reader slows the model. */
  readonly write: (text: string) => Promise<void>
  /** How the chat is shown; null: events as JSON, a line each. */
  readonly view: ChatView | null
  /** Prompt of a line. */
  readonly prompt: string
}

/** Talks until there are no more lines; a turn that was left unfinished comes first. */
export async function talk(desk: ChatDesk): Promise<void> {
  const { session, lines, left, prompt } = desk
  if (session.unfinished !== null) await settled(desk)
  while (!left.aborted && session.unfinished === null) {
    const line = await lines.ask(prompt, left)
    if (line === null || line.trim() === '/exit') return
    if (!line.trim()) continue
    await answered(desk, (signal) => session.say(line, { signal }))
    await settled(desk)
  }
}

/** Goes on with a turn until it has ended, with a decision on whatever waits; what is not decided waits on. */
async function settled(desk: ChatDesk): Promise<void> {
  const { session, left } = desk
  while (session.unfinished !== null && !left.aborted) {
    for (const { id } of session.pending) if (!(await decided(desk, id))) return
    await answered(desk, (signal) => session.resume({ signal }))
  }
}

/** Asks for a decision; false when there is nobody to decide. */
async function decided({ session, lines, left, write, view }: ChatDesk, id: string): Promise<boolean> {
  const pending = session.pending.find((each) => each.id === id)!
  await write(view ? view.pending(pending) : `${printableJson({ type: 'decisionNeeded', ...pending })}\n`)
  for (;;) {
    const line = await lines.ask('Allow? ', left)
    if (line === null) return false
    const decision = readDecision(line)
    try {
      if (decision) {
        await session.decide(id, decision)
        return true
      }
    } catch (error) {
      if (!isXError(error, 'invalid-argument')) throw error
    }
    await write(view ? view.end(`${DECISION_HINT}.`) : `${printableJson({ type: 'notADecision', line, id })}\n`)
  }
}

/** Shows an answer while it comes; what goes wrong in it ends the turn, not the program. */
async function answered(
  { interrupts, write, view }: ChatDesk,
  begin: (signal: AbortSignal) => AsyncGenerator<XEvent, ChatResult, void>,
): Promise<void> {
  const show = async (text: string): Promise<void> => void (text && (await write(text)))
  const signal = interrupts.begin()
  try {
    const events = runStream(each(begin(signal), (event) => event))
    for await (const event of events) await show(view ? view.event(event) : `${printableJson(event)}\n`)
    const { terminationReason, cost } = await events.result
    const word = terminationReason === 'budget' ? 'The budget is used up.' : undefined
    await show(view ? view.end(word) : `${printableJson({ type: 'turnEnded', terminationReason, cost })}\n`)
  } catch (error) {
    if (!isXError(error)) throw error
    const { code, message } = error
    const stopped = signal.aborted
    if (!view)
      return await show(
        `${printableJson({ type: 'turnEnded', terminationReason: stopped ? 'stopped' : 'failed', code, message })}\n`,
      )
    await show(view.end(stopped ? 'Stopped.' : printable(`${code}: ${message}`)))
  } finally {
    interrupts.end()
  }
}
