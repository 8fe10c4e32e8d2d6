import { once } from 'node:events'
import { seen } from '../../../examples/servers/model.ts'
import { server } from '../../../examples/servers/node-http.ts'
import { serve, type } from '../transcript.ts'

const { port, close } = await serve(server)
// The model begins, and would go on for ever.
seen.answer = () => ({ stream: [{ type: 'textDelta', index: 0, text: 'Once upon a time ' }, new Promise(() => {})] })
const command = `curl -s -m 3 --json '{"message":"Tell me a tale."}' localhost:3000/chat || echo '… gone'`
await type(command, { port })
const signal = seen.requests[0]!.signal!
if (!signal.aborted) await once(signal, 'abort')
console.log('the server has stopped the call of the model')
close()
