import { startWireServer, type WireServer } from '@x/testing/wire'
import { parentPort } from 'node:worker_threads'
import { adapters } from './adapters.ts'

// Fake servers in a thread of their own, so that a blocking call can reach them.
const servers: [string, WireServer][] = []
for (const { name, format } of adapters) {
  servers.push([name, await startWireServer(format, { steps: [{ reply: { text: 'Hello' } }, { status: 429 }] })])
}
parentPort!.postMessage(Object.fromEntries(servers.map(([name, { url }]) => [name, url])))
