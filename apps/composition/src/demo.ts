import { AssistantAgent, consoleIo, tool, UserProxyAgent } from '@x/agent'
import { createCodeExecutor } from '@x/exec'
import type { ConfigEntry, Io, RunTracer } from '@x/interfaces'
import { llmConfig } from '@x/model'
import { openai } from '@x/provider-openai'
import { z } from 'zod'
import { SIMULATED, startSimulation } from './simulated-server.ts'
import { createCallLog, drawUsage, foldCalls } from './usage-table.ts'

/** Options of the demo. */
export interface DemoOptions {
  /** Root URL of an OpenAI-compatible server. */
  readonly baseUrl?: string | undefined
  /** Key of the server; OpenAI is asked when there is a key and no URL. */
  readonly apiKey?: string | undefined
  /** Model to ask on a real server. */
  readonly model: string
  /** Where the lines go. */
  readonly write: (text: string) => void
  /** Where the messages go; default: the console. */
  readonly io?: Io | undefined
  /** Records the chat; default: it is not recorded. */
  readonly tracer?: RunTracer | undefined
}

/** Nothing listens on this port (discard, RFC 863), so that the first config of a real run fails at once. */
const DEAD_SERVER_URL = 'http://127.0.0.1:9/v1'

const getWeather = tool({
  name: 'get_weather',
  description: 'The weather of a city today: the sky, the temperature in degrees Celsius, the wind in km/h.',
  parameters: z.object({ city: z.string().describe('Name of the city'), day: z.enum(['today']).default('today') }),
  execute: ({ city, day }) => ({ city, day, sky: 'light rain', celsius: 6, wind: 20 }),
})

/**
 * Runs one conversation: the first config fails and the second answers, the assistant calls a tool, the program that it
 * writes runs in a sandbox, the user ends it.
 */
export async function demo({ baseUrl, apiKey, model, write, io = consoleIo(), tracer }: DemoOptions): Promise<void> {
  if (baseUrl || apiKey) {
    write(`The model is ${model}, at ${baseUrl ?? 'OpenAI'}. The first config leads nowhere, to show the failover.\n\n`)
    return await converse(
      [
        { model, baseUrl: DEAD_SERVER_URL },
        { model, apiKey, baseUrl },
      ],
      { write, io, tracer },
    )
  }
  await using server = await startSimulation()
  write(
    'The model is simulated: a server inside this process plays it. Set OPENAI_API_KEY or --base-url for a real one.\n\n',
  )
  const prices: ConfigEntry = { baseUrl: server.url, price: [0.00025, 0.002] }
  await converse(
    [
      { ...prices, model: SIMULATED.down },
      { ...prices, model: SIMULATED.up },
    ],
    { write, io, tracer },
  )
}

async function converse(
  configList: readonly ConfigEntry[],
  { write, io, tracer }: Pick<DemoOptions, 'write' | 'tracer'> & { readonly io: Io },
): Promise<void> {
  const logger = createCallLog()
  await using executor = createCodeExecutor('auto', { timeout: 20 })
  const llm = llmConfig({ providers: [openai], configList, cacheSeed: null, timeout: 60 })
  const assistant = new AssistantAgent({ name: 'assistant', llmConfig: llm, io, logger })
  const user = new UserProxyAgent({
    name: 'user',
    humanInputMode: 'NEVER',
    codeExecutionConfig: { executor },
    isTerminationMsg: ({ content }) => typeof content === 'string' && content.trimEnd().endsWith('TERMINATE'),
    io,
  })
  assistant.registerForLlm(getWeather)
  user.registerForExecution(getWeather)

  const message =
    'What should I wear in Oslo today? Ask for the weather, compute the wind chill with a JavaScript program that prints ' +
    'it (one fenced block, I run it and send you the output), then answer in one sentence and write TERMINATE.'
  const chat = await user.initiateChat(assistant, { message, maxTurns: 6, tracer })

  const rows = foldCalls(logger.records)
  const failed = rows.reduce((sum, row) => sum + row.failed, 0)
  write(
    `\nThe chat ended by: ${chat.terminationReason}. Answer: ${typeof chat.summary === 'string' ? chat.summary.trim() : JSON.stringify(chat.summary)}\n`,
  )
  write(`The program of the model ran here: ${executor.isolation}.\n`)
  write(`${failed} of ${logger.records.length} calls failed over to the next config.\n\n`)
  write(`${drawUsage(rows)}\n`)
}
