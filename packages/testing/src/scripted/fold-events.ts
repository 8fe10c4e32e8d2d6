import type { AnswerDetails, ChatMessage, FinishReason, ModelAnswer, ModelEvent, ToolCall } from '@x/interfaces'
import { XError } from '@x/kernel'

interface OpenChoice {
  text: string
  readonly calls: ToolCall[]
  reasoning: string
  details: AnswerDetails
  finish: FinishReason | undefined
}

/**
 * Combines the events of one stream into an answer, to check that it equals the complete answer. Fails with the kind
 * `truncated` when a choice has no `finish` event.
 */
export function foldEvents(events: Iterable<ModelEvent>): ModelAnswer {
  const answer: ModelAnswer = { id: '', model: '', created: 0, choices: [] }
  const open = new Map<number, OpenChoice>()
  const choiceAt = (index: number): OpenChoice => {
    const choice = open.get(index) ?? { text: '', calls: [], reasoning: '', details: {}, finish: undefined }
    open.set(index, choice)
    return choice
  }
  for (const event of events) addEvent(answer, choiceAt, event)
  const sorted = [...open].toSorted(([a], [b]) => a - b)
  if (sorted.length === 0 || sorted.some(([, { finish }]) => finish === undefined)) {
    throw new XError('model-failed', 'the stream ended before the model said that it had finished', {
      kind: 'truncated',
      details: { partial: sorted.map(([, { text }]) => text).join('') },
    })
  }
  answer.choices = sorted.map(([index, choice]) => ({
    index,
    message: messageOf(choice),
    finish_reason: choice.finish ?? null,
    ...(choice.reasoning !== '' && { reasoning: choice.reasoning }),
    ...choice.details,
  }))
  return answer
}

/** Adds one event to the answer or to one of its choices. */
function addEvent(answer: ModelAnswer, choiceAt: (index: number) => OpenChoice, event: ModelEvent): void {
  switch (event.type) {
    case 'start':
      answer.id = event.id
      answer.model = event.model
      break
    case 'usage':
      answer.usage = event.usage
      break
    case 'textDelta':
      choiceAt(event.index).text += event.text
      break
    case 'toolCallStart':
      choiceAt(event.index).calls[event.call] = {
        id: event.id ?? undefined,
        type: 'function',
        function: { name: event.name, arguments: '' },
      }
      break
    case 'toolCallDelta': {
      const call = choiceAt(event.index).calls[event.call]
      if (!call)
        throw new XError(
          'invalid-argument',
          `event \`${event.type}\` names call ${event.call}, which has not begun: send its \`toolCallStart\` first`,
        )
      call.function.arguments += event.arguments
      break
    }
    case 'finish':
      choiceAt(event.index).finish = event.reason
      break
    case 'reasoningDelta':
      choiceAt(event.index).reasoning += event.text
      break
    case 'textWasReasoning': {
      const choice = choiceAt(event.index)
      choice.reasoning += choice.text
      choice.text = ''
      break
    }
    case 'details': {
      const choice = choiceAt(event.index)
      choice.details = { ...choice.details, ...event.details }
      break
    }
    case 'toolCallEnd':
      break
  }
}

function messageOf({ text, calls }: OpenChoice): ChatMessage {
  if (calls.length === 0) return { role: 'assistant', content: text }
  return { role: 'assistant', content: text === '' ? null : text, tool_calls: calls }
}
