import { simulatedModel } from '@x/testing'

/** Stands in for a model where there is no key. */
export const simulated = simulatedModel({
  calls: [{ when: /weather in (\w+)/i, name: 'weather', arguments: ([, city]) => ({ city }) }],
  about: 'I know the weather only: ask me "What is the weather in Oslo?"',
})
