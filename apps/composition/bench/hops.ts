/**
 * Counts the files and functions that one model answer and one tool call execute, by V8's precise coverage: a reader who
 * follows such a call meets them. `pnpm figures --counts` holds the files to what stands in `etc/figures.json`.
 *
 *   pnpm bench hops              counts by package
 *   pnpm bench hops -- --list    also every file with its functions
 *   pnpm bench hops -- --json    the counts of files alone
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Session } from 'node:inspector/promises'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { AssistantAgent, tool } from '@x/agent'
import { llmConfig } from '@x/model'
import { openai } from '@x/provider-openai'
import { z } from 'zod'

/** The functions that a file executed, by the file's path inside its package. */
type Files = Map<string, readonly string[]>

/** A call whose hops are counted, and whether its program has a tool. */
const WALKS: Readonly<Record<string, boolean>> = { 'one answer': false, 'one tool call': true }
/** Packages that hold the runtime of agents. */
const CORE_PACKAGES: readonly string[] = ['@x/agent', '@x/kernel']

const server = await startServer()
const { port } = server.address() as AddressInfo
const counts: Record<string, number> = {}
for (const [name, usesTool] of Object.entries(WALKS)) {
  const packages = await measure(() => runAgent(usesTool))
  counts[`files that ${name} executes`] = countFiles(packages, [...packages.keys()])
  counts[`files of agent and kernel that ${name} executes`] = countFiles(packages, CORE_PACKAGES)
  if (!process.argv.includes('--json')) report(name, packages)
}
if (process.argv.includes('--json')) console.log(JSON.stringify(counts))
server.close()
server.closeAllConnections()

/** The whole of a small program: configures a model, creates an agent and runs it once. */
async function runAgent(usesTool: boolean): Promise<void> {
  const llm = llmConfig({
    providers: [openai],
    configList: [{ model: 'gpt-4o', apiKey: 'sk-bench', baseUrl: `http://127.0.0.1:${port}/v1`, price: [0, 0] }],
    cacheSeed: null,
  })
  const agent = new AssistantAgent({ name: 'assistant', llmConfig: llm, silent: true })
  if (usesTool) {
    const weather = tool({
      name: 'weather',
      description: 'Tells the weather of a city.',
      parameters: z.object({ city: z.string() }),
      execute: ({ city }) => `sunny in ${city}`,
    })
    agent.use([weather])
  }
  const { text } = await agent.run('Hello?', { maxTurns: 3 })
  if (!text.startsWith('Sunny.')) throw new Error(`the agent answered ${JSON.stringify(text)}, not the server's text`)
}

/** Runs a program twice and returns the functions that the second run executed, by package and file. */
async function measure(program: () => Promise<void>): Promise<Map<string, Files>> {
  await program()
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await program()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  session.disconnect()
  const packages = new Map<string, Files>()
  for (const { url, functions } of result) {
    if (!url.startsWith('file:') || url === import.meta.url) continue
    const executed = functions.filter(({ ranges: [range] }) => range !== undefined && range.count > 0)
    // The function without a name at the start of a file is the file itself, as it is loaded.
    const names = executed
      .filter(({ functionName, ranges }) => functionName !== '' || ranges[0]!.startOffset > 0)
      .map(({ functionName }) => functionName || '(anonymous)')
    if (names.length === 0) continue
    const { name, path } = placeOf(url)
    packages.set(name, (packages.get(name) ?? new Map<string, readonly string[]>()).set(path, names))
  }
  return packages
}

/** The package of a module, and the path in it. */
function placeOf(url: string): { readonly name: string; readonly path: string } {
  const own = /\/packages\/(?<name>[^/]+)\/(?<path>.+)$/u.exec(url)
  if (own) return { name: `@x/${own.groups!['name']}`, path: own.groups!['path']! }
  const installed = /.*\/node_modules\/(?<name>(?:@[^/]+\/)?[^/]+)\/(?<path>.+)$/u.exec(url)
  return { name: installed?.groups?.['name'] ?? 'apps', path: installed?.groups?.['path'] ?? url }
}

function countFiles(packages: ReadonlyMap<string, Files>, names: readonly string[]): number {
  return names.reduce((sum, each) => sum + (packages.get(each)?.size ?? 0), 0)
}

/** Prints the counts of a walk, and its files if asked to. */
function report(name: string, packages: ReadonlyMap<string, Files>): void {
  const print = (what: string, names: readonly string[]): void => {
    const functions = names.flatMap((each) => [...(packages.get(each)?.values() ?? [])]).flat().length
    const files = String(countFiles(packages, names))
    console.log(`${what.padEnd(26)}${files.padStart(5)} files${String(functions).padStart(6)} functions`)
  }
  console.log(`\n${name}`)
  const all = [...packages.keys()].toSorted()
  for (const each of all) print(each, [each])
  print(CORE_PACKAGES.join(' and '), CORE_PACKAGES)
  print('all', all)
  if (!process.argv.includes('--list')) return
  for (const each of all)
    for (const [path, functions] of packages.get(each)!) console.log(`${each} ${path}: ${functions.join(' ')}`)
}

async function startServer(): Promise<Server> {
  const listening = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1')
  await once(listening, 'listening')
  return listening
}

/** Answers as OpenAI does: calls the tool of a request once, then says a text. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { tools, messages } = JSON.parse(await text(request)) as {
    readonly tools?: readonly unknown[]
    readonly messages: readonly { readonly role: string }[]
  }
  const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Paris"}' } }
  const message =
    tools && !messages.some(({ role }) => role === 'tool')
      ? { role: 'assistant', content: null, tool_calls: [call] }
      : { role: 'assistant', content: 'Sunny. TERMINATE' }
  const completion = {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'gpt-4o',
    choices: [{ index: 0, message, finish_reason: message.content === null ? 'tool_calls' : 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  }
  response.setHeader('content-type', 'application/json').end(JSON.stringify(completion))
}
