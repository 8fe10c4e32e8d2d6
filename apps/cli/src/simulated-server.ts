import { startFakeOpenAI, type ChatRequest, type FakeOpenAI, type ServerReply } from '@x/testing'

/** Names of the two models of the simulation: the first is down, the second answers. */
export const SIMULATED = { down: 'simulated-large', up: 'simulated-small' } as const

/** Starts a server on loopback whose first model is overloaded and whose second one asks for the weather and reports it. */
export function startSimulation(): Promise<FakeOpenAI> {
  return startFakeOpenAI({
    models: { [SIMULATED.down]: { failure: '503' }, [SIMULATED.up]: answer },
  })
}

/** What the model that is up says: a call for the weather, and once it is known, the advice. */
function answer({ messages }: ChatRequest): ServerReply {
  const last = messages.at(-1)
  if (last?.['role'] !== 'tool') {
    return {
      content: null,
      tool_calls: [
        {
          id: 'call_1',
          type: 'function',
          function: { name: 'get_weather', arguments: '{"city":"Oslo","day":"today"}' },
        },
      ],
      usage: { prompt: 184, completion: 21 },
    }
  }
  const { sky, celsius } = JSON.parse(String(last['content'])) as { sky: string; celsius: number }
  return {
    content: `Oslo has ${sky} and ${celsius} degrees today: take a raincoat and a warm layer. TERMINATE`,
    usage: { prompt: 227, completion: 24, cached: 128 },
  }
}
