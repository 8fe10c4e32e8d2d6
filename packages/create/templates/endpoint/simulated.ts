import { functionModel } from '@x/testing'

/** Stands in for a model where there is no key. */
export const simulated = functionModel(({ messages }) => `You said: ${messages.at(-1)?.content}`)
