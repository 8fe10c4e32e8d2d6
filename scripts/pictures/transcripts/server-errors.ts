import type { Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { seen } from '../../../examples/servers/model.ts'
import { server } from '../../../examples/servers/node-http.ts'
import { serve, type } from '../transcript.ts'

const { port, close } = await serve(server)
console.error = () => {} // The log of the server is another terminal.
const ask = async (options: string, body: object, then = ''): Promise<void> =>
  await type(`curl -s ${options}--json '${JSON.stringify(body)}' localhost:3000/chat${then}`, { port })
const status = `-w ' (%{http_code})' `
await ask(status, { messages: [] })
seen.answer = () => ({ error: new Error('out of order') })
await ask(status, { message: 'Hello' })
server.on('connection', (connection: Socket) => {
  seen.answer = () => ({ stream: [{ type: 'textDelta', index: 0, text: 'Once upon' }, failAfterWords(connection)] })
})
await ask('', { message: 'Tell me a tale.' }, ` || echo " … broken off"`)
close()

async function failAfterWords(connection: Socket): Promise<never> {
  while (connection.bytesWritten === 0) await setTimeout(5)
  throw new Error('out of order')
}
