import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { POST } from '../../../examples/servers/ag-ui.ts'
import { serve, type } from '../transcript.ts'

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { body } = await POST(new Request('http://localhost/ag-ui', { method: 'POST', body: await text(request) }))
  Readable.fromWeb(body!).pipe(response)
}

const { port, close } = await serve((request, response) => void answer(request, response))
const messages = [{ id: 'm1', role: 'user', content: 'Hello' }]
const input = { threadId: 't1', runId: 'r1', messages, tools: [], context: [] }
await type(`curl -s --json '${JSON.stringify(input)}' localhost:3000/ag-ui`, {
  port,
  // Ids differ from run to run.
  shown: (text) => text.replaceAll(/"messageId":"[^"]+"/gu, '"messageId":"msg-1"'),
})
close()
