/**
 * Measures the processor time of one long chat over HTTP, beside a hand-written loop on the bare SDK that sends the same
 * messages with the same growing history to the same server.
 *
 *   pnpm --filter @x/load bench:long [turns [rounds [sync]]]     default: 200 turns, 7 rounds
 */
import { AssistantAgent, UserProxyAgent } from '@x/agent'
import { llmConfig } from '@x/model'
import { openai } from '@x/provider-openai'
import { once } from 'node:events'
import { loadavg } from 'node:os'
import { Worker } from 'node:worker_threads'
import { OpenAI } from 'openai'

const turns = Number(process.argv[2] ?? 200)
const rounds = Number(process.argv[3] ?? 7)
const MAX_RATIO = 0.6
const [MODEL, KEY, SYSTEM, MESSAGE] = ['gpt-4o-mini', 'key-for-the-bench', 'You tell a story.', 'Go on, please.']

const server = new Worker(new URL('long-chat-server.ts', import.meta.url))
const [baseUrl] = (await once(server, 'message')) as [string]

const sdk = new OpenAI({ apiKey: KEY, baseURL: baseUrl })
const llm = llmConfig({
  providers: [openai],
  cacheSeed: null,
  configList: [{ model: MODEL, apiKey: KEY, baseUrl }],
})

async function loop(): Promise<number> {
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'system', content: SYSTEM }]
  for (let turn = 0; turn < turns; turn++) {
    messages.push({ role: 'user', content: MESSAGE, name: 'user' })
    const { choices } = await sdk.chat.completions.create({ model: MODEL, messages })
    messages.push({ role: 'assistant', content: choices[0]!.message.content, name: 'assistant' })
  }
  return messages.length - 1
}

const cast = (): [UserProxyAgent, AssistantAgent] => [
  new UserProxyAgent({
    name: 'user',
    humanInputMode: 'NEVER',
    defaultAutoReply: MESSAGE,
    maxConsecutiveAutoReply: turns,
  }),
  new AssistantAgent({ name: 'assistant', systemMessage: SYSTEM, llmConfig: llm, maxConsecutiveAutoReply: turns }),
]
const options = { message: MESSAGE, maxTurns: turns, silent: true }

async function agents(): Promise<number> {
  const [user, assistant] = cast()
  return (await user.initiateChat(assistant, options)).chatHistory.length
}

async function agentsSync(): Promise<number> {
  const [user, assistant] = cast()
  return user.initiateChatSync(assistant, options).chatHistory.length
}

const ways = { loop, agents, ...(process.argv[4] === 'sync' && { agentsSync }) }
const names = Object.keys(ways) as (keyof typeof ways)[]
const least = new Map<string, number>()
for (let round = -2; round < rounds; round++) {
  for (const name of names) {
    const before = process.threadCpuUsage()
    const messages = await ways[name]!()
    const { user, system } = process.threadCpuUsage(before)
    if (messages !== turns * 2) throw new Error(`\`${name}\` had ${messages} messages instead of ${turns * 2}`)
    if (round >= 0) least.set(name, Math.min(least.get(name) ?? Infinity, user + system))
  }
}
await server.terminate()

console.log(
  `a chat of ${turns} turns over HTTP, least of ${rounds} rounds; load of the machine: ${loadavg()[0]!.toFixed(1)}`,
)
for (const [name, cpu] of least)
  console.log(`${name.padEnd(12)} ${(cpu / 1000).toFixed(1).padStart(8)} ms of processor time`)
const ratio = least.get('agents')! / least.get('loop')!
console.log(`agents / loop: ${ratio.toFixed(2)}  limit ${MAX_RATIO}  ${ratio <= MAX_RATIO ? 'kept' : 'BROKEN'}`)
if (ratio > MAX_RATIO) process.exitCode = 1
