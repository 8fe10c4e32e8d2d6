import type { ModelEvent, XEvent } from '@x/interfaces'

/** Joins two pieces of one text, of one reasoning or of the arguments of one call; undefined where they are something else. */
export function joinPieces(one: XEvent, other: XEvent): XEvent | undefined {
  if (one.type !== 'modelDelta' || other.type !== 'modelDelta') return undefined
  if (one.chatId !== other.chatId || one.agent !== other.agent || !samePath(one.agentPath, other.agentPath)) {
    return undefined
  }
  const event = joinDeltas(one.event, other.event)
  return event && { ...one, event }
}

function joinDeltas(a: ModelEvent, b: ModelEvent): ModelEvent | undefined {
  if ((a.type === 'textDelta' || a.type === 'reasoningDelta') && b.type === a.type && b.index === a.index) {
    return { ...a, text: a.text + b.text }
  }
  if (a.type === 'toolCallDelta' && b.type === a.type && b.index === a.index && b.call === a.call) {
    return { ...a, arguments: a.arguments + b.arguments }
  }
  return undefined
}

const samePath = (one: readonly string[] | null, other: readonly string[] | null): boolean =>
  one === other || (one?.length === other?.length && (one?.every((name, at) => name === other?.[at]) ?? false))
