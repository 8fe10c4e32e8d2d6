import { wait, type Steps } from '@x/kernel'
import type { ConfigCall } from './config-call.ts'

/** Sends a warning, the same one once. */
export function* sendWarning(
  { parts, emit }: Pick<ConfigCall, 'parts' | 'emit'>,
  topic: string,
  text: string,
): Steps<void, never> {
  if (!parts.memory.isNewWarning(`${topic}: ${text}`)) return
  const event = { type: 'warning', topic, text } as const
  yield* wait(emit ? emit(event) : parts.io.send(event), 'the listener of a warning')
}
