import { app } from '../../../examples/servers/use-chat-node.ts'
import { serve, type } from '../transcript.ts'

const { port, close } = await serve(app)
const message = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }
await type(`curl -s --json '${JSON.stringify({ messages: [message] })}' localhost:3000/chat`, { port })
close()
