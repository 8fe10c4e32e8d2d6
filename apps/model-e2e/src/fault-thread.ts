import { parentPort } from 'node:worker_threads'
import { refuse, startFaultServer } from './fault-server.ts'

// The fault server in a thread of its own, so that a blocking call can reach it.
const server = await startFaultServer({
  broken: refuse(503, { message: 'out of order' }),
  locked: refuse(401, { message: 'bad key sk-canary-0123456789abcdef' }),
  hanging: () => {},
})
parentPort!.postMessage(server.baseUrl)
