import { wait, type Steps } from '@x/kernel'
import type { ConfigCall } from './config-call.ts'

/** Sends a warning, the same one once. */
export function* sendWarning(
  { parts, reporter, agent }: Pick<ConfigCall, 'parts' | 'reporter' | 'agent'>,
  topic: string,
  text: string,
): Steps<void, never> {
  if (!parts.memory.isNewWarning(`${topic}: ${text}`)) return
  yield* wait(reporter.report({ type: 'warning', agent, topic, text }), 'the listener of a warning')
}
