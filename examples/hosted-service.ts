import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { createCodeExecutor } from '@x/exec'

interface Sandbox {
  readonly executor: ReturnType<typeof createCodeExecutor>
  readonly files: Map<string, string>
  /** What runs, and how it is stopped. */
  running: { readonly stop: AbortController; readonly over: Promise<unknown> } | undefined
}

/** A stand-in for a service that runs code: it has sandboxes of WebAssembly, which know JavaScript only. */
export async function startService(token: string): Promise<{ url: string; close(): Promise<void> }> {
  const sandboxes = new Map<string, Sandbox>()
  const route = async (request: IncomingMessage, write: (line: object) => void): Promise<number | object> => {
    if (request.headers.authorization !== `Bearer ${token}`) return 401
    const [id = '', what, name = ''] = (request.url ?? '').split('/').slice(2).map(decodeURIComponent)
    const body = await text(request)
    if (request.method === 'POST' && id === '') {
      const made = randomUUID()
      const { memory } = JSON.parse(body) as { memory: number }
      const executor = createCodeExecutor('wasm', { limits: { memoryBytes: memory } })
      sandboxes.set(made, { executor, files: new Map(), running: undefined })
      return { id: made }
    }
    const sandbox = sandboxes.get(id)
    if (!sandbox) return 404
    switch (`${request.method} ${what ?? ''}`) {
      case 'PUT files':
        sandbox.files.set(name, body)
        return 204
      case 'GET files':
        return [...sandbox.files].map(([file, code]) => ({ name: file, size: Buffer.byteLength(code), kind: 'file' }))
      case 'POST run': {
        const { language, file } = JSON.parse(body) as { language: string; file: string }
        const stop = new AbortController()
        const work = sandbox.executor.executeCodeBlocks([{ language, code: sandbox.files.get(file) ?? '' }], {
          signal: stop.signal,
          emit: (event) => {
            if (event.type === 'codeOutput') write({ stream: event.stream, text: event.text })
          },
        })
        sandbox.running = { stop, over: work.catch(() => {}) }
        const { exitCode } = await work.catch(() => ({ exitCode: 137 }))
        write({ exitCode })
        return 200
      }
      case 'POST stop':
        sandbox.running?.stop.abort()
        await sandbox.running?.over
        return 204
      default:
        sandboxes.delete(id)
        await sandbox.executor.close()
        return 204
    }
  }
  const server = createServer((request, response) => {
    const write = (line: object): void => void response.write(`${JSON.stringify(line)}\n`)
    void route(request, write).then((answer) => {
      if (typeof answer === 'object') return response.end(JSON.stringify(answer))
      if (!response.headersSent) response.statusCode = answer
      return response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      for (const { executor } of sandboxes.values()) await executor.close()
    },
  }
}
