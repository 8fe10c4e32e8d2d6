import { PassThrough } from 'node:stream'
import type { Tool } from '@x/interfaces'
import { expect, it } from 'vitest'
import { mcpServer, type McpServerOptions } from '../server.ts'

const lines = (...messages: readonly object[]): string =>
  messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join('')

const BEGIN = lines({
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
})

/** Serves a client that has written a text, and still reads; resolves when the server has ended. */
async function serve(
  text: string,
  options: Partial<McpServerOptions>,
  end: (input: PassThrough) => void,
): Promise<void> {
  const [input, output] = [new PassThrough(), new PassThrough()]
  await using server = mcpServer({ name: 'ours', ...options })
  const served = server.stdio({ input, output })
  input.write(text)
  output.once('data', () => setImmediate(end, input))
  await served
}

it('does not begin a call that its client has cancelled', async () => {
  const begun: unknown[] = []
  const refund: Tool = {
    name: 'refund',
    description: 'Gives money back.',
    parameters: { type: 'object' },
    execute: ({ order }, { signal }) => (begun.push([order, signal?.aborted]), 'done'),
  }
  const call = (id: number): object => ({
    id,
    method: 'tools/call',
    params: { name: 'refund', arguments: { order: id } },
  })
  const cancel = { method: 'notifications/cancelled', params: { requestId: 1 } }
  await serve(BEGIN + lines(call(1), cancel, call(2)), { tools: [refund] }, (input) => input.end())
  expect(begun).toEqual([[2, false]])
})

it('ends behind a message that is too long', async () => {
  const errors: unknown[] = []
  const options = { maxRequestBytes: 1024, onError: (error: unknown) => void errors.push(error) }
  await serve(BEGIN, options, (input) => input.write('x'.repeat(2000)))
  expect(errors).toEqual([new Error('ReadBuffer exceeded maximum size of 1024 bytes')])
})
