import { functionModel } from '@x/testing'

/** Stands for a model: it says all that it was shown, so that what one user reads of another would be seen. */
export const model = functionModel(({ messages }) => {
  const shown = messages.flatMap(({ role, content }) => (role === 'user' ? [content as string] : []))
  return `I was shown: ${shown.join(' / ')}`
})
