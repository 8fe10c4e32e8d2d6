import { AssistantAgent, tool } from '@x/agent'
import type { Io, RunContext } from '@x/interfaces'
import { mcp } from '@x/mcp'
import { mcpServer, type McpServerOptions } from '@x/mcp/server'
import { functionModel } from '@x/testing'
import { describe, expect, it } from 'vitest'

/** Types lines in answer to questions. */
function typist(...lines: string[]): Pick<Io, 'input'> & { readonly prompts: string[] } {
  const prompts: string[] = []
  return { prompts, input: (prompt) => (prompts.push(prompt), lines.shift() ?? '') }
}

/** The agents and tools of the example, which is in another package. */
const EXAMPLE = new URL('../../../examples/mcp-server.ts', import.meta.url).href
const { server: shop } = (await import(EXAMPLE)) as { readonly server: McpServerOptions }

const task = { task: 'Refund order 17.' }

/** An agent that asks its model, calls two tools that need approval at once, and answers. */
function twoSteps(models: string[], done: string[]): McpServerOptions {
  const llmConfig = functionModel(({ messages }) => {
    models.push(String(messages.length))
    const given = messages.filter(({ role }) => role === 'tool').map(({ content }) => content as string)
    if (given.length > 0) return `${given.join('; ')} TERMINATE`
    const call = (its: string) => ({ id: its, function: { name: 'send', arguments: JSON.stringify({ to: its }) } })
    return { tool_calls: [call('ann'), call('bob')] }
  })
  const send = tool({
    name: 'send',
    description: 'Sends.',
    parameters: { type: 'object', properties: { to: { type: 'string' } } },
    needsApproval: true,
    execute: ({ to }, { key }) => {
      done.push(`${String(to)} ${key.split('/').at(-1)}`)
      return `sent to ${String(to)}`
    },
  })
  return {
    name: 'post',
    key: 'one key of all the servers behind a balancer',
    agents: [
      {
        name: 'postman',
        description: 'Sends.',
        create: (io) => new AssistantAgent({ name: 'postman', llmConfig, io }).use(send),
      },
    ],
  }
}

describe('agents offered by MCP', () => {
  it('go on at another server with what waited at the client, and ask their model nothing twice', async () => {
    const [models, done]: [string[], string[]] = [[], []]
    await using one = mcpServer(twoSteps(models, done))
    await using two = mcpServer(twoSteps(models, done))
    let count = 0
    // Every request goes to the other server, as behind a balancer.
    const balanced = (async (input: string | URL, init?: RequestInit) =>
      await [one, two][count++ % 2]!.fetch(new Request(input, init))) as typeof fetch
    const io = typist('yes', 'yes', '', 'yes', 'no', 'not to Bob')
    await using its = await mcp({ name: 's', url: 'http://localhost/', fetch: balanced, elicitation: true, io })
    const { text } = await its.callTool('postman', { task: 'Send it.' })
    expect(text).toContain('sent to ann')
    expect(text).toContain('the user said: not to Bob')
    expect(done).toHaveLength(1)
    expect(models).toHaveLength(2)
  })

  it('tell of their progress', async () => {
    await using server = mcpServer(shop)
    const { url } = await server.listen()
    await using its = await mcp({ name: 's', url, elicitation: true })
    const messages: unknown[] = []
    const emit: RunContext['emit'] = (event) => void ('message' in event && messages.push(event.message))
    const [clerk] = its.tools({ allow: ['clerk'] })
    const io = typist('yes', 'yes', '')
    expect(await clerk!.execute(task, { run: undefined, key: 'k', emit, io })).toContain('order 17 was refunded')
    expect(io.prompts[0]).toContain('The agent is about to call refund({"order":"17"})')
    expect(messages).toContain('calls refund')
  })

  it('deny what nobody can be asked about, and the agent answers', async () => {
    await using server = mcpServer(shop)
    const { url } = await server.listen()
    await using its = await mcp({ name: 's', url })
    expect((await its.callTool('clerk', task)).text).toContain('nobody can be asked')
    expect(await its.callTool('clerk', {})).toMatchObject({ isError: true })
  })
})
