import { startFakeOpenAI, type ChatRequest, type FakeOpenAI, type ServerReply } from '@x/testing'

/** Names of the two models of the simulation: the first is down, the second answers. */
export const SIMULATED = { down: 'simulated-large', up: 'simulated-small' } as const

/** Starts a server on loopback with two models: the first is overloaded, the second asks for the weather and reports it. */
export function startSimulation(): Promise<FakeOpenAI> {
  return startFakeOpenAI({
    models: { [SIMULATED.down]: { failure: '503' }, [SIMULATED.up]: answer },
  })
}

/** Answers of the model that is up: a call for the weather, then a program, and after its run the advice. */
function answer({ messages }: ChatRequest): ServerReply {
  const last = messages.at(-1)
  const said = typeof last?.['content'] === 'string' ? last['content'] : ''
  if (last?.['role'] === 'tool') {
    const { celsius, wind } = JSON.parse(said) as { celsius: number; wind: number }
    return { content: program(celsius, wind), usage: { prompt: 262, completion: 74, cached: 128 } }
  }
  const printed = /Code output: ([\d.-]+)/u.exec(said)?.[1]
  if (printed !== undefined) {
    return {
      content: `Oslo has light rain and feels like ${printed} degrees: take a raincoat and a warm layer. TERMINATE`,
      usage: { prompt: 371, completion: 26, cached: 256 },
    }
  }
  const weather = { name: 'get_weather', arguments: '{"city":"Oslo","day":"today"}' }
  return {
    content: null,
    tool_calls: [{ id: 'call_1', type: 'function', function: weather }],
    usage: { prompt: 214, completion: 21 },
  }
}

/** The wind chill by the formula of the Canadian and US weather services (2001). */
const program = (celsius: number, wind: number): string => `The rain is light; let me see what the wind makes of it.

\`\`\`javascript
const [celsius, wind] = [${celsius}, ${wind}]
const felt = 13.12 + 0.6215 * celsius - 11.37 * wind ** 0.16 + 0.3965 * celsius * wind ** 0.16
console.log(felt.toFixed(1))
\`\`\``
