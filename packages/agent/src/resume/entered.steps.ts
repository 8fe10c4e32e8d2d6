import type { Budget, ChatOptions, Journal, JournalEntry, Run } from '@x/interfaces'
import { face, wait, XError, type Steps } from '@x/kernel'
import { loadSettings, savedSettings, type SavedSettings } from './agent-state.ts'
import { chatBudget, type ChatBudget } from '../chat/chat-budget.ts'
import { takesPart } from './circle.ts'
import { plainJson } from './plain-json.ts'
import { loadConversation, savedConversation, type SavedConversation } from './saved-conversation.ts'
import { MOST_CHATS_DEEP } from '../limits.ts'
import { BEGINNING } from './saved-shapes.ts'
import { checkedShape } from './saved-state.ts'
import { innerScope, inScope, nextPlace, rootScope, scopeOf, type Scope } from './scope.ts'
import { conversationWith, type State } from '../state/state.ts'

type ChatWishes = Omit<ChatOptions, 'signal' | 'emit'>

/** What a chat is given for everything inside it. */
export interface ChatMeans {
  readonly budget?: Budget | undefined
  readonly journal?: Journal | undefined
}

/** Runs a chat in a scope of its own, inside that of the run if there is one. */
export function* inChat<T>({ budget, journal }: ChatMeans, steps: Steps<T>, place?: string): Steps<T> {
  const run = yield* face()
  const around = scopeOf(run)
  if (around && around.depth >= MOST_CHATS_DEEP) throw tooDeep(around)
  const shared = chatBudget(around?.budget ?? null, budget)
  const chatId = place ?? (around && nextPlace(around))
  // A journal of its own counts from the beginning, wherever the chat is.
  const outer = around && !journal ? around : ownScope(run, { journal, budget: shared })
  const key = outer === around ? chatId! : nextPlace(outer)
  const scope = innerScope(outer, { key, chatId: chatId ?? key, budget: shared, chat: { cache: null } })
  return yield* taken(journal, inScope(scope, steps))
}

const tooDeep = ({ agentPath }: Scope): XError =>
  new XError(
    'invalid-state',
    `${MOST_CHATS_DEEP} chats are inside each other, the innermost in a reply of \`${agentPath.at(-1) ?? ''}\`: a nested chat or a tool starts itself again; let its trigger leave out those it asks`,
    { details: { agentPath: agentPath.slice(-10) } },
  )

/** Runs steps while they have a journal for themselves. */
function* taken<T>(journal: Journal | undefined, steps: Steps<T>): Steps<T> {
  const leave = journal?.enter?.()
  try {
    return yield* steps
  } finally {
    leave?.()
  }
}

/** Runs several chats in one scope, inside that of the run if there is one. */
export function* inRun<T>({ budget, journal }: ChatMeans, steps: Steps<T>): Steps<T> {
  const run = yield* face()
  const around = scopeOf(run)
  if (around && !budget && !journal) return yield* steps
  const shared = chatBudget(around?.budget ?? null, budget)
  return yield* taken(journal, inScope(ownScope(run, { journal, budget: shared }), steps))
}

function ownScope(run: Run, { journal, budget }: { journal: Journal | undefined; budget: ChatBudget | null }): Scope {
  const around = scopeOf(run)
  const streams = around?.streams ?? run.face === 'stream'
  return rootScope({ journal: journal ?? null, budget, streams }, around)
}

/** How two agents stand when their chat begins, as a journal keeps it. */
interface Beginning {
  readonly options: unknown
  readonly agents: readonly SavedSettings[]
  readonly conversations: readonly SavedConversation[]
}

/** Keeps in the journal how the two sides of a chat stand when it begins, or makes them stand as they did. */
export function* entered(sides: readonly [State, State], wishes: ChatWishes): Steps<void> {
  const scope = scopeOf(yield* face())
  const key = scope && nextPlace(scope)
  const journal = scope?.journal
  if (!scope || key === undefined || !journal) return
  const what = `the beginning of a chat of ${sides.map(({ name }) => name).join(' with ')}`
  const options = plainOptions(wishes)
  const known = journal.recall(key)
  if (known) {
    checkedShape(known.value, BEGINNING, `the saved beginning of the chat at \`${key}\``)
    assertSame(known, what, options)
  }
  const conversations = sides.map((state, index) => conversationWith(state, sides[1 - index]!.agent))
  if (known) {
    const { agents, conversations: saved } = known.value as Beginning
    for (const [index, state] of sides.entries()) {
      const settings = agents.find(({ name }) => name === state.name)
      if (settings) loadSettings(state, settings)
      loadConversation(conversations[index]!, saved[index]!)
    }
  }
  const fresh = sides.filter((state) => isFresh(scope, state))
  if (!known) {
    const kept = conversations.map((each) =>
      savedConversation(wishes.clearHistory === false ? each : { ...each, messages: [] }),
    )
    const value: Beginning = { options, agents: fresh.map(savedSettings), conversations: kept }
    yield* wait(journal.keep({ key, what, value }), 'the journal of a chat')
  }
}

/** Whether an agent takes part for the first time; two of one name could not be told apart. */
function isFresh({ circle }: Scope, state: State): boolean {
  const fresh = circle ? takesPart(circle, state) : false
  if (fresh !== undefined) return fresh
  throw new XError(
    'invalid-argument',
    `two agents are named \`${state.name}\`, and a chat with a journal could not tell them apart: rename one`,
  )
}

/** The options that decide how a chat goes, as far as they are plain. */
function plainOptions({ message, maxTurns = null, clearHistory = true, carryover = [] }: ChatWishes): unknown {
  const given = typeof message === 'function' ? 'a function' : (message ?? null)
  return plainJson({ message: given, maxTurns, clearHistory, carryover }, 'the options of a chat')
}

function assertSame(known: JournalEntry, what: string, options: unknown): void {
  const [saved, given] = [(known.value as Beginning).options, options].map((each) => JSON.stringify(each))
  if (known.what === what && saved === given) return
  const [had, has] = known.what === what ? [saved, given] : [known.what, what]
  throw new XError(
    'invalid-state',
    `the chat does not go on as it was saved: it had ${had}, and now there is ${has}; start it with the same agents, message and options`,
    { details: { saved: had, given: has } },
  )
}
