import { functionModel } from '@x/testing'

const lines = ['Rain falls.', 'Rain taps the roof.', 'Rain taps the roof, and the house listens.']

/** Stands in for a model where there is no key: it plays the writer and the critic. */
export const simulated = functionModel(({ agent, messages }) => {
  const drafts = messages.filter(({ content }) => typeof content === 'string' && lines.includes(content)).length
  if (agent === 'writer') return lines[drafts] ?? ''
  return drafts < lines.length ? 'Say what it does.' : 'TERMINATE'
})
