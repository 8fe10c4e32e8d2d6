import { createHost } from '@x/host'
import { openBackend } from './backends.ts'
import { clerkChat } from './clerk.ts'

/**
 * A worker of a bench, `<url> <model ms> <tool ms> <chats at once>`, until it is ended by SIGTERM. Each message to it is
 * answered by the bytes that it needs, where it may collect its garbage.
 */
const [url = '', model, tool, concurrency] = process.argv.slice(2)
const at = openBackend(url)
const host = createHost({ chats: [clerkChat({ model: Number(model), tool: Number(tool) })], at })
const work = host.work({ concurrency: Number(concurrency) })
process.on('message', () => {
  globalThis.gc?.()
  process.send?.(process.memoryUsage().heapUsed)
})
process.send?.('ready')
await work
await host.close()
