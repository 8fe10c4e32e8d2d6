import type { ChatStore, ErrorCode, HostBackend, HostedChat, PendingApproval } from '@x/interfaces'
import { isXError, type XError } from '@x/kernel'
import { throwIfAborted } from '@x/kernel/abort'
import { checkpointIn, damagedChat } from '@x/kernel/hosting'
import type { DefinedChat } from './defined-chat.ts'
import type { CheckOptions, NextStep } from './host-options.ts'
import { listChats } from './list-chats.ts'
import { Replay, type ReplayedChat, type ReplayEnd } from './replay.ts'
import { readMessages } from './run/messages.ts'
import { beginProgram, isOfAnotherProgram, messageOf, type ProgramInput } from './run/program-start.ts'
import { retryOf } from './run/retry.ts'
import { cannotWait } from './run/chat-run.ts'

/** Whether a chat can go on with a program. */
export interface CheckedChat extends Pick<HostedChat, 'id' | 'name' | 'version' | 'state'> {
  /** True if the chat can go on; otherwise it has a `problem`, or was `skipped`. */
  readonly goesOn: boolean
  /** The next step of a chat that goes on; null if it ends without a further call. */
  readonly next: NextStep | null
  /**
   * For a chat that goes on: answers in its journal that the program never asked for. 0 for the program that began the
   * chat. What has been done by them may be done again.
   */
  readonly unused: number
  /** Place of the checkpoint at which the check began, as a worker would; null if it began at the beginning of the chat. */
  readonly from: string | null
  /** Why the chat could not be checked; null if it was. */
  readonly skipped: string | null
  /** The error with which the program fails, or because of which it is put off; null for none. */
  readonly problem: { readonly code: ErrorCode | null; readonly message: string } | null
}

type Verdict = Pick<CheckedChat, 'goesOn' | 'next' | 'unused' | 'from' | 'skipped' | 'problem'>

/** States of chats that a program may go on with, in the usual order: a chat that moves on is found later rather than missed. */
const CHECKED_STATES: readonly HostedChat['state'][] = ['waiting', 'running', 'waiting-to-retry', 'suspended', 'failed']
const DEFAULT_TIMEOUT_S = 10

/** Checks which chats of a program's name can go on with it, one after the other. Reads the store, and changes nothing. */
export async function* checkChats(
  { store }: HostBackend,
  program: DefinedChat,
  options: CheckOptions,
): AsyncGenerator<CheckedChat> {
  throwIfAborted(options.signal)
  for await (const { id, name, version, state } of chatsToCheck(store, program.name)) {
    throwIfAborted(options.signal)
    const chat = await readChat(store, id, options)
    const verdict = 'chat' in chat ? await judge(store, program, chat, options) : chat
    yield { id, name, version, state: 'chat' in chat ? chat.chat.state : state, ...verdict }
  }
}

async function* chatsToCheck(store: ChatStore, name: string): AsyncGenerator<HostedChat> {
  const counts = (await store.counts()).filter((each) => each.name === name)
  for (const state of CHECKED_STATES) {
    const versions = new Set(counts.map(({ version }) => version))
    for (const version of versions) yield* listChats(store, { state, kind: { name, version } })
  }
}

/** A chat as it was read. */
interface StoredChat extends ReplayedChat {
  readonly chat: HostedChat
}

/** Reads a chat. The chat itself comes last, so that one that has ended meanwhile is noticed. */
async function readChat(store: ChatStore, id: string, { whole = false }: CheckOptions): Promise<StoredChat | Verdict> {
  try {
    const entries = await store.entries(id)
    const texts = await store.messages(id)
    const chat = await store.get(id)
    if (!chat) return skips('it was deleted meanwhile')
    if (chat.state === 'done' || chat.state === 'cancelled') return skips(`it is ${chat.state} meanwhile`)
    if (chat.damage !== null) throw damagedChat(id, chat.damage)
    const checkpoint = whole ? null : checkpointIn(entries)
    if (!checkpoint) return { chat, entries, messages: readMessages(id, texts) }
    const { index, messages } = checkpoint
    return { chat, entries: entries.slice(index), messages: readMessages(id, texts.slice(messages)) }
  } catch (error) {
    if (isXError(error, 'invalid-state')) return cannotGoOn(error)
    throw error
  }
}

async function judge(
  store: ChatStore,
  program: DefinedChat,
  stored: StoredChat,
  { signal, timeout = DEFAULT_TIMEOUT_S }: CheckOptions,
): Promise<Verdict> {
  const from = stored.entries[0]?.kind === 'checkpoint' ? stored.entries[0].place : null
  let given: ProgramInput
  let replay: Replay
  try {
    given = await beginProgram(program, stored.chat.input, stored.entries)
    replay = new Replay(store, program, stored)
  } catch (error) {
    return { ...cannotGoOn(error), from }
  }
  const end = await replay.run(given, { signal, timeout })
  const hung = skips(`its program made no call within ${timeout} seconds`)
  return { ...(end || replay.next ? verdictOn(program, replay, end) : hung), from }
}

const CANNOT: Verdict = { goesOn: false, next: null, unused: 0, from: null, skipped: null, problem: null }

const skips = (skipped: string): Verdict => ({ ...CANNOT, skipped })

const cannotGoOn = (error: unknown): Verdict => ({
  ...CANNOT,
  problem: { code: isXError(error) ? error.code : null, message: messageOf(error) },
})

/** Tells what the end of a replay means for its chat. */
function verdictOn(program: DefinedChat, replay: Replay, end: ReplayEnd | null): Verdict {
  const goesOnWith = (next: NextStep | null): Verdict => ({ ...CANNOT, goesOn: true, next, unused: replay.unused })
  if (!end || 'value' in end) return goesOnWith(end ? null : replay.next)
  const { error } = end
  // Blocking code is stopped by an error at the call that is held back.
  if (replay.next && isXError(error, 'aborted')) return goesOnWith(replay.next)
  if (isXError(error, 'suspended')) {
    return program.keeps === 'value' ? cannotGoOn(cannotWait(program, 'a decision')) : goesOnWith(decisionStep(error))
  }
  const isPassing = retryOf(error, { policy: program.retry, before: null, ranMs: 0, random: 0, reason: '' }) !== null
  if (!isOfAnotherProgram(error) && isPassing) {
    return skips(`its program fails in a way that passes: ${messageOf(error)}`)
  }
  return cannotGoOn(error)
}

/** Describes the decision that a suspended program waits for. */
function decisionStep({ message, details }: XError): NextStep {
  const pending = details?.['pending'] as PendingApproval | undefined
  const name = pending?.action.type === 'toolCall' ? pending.action.name : null
  return { kind: 'question', name, place: pending?.id ?? null, label: message.replace(/^the chat waits for /u, '') }
}
