import type { CodeExecutor } from '@x/interfaces'
import type { Lines } from './chat-lines.ts'
import type { ChatView } from './chat-view.ts'
import { printableJson } from './printable-json.ts'

/** Chooses which changes of code come back to a folder. */
export type ChooseChanges = NonNullable<NonNullable<Parameters<CodeExecutor['executeCodeBlocks']>[1]>['chooseChanges']>

/** Where a person is asked about changes. */
export interface ChangesDesk {
  readonly lines: Pick<Lines, 'ask'>
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
      const line = await lines.ask('Bring back? ', stop)
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
