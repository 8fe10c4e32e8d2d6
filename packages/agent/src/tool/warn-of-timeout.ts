import type { Tool } from '@x/interfaces'
import { kind } from '@x/kernel/options'
import { warn, type State } from '../memory/state.ts'

/** Warns of a time-out that was probably meant in milliseconds. */
export function warnOfTimeout(state: State, { name, timeout }: Tool): void {
  const text =
    timeout === undefined ? undefined : kind.timeout.warning(`the \`timeout\` of the tool \`${name}\``, timeout)
  if (text !== undefined) warn(state, text)
}
