import { appendFileSync } from 'node:fs'
import { tool } from '@x/agent'
import type { ChatResult, EventStream } from '@x/interfaces'
import { functionModel } from '@x/testing'
import { createSessionAgents } from './session-agents.ts'
import { ChatSession } from './chat-session.ts'

/**
 * A process that has two turns with parallel tools and approvals, or goes on with them: `<folder> <file> [<moments>]`. It
 * prints its messages at its end; every effect of a tool is a line of the file. It kills itself at the moment of that
 * number: every effect, which nothing has kept yet, and every event is one.
 */
const [, , folder = '', effects = '', moments = 'Infinity'] = process.argv
let left = Number(moments)
const reach = (): void => {
  if (--left === 0) process.kill(process.pid, 'SIGKILL')
}
const parameters = { type: 'object', properties: { n: { type: 'number' } } } as const
const done = (what: string, n: unknown): string => {
  appendFileSync(effects, `${what} ${String(n)}\n`)
  reach()
  return `${what} ${String(n)}`
}
const tools = [
  tool({
    name: 'look',
    description: 'Looks.',
    parameters,
    execute: async ({ n }) => await Promise.resolve(done('saw', n)),
  }),
  tool({ name: 'send', description: 'Sends.', parameters, needsApproval: true, execute: ({ n }) => done('sent', n) }),
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

async function ended(events: EventStream<ChatResult>): Promise<void> {
  for await (const _ of events) reach()
}

async function settled(): Promise<void> {
  while (session.unfinished !== null) {
    const [first] = session.pending
    if (first) await session.decide(first.id, { allow: true })
    await ended(session.resume())
  }
}

await settled()
for (const text of ['One', 'Two']) {
  if (session.messages.some(({ content }) => content === text)) continue
  await ended(session.say(text))
  await settled()
}
process.stdout.write(JSON.stringify(session.messages))
