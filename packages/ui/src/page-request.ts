import type { ApprovalDecision, ContentPart, EventOptions, PendingApproval, XEvent } from '@x/interfaces'
import { isXError, XError } from '@x/kernel'
import { kind, runOptionKinds, type OptionKinds } from '@x/kernel/options'
import { shapeEvent } from '@x/kernel/run'
import { isObject, type Json } from './json.ts'
import { digestOf, signingKinds, type UiSigning, verifierOf } from './signature.ts'

/** Options of `fromUiMessages` and `fromAgUi`. */
export interface UiRequestOptions extends UiSigning {
  /** Name of who decides by this page, for events and records; default: none. */
  readonly by?: string | undefined
  /** Most characters of the message, its files included. Default 1,000,000. */
  readonly maxLength?: number | undefined
  /** The option `events` of the run, if it has one: a page decides on an action as events have told it. Default: none. */
  readonly events?: EventOptions | undefined
}

/** The kinds of the options of a request. */
export const requestKinds: OptionKinds<UiRequestOptions> = {
  ...signingKinds,
  by: kind.text,
  maxLength: kind.limit(1),
  events: runOptionKinds.events,
}

/** A decision of a page, whose signature is that of the server. */
export interface UiDecision {
  /** The run that asked; of a hosted chat its identifier. */
  readonly runId: string
  readonly id: string
  readonly decision: ApprovalDecision
  /** Type and digest of the action that the page was asked about. */
  readonly action: string
}

/** A decision as a page sends it, with the signature that it claims. */
export interface ClaimedDecision {
  readonly approvalId: string
  readonly signature: string
  readonly decision: ApprovalDecision
}

/** The decisions of a page, as far as a server believes them. */
export interface PageDecisions {
  readonly decisions: readonly UiDecision[]
  /** Decides in the journal of a run, on what waits in it as the page was asked; returns the number of decisions. */
  readonly decideIn: (journal: DecidableJournal) => Promise<number>
  /** Decides in the chats of a host, on what still waits; returns the number of decisions. */
  readonly decideAt: (host: DecidableHost) => Promise<number>
}

/** A `ChatJournal`, as far as decisions need it. */
interface DecidableJournal {
  readonly runId: string | null
  readonly pending: readonly PendingApproval[]
  decide(id: string, decision: ApprovalDecision): Promise<void>
}

/** A host, as far as decisions need it. */
interface DecidableHost {
  /** Lists what waits in a chat, so that a page decides only on what it was asked about. */
  pending?(options: { readonly chat: string }): AsyncIterable<{ readonly pending: PendingApproval }>
  decide(id: string, pendingId: string, decision: ApprovalDecision): Promise<void>
}

/** Most parts of a message, and most decisions: each may have a signature to check. */
const MAX_PARTS = 10_000

/** Believes the decisions whose signature is that of the server. */
export async function pageDecisions(
  claims: Iterable<ClaimedDecision>,
  options: UiRequestOptions,
): Promise<PageDecisions> {
  const decisions: UiDecision[] = []
  const verify = verifierOf(options)
  const { by, events } = options
  if (verify) {
    for (const { approvalId, signature, decision } of claims) {
      // eslint-disable-next-line no-await-in-loop -- questions are few
      const action = await verify(approvalId, signature)
      if (!action) continue
      // Places in a run have no slash.
      const slash = approvalId.lastIndexOf('/')
      const [runId, id] = [approvalId.slice(0, slash), approvalId.slice(slash + 1)]
      decisions.push({ runId, id, action, decision: { ...decision, ...(by !== undefined && { by }) } })
    }
  }
  return {
    decisions,
    decideIn: async (journal) => await decideIn(journal, decisions, events),
    decideAt: async (host) => await decideAt(host, decisions, events),
  }
}

async function decideIn(
  journal: DecidableJournal,
  decisions: readonly UiDecision[],
  events: EventOptions | undefined,
): Promise<number> {
  let count = 0
  for (const { runId, id, action, decision } of decisions) {
    const pending = runId === journal.runId ? journal.pending.find((each) => each.id === id) : undefined
    // eslint-disable-next-line no-await-in-loop -- a journal has one writer
    if (!pending || (await toldDigest(pending, runId, events)) !== action) continue
    // eslint-disable-next-line no-await-in-loop -- a journal has one writer
    count += await countIfOpen(journal.decide(id, decision))
  }
  return count
}

/** Returns 1 once a decision is made; 0 if it was made before: a page sends it again with the next one, and another tab at once. */
async function countIfOpen(decided: Promise<void>): Promise<number> {
  try {
    await decided
    return 1
  } catch (error) {
    if (isXError(error, 'invalid-state')) return 0
    throw error
  }
}

/** Returns the digest of an action as events tell it: a cut journal may ask for another one at the same place. */
async function toldDigest(pending: PendingApproval, runId: string, events: EventOptions | undefined): Promise<string> {
  const event: XEvent = { ...pending, type: 'approvalRequested', runId, seq: 0, time: 0, parentId: null }
  const told = shapeEvent(event, events)
  return told?.type === 'approvalRequested' ? await digestOf(told.action) : ''
}

async function decideAt(
  host: DecidableHost,
  decisions: readonly UiDecision[],
  events: EventOptions | undefined,
): Promise<number> {
  const decide = async (asked: UiDecision): Promise<number> =>
    (await isPending(host, asked, events)) ? await countIfOpen(host.decide(asked.runId, asked.id, asked.decision)) : 0
  return (await Promise.all(decisions.map(decide))).reduce((sum, each) => sum + each, 0)
}

/** True if what waits is what the page was asked about: the identifier of a chat that was deleted may be that of another one. */
async function isPending(
  host: DecidableHost,
  { runId, id, action }: UiDecision,
  events: EventOptions | undefined,
): Promise<boolean> {
  if (!host.pending) return true
  for await (const { pending } of host.pending({ chat: runId }))
    if (pending.id === id) return (await toldDigest(pending, runId, events)) === action
  return false
}

/** Reads a list of objects that a page sends. */
export function objectsIn(list: unknown, what: string): Json[] {
  if (!Array.isArray(list)) throw refusal(`${what}, a list, is missing`)
  if (list.length > MAX_PARTS) throw refusal(`${what} has more than ${MAX_PARTS} entries`)
  return list.filter(isObject)
}

/** Reads the content of a message: texts, and files as the AI SDK writes them. */
export function contentOf(parts: readonly Json[], maxLength = 1_000_000): string | ContentPart[] {
  let length = 0
  const content = parts.flatMap((part): ContentPart[] => {
    const { type } = part
    const value = type === 'text' ? part['text'] : type === 'file' ? part['url'] : undefined
    // A page sends an empty text beside files.
    if (typeof value !== 'string' || value === '') return []
    length += value.length
    if (length > maxLength) throw refusal(`the message has more than ${maxLength} characters`)
    return [type === 'text' ? { type, text: value } : fileOf(value, part)]
  })
  if (content.every((part) => part.type === 'text' && part.text.trim() === ''))
    throw refusal('the message of the user has neither text nor files')
  const [first] = content
  return content.length === 1 && first?.type === 'text' ? first.text : content
}

function fileOf(url: string, { mediaType, filename }: Json): ContentPart {
  const type = typeof mediaType === 'string' ? mediaType : ''
  const isData = url.startsWith('data:')
  if (type.startsWith('image/') && (isData || url.startsWith('https://')))
    return { type: 'image_url', image_url: { url } }
  if (!isData) throw refusal('a file is sent as a `data:` URL, a picture also as an `https:` URL')
  const format = type === 'audio/wav' ? 'wav' : type === 'audio/mpeg' ? 'mp3' : null
  const comma = url.indexOf(',')
  if (format) return { type: 'input_audio', input_audio: { data: url.slice(comma + 1), format } }
  return { type: 'file', file: { file_data: url, ...(typeof filename === 'string' && { filename }) } }
}

/** Returns the reason of a denial, if there is one. */
export const reasonOf = (text: unknown): { reason?: string } => (typeof text === 'string' ? { reason: text } : {})

/** The error of a request that cannot be read. */
export const refusal = (what: string): XError =>
  new XError('invalid-argument', `the request of a page was refused: ${what}`)
