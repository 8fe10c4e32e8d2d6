import type { Agent, Budget, CacheStore, ChatMessage, Journal, Reply } from '@x/interfaces'
import { XError } from '@x/kernel'
import { type checkOptions, kind, type OptionKinds } from '@x/kernel/options'

type Kind<T> = OptionKinds<{ its: T }>['its']

/** An agent, of any make. */
export const AGENT_KIND: Kind<Agent> = { ...kind.object, expected: 'an agent' }

/** A list of messages. */
export const MESSAGES_KIND: Kind<readonly ChatMessage[]> = { ...kind.list, expected: 'a list of messages' }

/** A message: its text, or an object. */
export const REPLY_KIND: Kind<Reply> = { ...kind.either(kind.text, kind.object), expected: 'a text or a message' }

/** A budget, and not its limits. */
export const BUDGET_KIND: Kind<Budget> = kind.having(
  'a budget, such as `createBudget({ calls: 10 })` of `@x/model`',
  'reserve',
)

/** A cache, and not its options. */
export const CACHE_KIND: Kind<CacheStore> = kind.having(
  'a cache, such as `createMemoryCache()` of `@x/model`',
  'get',
  'set',
)

/** A journal. */
export const JOURNAL_KIND: Kind<Journal> = kind.having('a journal, such as `new ChatJournal()`', 'keep', 'recall')

/** Words of other frameworks for options, as `checkOptions` takes them. */
export type ForeignWords = Exclude<Parameters<typeof checkOptions>[3], string | undefined>

/** Refuses an option by the name that another framework has for it, and says what to write in its place. */
export function refuseForeignWords(options: unknown, words: ForeignWords, attempt: string): void {
  if (typeof options !== 'object' || options === null) return
  for (const [option, value] of Object.entries(options)) {
    if (value === undefined || !Object.hasOwn(words, option)) continue
    const remedy = words[option]!
    const text = typeof remedy === 'string' ? remedy : remedy(value, options)
    if (text === undefined) continue
    throw new XError('invalid-argument', `cannot ${attempt}: the option \`${option}\` is unknown; ${text}`, {
      details: { option },
    })
  }
}
