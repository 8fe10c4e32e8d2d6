import type { ChatStore, HostBackend, HostedChat, TraceContext } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions } from '@x/kernel/options'
import { checkWhole } from './chat-errors.ts'
import type { DefinedChat, SubmitOptions } from './defined-chat.ts'
import { checkId, HOST_OPTION_KINDS, isDefinedChat, isName } from './host-options.ts'
import { isSameJson, plainJson } from './plain-json.ts'
import { digestOf } from './platform.ts'
import { traceEntries } from './run/turn-events.ts'

const ATTEMPT = 'submit a chat'

/** The submission of a chat, once its input and options are checked. */
type Submission = Parameters<ChatStore['submit']>[0]

/** Values of the options that are left out. */
interface SubmissionDefaults extends Omit<SubmitOptions, 'id' | 'trace'> {
  readonly id: string
  readonly trace: TraceContext | undefined
}

/** Returns the identifier of the chat that a program submits at a place of its run; a digest stands for one that is too long. */
export function submittedId(parent: string, place: string): string {
  const id = `${parent}/chat-${place}`
  return isName(id) ? id : `chat-${digestOf(id)}`
}

/** Makes the submission of a chat; refuses a wrong input or option. */
export async function submissionOf<I>(
  definition: DefinedChat<I>,
  input: I,
  options: SubmitOptions,
  defaults: SubmissionDefaults,
): Promise<Submission> {
  if (!isDefinedChat(definition)) {
    throw new XError(
      'invalid-argument',
      `cannot ${ATTEMPT}: its program is not a chat made by \`defineChat\`; give one`,
    )
  }
  checkOptions(options, HOST_OPTION_KINDS.submit, ATTEMPT)
  const given = { ...defaults }
  for (const [key, value] of Object.entries(options)) if (value !== undefined) Object.assign(given, { [key]: value })
  const { name, version } = definition
  const id = checkId(given.id, ATTEMPT)
  const at = given.at instanceof Date ? given.at.getTime() : given.at
  await definition.check(input)
  const json = plainJson(input, ATTEMPT, 'its input')
  const { tenant, priority } = given
  const tags = given.tags && [...new Set(given.tags)]
  return { id, name, version, input: json, at, tags, tenant, priority, entries: await traceEntries(given.trace) }
}

/** Submits a chat, or finds the one that has its identifier, program, input and tenant; enqueues it if it waits. */
export async function submitOnce(
  { store, queue }: HostBackend,
  submission: Submission,
  attempt: string = ATTEMPT,
): Promise<HostedChat> {
  const { id, name, input, tenant } = submission
  const { chat, isNew } = await store.submit(submission)
  checkWhole(chat)
  // Who submits for one tenant, or for none, must not be handed the chat, and so the value, of another.
  const isForeign = (tenant ?? null) !== chat.tenant
  if (!isNew && (isForeign || chat.name !== name || !isSameJson(chat.input, input))) {
    const difference = isForeign ? 'tenant' : chat.name === name ? 'input' : 'program'
    const problem = `cannot ${attempt}: \`${id}\` exists with another ${difference}; give another \`id\``
    throw new XError('invalid-state', problem, { details: { id } })
  }
  // Also for a chat that exists: the process that submitted it may have died before it enqueued the chat.
  if (chat.state === 'waiting') await queue.add(chat)
  return chat
}
