// undici's request() on a pool and JSON, nothing else.
import { Pool } from 'undici'
import { bare } from '../../src/bare.ts'

export const info = {
  title: 'bare undici + JSON',
  packages: ['undici'],
  imports: ['undici'],
  hello: `import { request } from 'undici';
const r = await request('http://localhost/v1/chat/completions', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ model: 'mock', messages: [{ role: 'user', content: 'hello' }] }) });
console.log((await r.body.json()).choices[0].message.content);`,
  kinds: { call: 'hand', fallback: 'hand', cache: 'hand', tools: 'hand', chat: 'hand' },
}

export async function create({ baseURL, apiKey }) {
  const { origin, pathname } = new URL(baseURL)
  const pool = new Pool(origin, { connections: 256, keepAliveTimeout: 600_000 })
  const path = `${pathname}/chat/completions`
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` }
  return bare(
    {
      async post(body) {
        const r = await pool.request({ path, method: 'POST', headers, body })
        return { status: r.statusCode, text: await r.body.text() }
      },
      async sse(body, onBytes) {
        const r = await pool.request({ path, method: 'POST', headers, body })
        for await (const bytes of r.body) onBytes(bytes)
      },
    },
    { prefix: true },
  )
}
