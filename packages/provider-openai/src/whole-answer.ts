import { modelFailure, parsedJson } from '@x/provider-kit'
import type { WireChunk, WireDelta } from './fold-stream.ts'
import { raiseFrame } from './raise-error.ts'
import type { WireUsage } from './raise-usage.ts'

/** What endpoints answer, as far as it is read; every field may be missing or of another type. */
interface WireAnswer {
  id?: string | null
  model?: string | null
  created?: number | null
  choices?: (WireChoice | null)[] | null
  usage?: WireUsage | null
}

interface WireChoice {
  index?: number | null
  message?: WireDelta | null
  /** Of the older endpoint for prompts. */
  text?: string | null
  finish_reason?: string | null
}

/**
 * Reads the body of a whole answer as the one chunk of a stream, so that complete and streamed answers are made in one
 * place. An error in a body that came as a success is a failure.
 */
export function wholeAnswer(body: string, secrets: ReadonlySet<string>): WireChunk {
  const wire = parsedJson(body)
  if (typeof wire !== 'object' || wire === null) throw modelFailure('server', 'the answer is no JSON object')
  const failure = raiseFrame(wire, secrets)
  if (failure) throw failure
  const { choices, ...facts } = wire as WireAnswer
  const whole = (choices ?? []).filter((choice) => choice !== null)
  if (whole.length === 0) throw modelFailure('server', 'the answer has no choices')
  return { ...facts, choices: whole.map(asPiece) }
}

function asPiece({ index, message, text, finish_reason: reason }: WireChoice, place: number): object {
  const finish = reason || (message?.tool_calls?.length ? 'tool_calls' : 'stop')
  return { index: index ?? place, delta: message, text, finish_reason: finish }
}
