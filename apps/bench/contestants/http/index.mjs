// node:http with a keep-alive agent and JSON, nothing else.
import { Agent, request } from 'node:http'
import { bare } from '../../src/bare.ts'

export const info = {
  title: 'bare node:http + JSON',
  packages: [],
  imports: ['node:http'],
  hello: `import { request } from 'node:http';
request('http://localhost/v1/chat/completions', { method: 'POST' }, (r) => r.pipe(process.stdout)).end(JSON.stringify({ model: 'mock', messages: [{ role: 'user', content: 'hello' }] }));`,
  kinds: { call: 'hand', fallback: 'hand', cache: 'hand', tools: 'hand', chat: 'hand' },
}

export async function create({ baseURL, apiKey }) {
  const { hostname, port, pathname } = new URL(baseURL)
  const agent = new Agent({ keepAlive: true, maxSockets: 256 })
  const send = (body, onResponse, reject) => {
    const data = Buffer.from(body)
    const headers = {
      'content-type': 'application/json',
      authorization: `Bearer ${apiKey}`,
      'content-length': data.length,
    }
    const r = request(
      { agent, hostname, port, path: `${pathname}/chat/completions`, method: 'POST', headers },
      onResponse,
    )
    r.on('error', reject)
    r.end(data)
  }
  return bare({
    post: (body) =>
      new Promise((resolve, reject) => {
        send(
          body,
          (r) => {
            const parts = []
            r.on('data', (part) => parts.push(part))
            r.on('end', () =>
              resolve({
                status: r.statusCode,
                text: (parts.length === 1 ? parts[0] : Buffer.concat(parts)).toString(),
              }),
            )
            r.on('error', reject)
          },
          reject,
        )
      }),
    sse: (body, onBytes) =>
      new Promise((resolve, reject) => {
        send(
          body,
          (r) => {
            r.on('data', onBytes)
            r.on('end', resolve)
            r.on('error', reject)
          },
          reject,
        )
      }),
  })
}
