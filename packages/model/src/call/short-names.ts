import type { ChatMessage, ModelAnswer, ModelEvent } from '@x/interfaces'

/** Characters of a name or an identifier that a server chooses: they go into events, warnings, ledgers and journals. */
const MAX_NAME_LENGTH = 256

/** Characters of the identifier of a call: gateways put signatures of reasoning into it, which have to come back whole. */
const MAX_CALL_ID_LENGTH = 16_384

const isShort = (name: unknown, max = MAX_NAME_LENGTH): boolean => typeof name !== 'string' || name.length <= max

const short = <T>(name: T, max = MAX_NAME_LENGTH): T =>
  isShort(name, max) ? name : ((name as string).slice(0, max) as T)

/** Cuts the names and identifiers of an answer that are too long; any other answer is returned as it is. */
export function withShortNames(answer: ModelAnswer): ModelAnswer {
  const { id, model, choices } = answer
  const areShort = (choices ?? []).every(
    ({ finish_reason: reason, message }) => isShort(reason) && (message?.tool_calls ?? []).every(isShortCall),
  )
  if (isShort(id) && isShort(model) && areShort) return answer
  return {
    ...answer,
    id: short(id),
    model: short(model),
    choices: choices.map((choice) => ({
      ...choice,
      finish_reason: short(choice.finish_reason),
      message: withShortCalls(choice.message),
    })),
  }
}

type Call = NonNullable<ChatMessage['tool_calls']>[number]

const isShortCall = (call: Call): boolean => isShort(call?.id, MAX_CALL_ID_LENGTH) && isShort(call?.function?.name)

function withShortCalls(message: ChatMessage): ChatMessage {
  if ((message?.tool_calls ?? []).every(isShortCall)) return message
  const calls = message.tool_calls!.map((call) => ({
    ...call,
    ...(call.id !== undefined && { id: short(call.id, MAX_CALL_ID_LENGTH) }),
    function: { ...call.function, name: short(call.function?.name) },
  }))
  return { ...message, tool_calls: calls }
}

/** Cuts the names of an event of a stream that are too long. */
export function withShortName(event: ModelEvent): ModelEvent {
  if (event.type === 'start') {
    return isShort(event.id) && isShort(event.model)
      ? event
      : { ...event, id: short(event.id), model: short(event.model) }
  }
  if (event.type !== 'toolCallStart' || (isShort(event.id, MAX_CALL_ID_LENGTH) && isShort(event.name))) return event
  return { ...event, id: short(event.id, MAX_CALL_ID_LENGTH), name: short(event.name) }
}
