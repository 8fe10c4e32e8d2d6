import type { LlmConfig } from '@x/interfaces'
import { bestFirst, modelParts, ReasoningAgent, search } from '@x/reasoning'

import { assistant, calls, type Program, proxy, quiet, type World } from './records-world.fake.ts'

/** Programs that search. */
export const SEARCH_PROGRAMS: Readonly<Record<string, Program>> = {
  'a reasoning agent': {
    isParallel: true,
    faces: ['async', 'stream'],
    run(world, given) {
      const reasoner = new ReasoningAgent({
        name: 'reasoner',
        llmConfig: coins(world),
        silent: true,
        io: quiet,
        reasonConfig: {
          method: 'best_first',
          maxDepth: world.vary('depth', 2),
          verifier: (answer) => answer.endsWith(' = 20'),
        },
      })
      return world.chat(proxy('user'), reasoner, { message: world.vary('message', 'Pay 20.'), maxTurns: 1, ...given })
    },
  },
  'a forest of reasoning': {
    isParallel: true,
    faces: ['async', 'stream'],
    run(world, given) {
      const reasoner = new ReasoningAgent({
        name: 'reasoner',
        llmConfig: coins(world),
        silent: true,
        io: quiet,
        reasonConfig: { method: 'beam_search', forestSize: world.vary('trees', 2), maxDepth: 2, beamSize: 1 },
      })
      return world.chat(proxy('user'), reasoner, { message: world.vary('message', 'Pay 20.'), maxTurns: 1, ...given })
    },
  },
  'a search in a tool': {
    isParallel: true,
    faces: ['async', 'stream'],
    made: { question: 'tool', 'temperature of thinker': 'tool' },
    async run(world, given) {
      const pay = world.tool('pay', async ({ item }, { run }) => {
        const parts = { ...modelParts({ model: coins(world).createModel() }), method: bestFirst({ maxDepth: 2 }), run }
        const verifier = (answer: string): boolean => answer.endsWith(' = 20')
        return (await search(`${world.vary('question', 'Pay 20')} for ${String(item)}`, { ...parts, verifier })).answer
      })
      const cashier = assistant('cashier', world.says('cashier', calls('pay'), 'Paid.'))
      const { text, cost, toolCalls } = await cashier.run(world.vary('message', '20, please.'), {
        tools: pay,
        ...given,
      })
      return { text, cost, toolCalls }
    },
  },
}

function coins(world: World): LlmConfig {
  return world.model('thinker', ({ messages, agent }) => {
    if (agent === 'tot_thinker') return 'Option 1: take 16\nOption 2: take 10'
    if (agent === 'tot_grader') return 'Option 1: Rating: 6\nOption 2: Rating: 5'
    const [first, second] = [...JSON.stringify(messages.at(-1)).matchAll(/take (\d+)/gu)].map(([, coin]) =>
      Number(coin),
    )
    return `${first} + ${second} = ${Number(first) + Number(second)}`
  })
}
