import { app } from '../../../examples/servers/express.ts'
import { serve, type } from '../transcript.ts'

const { port, close } = await serve(app)
const ask = async (user: string, message: string): Promise<void> =>
  await type(`curl -s --json '${JSON.stringify({ message })}' localhost:3000/chat/${user}`, { port })
await ask('ann', 'I am Ann.')
await ask('bob', 'I am Bob.')
await ask('ann', 'Who am I?')
close()
