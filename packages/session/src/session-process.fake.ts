import { appendFileSync } from 'node:fs'
import { tool } from '@x/agent'
import type { ChatResult, EventStream } from '@x/interfaces'
import { functionModel } from '@x/testing'
import { createSessionAgents } from './session-agents.ts'
import { ChatSession } from './chat-session.ts'

/**
 * A process that runs, or resumes, two turns with parallel tools and approvals: `<folder> <file> [<moment>]`. It prints its
 * messages at its end, and writes every effect of a tool as a line of the file. It kills itself at the moment of the given
 * number: every effect, before its answer is recorded, and every event is a moment.
 */
const [, , folder = '', effects = '', moment = 'Infinity'] = process.argv
let left = Number(moment)
const reach = (): void => {
  if (--left === 0) process.kill(process.pid, 'SIGKILL')
}
const parameters = { type: 'object', properties: { n: { type: 'number' } } } as const
const act = (verb: string, n: unknown): string => {
  appendFileSync(effects, `${verb} ${String(n)}\n`)
  reach()
  return `${verb} ${String(n)}`
}
const tools = [
  tool({
    name: 'look',
    description: 'Looks.',
    parameters,
    execute: async ({ n }) => await Promise.resolve(act('saw', n)),
  }),
  tool({ name: 'send', description: 'Sends.', parameters, needsApproval: true, execute: ({ n }) => act('sent', n) }),
]
const call = (name: string, n: number): { id: string; function: { name: string; arguments: string } } => ({
  id: `${name}${n}`,
  function: { name, arguments: JSON.stringify({ n }) },
})
const llmConfig = functionModel(({ messages }) => {
  const since = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1)
  const results = since.filter(({ role }) => role === 'tool').length
  if (results === 0) return { tool_calls: [call('look', 1), call('look', 2)] }
  if (results === 2) return { tool_calls: [call('send', 1), call('look', 3), call('send', 2)] }
  return `${results} of ${messages.length}`
})
const session = new ChatSession({ folder, agents: () => createSessionAgents({ llmConfig, systemMessage: '', tools }) })

async function readAll(events: EventStream<ChatResult>): Promise<void> {
  for await (const _ of events) reach()
}

async function finishTurn(): Promise<void> {
  while (session.unfinished !== null) {
    const [first] = session.pending
    if (first) await session.decide(first.id, { allow: true })
    await readAll(session.resume())
  }
}

await finishTurn()
for (const text of ['One', 'Two']) {
  if (session.messages.some(({ content }) => content === text)) continue
  await readAll(session.say(text))
  await finishTurn()
}
process.stdout.write(JSON.stringify(session.messages))
