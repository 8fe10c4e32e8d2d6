import { createHost } from '@x/host'
import { openBackend } from './backends.ts'
import { clerkChat } from './clerk.ts'

/**
 * A worker of a bench: `<url> <model ms> <tool ms> <chats at once>`. It ends at SIGTERM. It answers each message with the bytes
 * of its heap, after garbage collection if that is available.
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
