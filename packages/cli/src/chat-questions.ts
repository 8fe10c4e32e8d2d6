import { printable } from '@x/agent'
import type { ActionToApprove, ApprovalDecision, CodeExecutor, Io } from '@x/interfaces'
import type { CommandRunner } from './chat-commands.ts'
import type { Lines } from './chat-lines.ts'
import type { ChatView } from './chat-view.ts'
import { printableJson } from './printable-json.ts'

/** Returns a hint for a person whose line is not a decision on a pending action. */
export const decisionHint = ({ type }: Pick<ActionToApprove, 'type'>): string =>
  type === 'question'
    ? 'a text answers it'
    : 'y allows it, n denies it, n and words deny it and say why, {…} allows it with other arguments'

/** Returns the prompt of a line about a pending action. */
export const decisionPrompt = ({ type }: Pick<ActionToApprove, 'type'>): string =>
  type === 'question' ? 'Your answer: ' : 'Allow? (y: yes, n: no, n …: no, and why, {…}: yes, with other arguments) '

/** A denial, alone or with a reason behind it: `no`, `no, it is too dear`. */
const DENIAL = /^no?(?:[\s,.:;]+([^\s,.:;].*))?$/isu

/**
 * Reads what a person typed about a pending action: the answer to a question, or a decision on a call or on code; null for any
 * text that is neither yes nor no.
 */
export function readDecision(line: string, { type }: Pick<ActionToApprove, 'type'>): ApprovalDecision | null {
  const typed = line.trim()
  if (type === 'question') return typed ? { allow: true, answer: typed } : null
  if (/^y(?:es)?$/iu.test(typed)) return { allow: true }
  const denial = DENIAL.exec(typed)
  if (denial) return { allow: false, ...(denial[1] !== undefined && { reason: denial[1] }) }
  if (!typed.startsWith('{')) return null
  try {
    return { allow: true, arguments: JSON.parse(typed) as Record<string, unknown> }
  } catch {
    return null
  }
}

/** Prompt of a line when it is the person's turn in a group. */
const YOUR_TURN = 'Your turn (an empty line: you stay silent): '

/** Options of the `io` by which the agents of a chat ask the person. */
export interface IoOptions {
  readonly lines: Pick<Lines, 'ask' | 'decide'>
  /** Fires when the program is to end. */
  readonly left: AbortController
  readonly command: CommandRunner
  /** Ends the line that is being written. */
  readonly endLine: () => Promise<void>
}

/** Creates the `io` of the agents: events come by the stream of a turn, questions are asked on a line. */
export function createChatIo({ lines, left, command, endLine }: IoOptions): Io {
  return {
    send() {},
    async input(prompt, { agent, signal } = {}) {
      const isTurn = agent === 'user'
      const stop = signal ? AbortSignal.any([left.signal, signal]) : left.signal
      for (;;) {
        await endLine()
        const line = isTurn ? await lines.ask(YOUR_TURN, stop) : await lines.decide(printable(prompt), stop)
        // Without a person the others go on.
        if (line === null) return ''
        const ran = await command(line)
        if (!ran) return line
        if (!ran.leave) continue
        left.abort()
        return 'exit'
      }
    },
  }
}

/** Chooses which changes of code come back to a folder. */
export type ChooseChanges = NonNullable<NonNullable<Parameters<CodeExecutor['executeCodeBlocks']>[1]>['chooseChanges']>

/** Where a person is asked about changes. */
export interface ChangesDesk {
  readonly lines: Pick<Lines, 'decide'>
  /** Fires when the program is to end. */
  readonly left: AbortSignal
  readonly write: (text: string) => Promise<void>
  /** How the chat is shown now; null: events as JSON, a line each. */
  readonly view: () => ChatView | null
}

const CHANGES_HINT = 'y brings all back, s those without a risk (!), n none; or give the names of those that come back'

const CHOICES = { y: 'all', yes: 'all', s: 'safe', safe: 'safe', n: 'none', no: 'none' } as const

/**
 * Returns a function that shows a person what code has changed in a copy of their folder, and asks what comes back. Without a
 * person, nothing does.
 */
export function changesByPerson({ lines, left, write, view }: ChangesDesk): ChooseChanges {
  return async ({ changes, diff }, { signal }) => {
    const stop = signal ? AbortSignal.any([left, signal]) : left
    const shown = view()
    await write(shown ? shown.changes(diff) : `${printableJson({ type: 'changesProposed', changes, diff })}\n`)
    const names = new Set(changes.map(({ name }) => name))
    for (;;) {
      const line = await lines.decide('Bring back? ', stop)
      if (line === null) return 'none'
      const word = line.trim()
      const choice = Object.hasOwn(CHOICES, word.toLowerCase()) ? word.toLowerCase() : null
      if (choice !== null) return CHOICES[choice as keyof typeof CHOICES]
      const named = names.has(word) ? [word] : word.split(/\s+/u)
      if (named.every((name) => names.has(name))) return named
      await write(shown ? shown.end(`${CHANGES_HINT}.`) : `${printableJson({ type: 'notAChoice', line })}\n`)
    }
  }
}
