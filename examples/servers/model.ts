import type { LlmConfig, MaybePromise } from '@x/interfaces'
import { functionModel, type ScriptedReply } from '@x/testing'

/** A request as the model got it. */
interface SeenRequest {
  /** What users said in it, oldest first. */
  readonly said: readonly string[]
  readonly signal: AbortSignal | undefined
}

/** All requests, and how they are answered: a test may answer otherwise. */
export const seen: { requests: SeenRequest[]; answer: (said: readonly string[]) => MaybePromise<ScriptedReply> } = {
  requests: [],
  answer: sayAll,
}

/** Says all that the model was shown, so that what one user reads of another would be seen. */
export function sayAll(said: readonly string[]): string {
  return `I was shown: ${said.join(' / ')}`
}

const saidIn = (messages: readonly { readonly role?: unknown; readonly content?: unknown }[]): string[] =>
  messages.flatMap(({ role, content }) => (role === 'user' ? [String(content)] : []))

const plain = functionModel(({ messages }) => seen.answer(saidIn(messages)))

/** Stands for a model. */
export const model: LlmConfig = {
  ...plain,
  createModel(options) {
    const made = plain.createModel(options)
    const createStream = made.createStream.bind(made)
    made.createStream = (request, options = {}) => {
      seen.requests.push({ said: saidIn(request.messages), signal: options.signal ?? options.run?.signal })
      return createStream(request, options)
    }
    return made
  },
}
