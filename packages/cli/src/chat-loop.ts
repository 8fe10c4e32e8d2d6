import { printable } from '@x/agent'
import type { ChatSession } from '@x/session'
import type { ChatResult, EventStream, TerminationReason, UsageSummary } from '@x/interfaces'
import { isXError } from '@x/kernel'
import type { CommandRunner, Leave } from './chat-commands.ts'
import { decisionHint, decisionPrompt, readDecision } from './chat-questions.ts'
import type { Interrupts } from './chat-interrupts.ts'
import type { Lines } from './chat-lines.ts'
import type { ChatView } from './chat-view.ts'
import { printableJson } from './printable-json.ts'

/** The session of a chat, with its input and output. */
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
  readonly command: CommandRunner
  /** Called with the usage of the chat after each turn. */
  readonly onUsage: (usage: UsageSummary) => void
}

const LEAVE_PROGRAM: Leave = { open: null }

/** Explanations of the ends of a turn that a person would ask about. */
const END_TEXTS: Readonly<Partial<Record<TerminationReason, string>>> = {
  budget: 'The budget is used up.',
  'max-rounds': 'The group has talked enough for now: say something to go on.',
  'no-next-speaker': 'Nobody may speak next.',
  'human-exit': 'You have ended the talk.',
}

/** Talks until there are no more lines or the person leaves; a turn that was left unfinished comes first. */
export async function talk(desk: ChatDesk): Promise<Leave> {
  const { session, lines, left, prompt } = desk
  for (;;) {
    const leave = await settle(desk)
    if (leave || left.aborted) return leave ?? LEAVE_PROGRAM
    const line = await lines.ask(prompt, left)
    if (line === null) return LEAVE_PROGRAM
    if (!line.trim()) continue
    const command = await desk.command(line)
    if (command?.leave) return command.leave
    if (!command) await answer(desk, (signal) => session.say(line, { signal }))
  }
}

/** Continues a turn until it ends, and asks for decisions on pending requests; requests without a decision stay pending. */
async function settle(desk: ChatDesk): Promise<Leave | null> {
  const { session, left } = desk
  while (session.unfinished !== null && !left.aborted) {
    for (const { id } of session.pending) {
      const leave = await decide(desk, id)
      if (leave) return leave
    }
    await answer(desk, (signal) => session.resume({ signal }))
  }
  return null
}

/** Asks for a decision; gives how the person leaves when there is none. */
async function decide(desk: ChatDesk, id: string): Promise<Leave | null> {
  const { session, lines, left, write, view } = desk
  const pending = session.pending.find((each) => each.id === id)!
  await write(view ? view.pending(pending) : `${printableJson({ type: 'decisionNeeded', ...pending })}\n`)
  for (;;) {
    const line = await lines.decide(decisionPrompt(pending.action), left)
    if (line === null) return LEAVE_PROGRAM
    const command = await desk.command(line)
    if (command?.leave) return command.leave
    const decision = command ? null : readDecision(line, pending.action)
    try {
      if (decision) {
        await session.decide(id, decision)
        return null
      }
    } catch (error) {
      if (!isXError(error, 'invalid-argument')) throw error
    }
    await write(
      view ? view.end(`${decisionHint(pending.action)}.`) : `${printableJson({ type: 'notADecision', line, id })}\n`,
    )
  }
}

/** Shows an answer as it arrives; an error ends the turn, not the program. */
async function answer(
  { session, interrupts, write, view, onUsage }: ChatDesk,
  begin: (signal: AbortSignal) => EventStream<ChatResult>,
): Promise<void> {
  const show = async (text: string): Promise<void> => void (text && (await write(text)))
  const signal = interrupts.begin()
  try {
    const events = begin(signal)
    for await (const event of events) await show(view ? view.event(event) : `${printableJson(event)}\n`)
    const { terminationReason, cost } = await events.result
    const word = END_TEXTS[terminationReason]
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
    onUsage(session.usage)
  }
}
