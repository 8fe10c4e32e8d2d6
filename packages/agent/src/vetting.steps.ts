import type { CodeBlock, Vet } from '@x/interfaces'
import { wait, type Steps } from '@x/kernel'
import { humanInput } from './human-input.steps.ts'
import type { State } from './state.ts'

/** Asks whether a call may be made; gives the reason why not, or nothing. */
export function* refusedCall(
  state: State,
  name: string,
  args: Record<string, unknown>,
  callId: string | null,
): Steps<string | undefined> {
  const what = { agent: state.name, name, arguments: args, callId }
  return yield* refused(state, state.beforeToolCall, what, `call ${name}(${JSON.stringify(args)})`)
}

/** Asks whether code may run; gives the reason why not, or nothing. */
export function* refusedCode(state: State, blocks: readonly CodeBlock[]): Steps<string | undefined> {
  const shown = blocks.map(({ language, code }) => `\n[${language}]\n${code}`).join('\n')
  return yield* refused(state, state.beforeCodeExecution, { agent: state.name, blocks }, `run this code:${shown}\n`)
}

function* refused<T>(state: State, vet: Vet<T> | null, what: T, action: string): Steps<string | undefined> {
  if (!vet) return undefined
  let verdict: unknown
  try {
    verdict = yield* wait(vet(what), vet.name || 'a vetting function')
  } catch (error) {
    // It fails closed: what could not be vetted does not happen.
    return `it could not be vetted: ${error instanceof Error ? error.message : 'the vetting function failed'}`
  }
  if (verdict === 'allow') return undefined
  if (verdict === 'ask') return yield* humanRefusal(state, action)
  const reason = (verdict as { deny?: unknown } | null | undefined)?.deny
  return typeof reason === 'string' ? reason : 'it was not allowed'
}

/** What a human says to it: yes lets it happen, anything else is the reason why not. */
function* humanRefusal(state: State, action: string): Steps<string | undefined> {
  const typed = (yield* humanInput(
    state,
    `${state.name} is about to ${action} Allow? (yes, or a reason why not): `,
  )).trim()
  if (/^y(?:es)?$/iu.test(typed)) return undefined
  return typed && !/^no?$/iu.test(typed) ? `the user said: ${typed}` : 'the user said no'
}
