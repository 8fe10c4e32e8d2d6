import { describe, expect, it } from 'vitest'
import { AssistantAgent, tool } from '../../packages/agent/src/index.ts'
import { mcp } from '../../packages/mcp/src/index.ts'
import { mcpServer } from '../../packages/mcp/src/server.ts'
import { functionModel } from '../../packages/testing/src/index.ts'
import { ratioOf } from './growth.ts'

/** Bytes of the shorter argument, and of the longer one. */
const SHORT_BYTES = 25_000_000
const LONG_BYTES = 50_000_000

/** Most work for the longer argument, and attempts of which the best counts. */
const MAX_RATIO = 2.3
const ATTEMPTS = 3

/** Most bytes of a message or a request here. */
const MAX_BYTES = 2 ** 28

const LINE = 'a line of "words"\n'

const textOf = (bytes: number): string => LINE.repeat(bytes / LINE.length)

const save = tool({
  name: 'save',
  description: 'Saves a text.',
  parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  execute: ({ text }) => `${String(text).length} characters`,
})

describe('an argument of 50 MB takes time in proportion', { timeout: 300_000 }, () => {
  it('in a call of an agent', async () => {
    const call = async (text: string): Promise<void> => {
      const made = { id: 'c1', function: { name: 'save', arguments: JSON.stringify({ text }) } }
      const model = functionModel(({ messages }) =>
        messages.at(-1)?.role === 'tool' ? 'Done.' : { tool_calls: [made] },
      )
      const agent = new AssistantAgent({ name: 'a', llmConfig: model })
      const { text: said, toolCalls } = await agent.run('Save it.', { tools: save })
      expect([said, toolCalls.length]).toEqual(['Done.', 1])
    }
    expect(await ratioOf(call, [textOf(SHORT_BYTES), textOf(LONG_BYTES)], ATTEMPTS)).toBeLessThan(MAX_RATIO)
  })

  it('in a call of a server of MCP', async () => {
    await using server = mcpServer({ name: 'ours', tools: [save], maxRequestBytes: MAX_BYTES })
    const { url } = await server.listen()
    await using its = await mcp({ name: 's', url, maxMessageBytes: MAX_BYTES })
    const call = async (text: string): Promise<void> => {
      expect((await its.callTool('save', { text })).text).toBe(`${text.length} characters`)
    }
    expect(await ratioOf(call, [textOf(SHORT_BYTES), textOf(LONG_BYTES)], ATTEMPTS)).toBeLessThan(MAX_RATIO)
  })
})
