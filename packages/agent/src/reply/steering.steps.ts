import type { ChatMessage } from '@x/interfaces'
import { type Steps, wait, XError } from '@x/kernel'
import { appendMessage, type Conversation } from '../memory/state.ts'
import { type CallUnderWay, keepAnswer } from '../run/external-call.steps.ts'
import type { Scope } from '../run/scope.ts'

/** Name of the journal entry of the messages that a question to a model takes in, beside the answer of the model. */
export const STEERING_PART_NAME = 'steering'

/** A message for the run under way, as a journal keeps it. */
interface KeptMessage {
  readonly text: string
}

/**
 * Takes in the messages for the run since the last question to a model, and those an earlier run had taken in here.
 * They are kept before the model is asked, and added to the conversation: later questions have them at the same place.
 */
export function* takeSteering(
  open: CallUnderWay,
  scope: Scope,
  { agent, conversation }: { readonly agent: string; readonly conversation: Conversation | null },
): Steps<readonly ChatMessage[]> {
  const taken: KeptMessage[] = []
  let part = steeringPart(open, 0)
  for (let count = 1; part?.known; count++) {
    taken.push(...keptMessages(part.known.value, open.place))
    part = steeringPart(open, count)
  }
  const fresh: KeptMessage[] = []
  for (const source of (!open.known && scope.steering) || [])
    fresh.push(...(yield* wait(source.take(), 'what steers the run')))
  if (fresh.length > 0 && part) yield* keepAnswer(part, fresh)
  taken.push(...fresh)
  const messages: ChatMessage[] = []
  for (const { text } of taken) {
    const message: ChatMessage = Object.freeze({ content: text, role: 'user' })
    messages.push(message)
    if (conversation) appendMessage(conversation, message)
    // What an earlier process has answered it has told, too.
    if (!open.known || scope.isPast) yield { type: 'steeringMessage', agent, text }
  }
  return messages
}

const steeringPart = (open: CallUnderWay, count: number): ReturnType<CallUnderWay['part']> | undefined =>
  open.recorded ? open.part(count === 0 ? STEERING_PART_NAME : `${STEERING_PART_NAME} ${count}`) : undefined

/** Reads messages from a journal. */
function keptMessages(value: unknown, place: string): readonly KeptMessage[] {
  const isRight = Array.isArray(value) && value.every((each) => typeof (each as KeptMessage | null)?.text === 'string')
  if (isRight) return value as KeptMessage[]
  throw new XError('invalid-state', `the messages to the run that the journal has at \`${place}\` are damaged`, {
    details: { place },
  })
}
