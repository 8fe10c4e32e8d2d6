import type { Agent, Budget, CacheStore, ChatMessage, Journal, Reply } from '@x/interfaces'
import { type checkOptions, kind, type OptionKinds } from '@x/kernel/options'

type Kind<T> = OptionKinds<{ its: T }>['its']

/** An agent, of any make. */
export const AGENT_KIND: Kind<Agent> = { ...kind.object, expected: 'an agent' }

/** A list of messages. */
export const MESSAGES_KIND: Kind<readonly ChatMessage[]> = { ...kind.list, expected: 'a list of messages' }

/** A message: its text, or an object. */
export const REPLY_KIND: Kind<Reply> = { ...kind.either(kind.text, kind.object), expected: 'a text or a message' }

/** Context variables: entries of a map, or of the variables of a group, are no properties, and would all be missing. */
export const VARIABLES_KIND: Kind<Readonly<Record<string, unknown>>> = {
  expected: 'a plain object of variables',
  takes: (value) => kind.object.takes(value) && !(value instanceof Map) && !('~values' in value),
}

/** A budget, and not its limits. */
export const BUDGET_KIND: Kind<Budget> = {
  ...kind.having('a budget, such as `createBudget({ calls: 10 })` of `@x/model`', 'reserve'),
  remedy: (value) =>
    typeof value === 'number' ? `write \`budget: createBudget({ cost: ${value} })\` for US dollars` : undefined,
}

/** A cache, and not its options. */
export const CACHE_KIND: Kind<CacheStore> = kind.having(
  'a cache, such as `createMemoryCache()` of `@x/model`',
  'get',
  'set',
)

/** A journal, and not its saved state. */
export const JOURNAL_KIND: Kind<Journal> = {
  ...kind.having('a journal, such as `new ChatJournal()`', 'keep', 'recall'),
  remedy: (value) => {
    const saved = typeof value === 'string' ? 'JSON.parse(text)' : 'state'
    const isSaved = typeof value === 'string' || (typeof value === 'object' && value !== null && 'entries' in value)
    return isSaved ? `make a journal of the saved state, as in \`ChatJournal.load(${saved})\`` : undefined
  },
}

/** Words of other frameworks for options, as `checkOptions` takes them. */
export type ForeignWords = Exclude<Parameters<typeof checkOptions>[3], string | undefined>
