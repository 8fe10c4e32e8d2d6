// The global fetch of Node and JSON, nothing else.
import { bare } from '../../src/bare.ts'

export const info = {
  title: 'bare fetch + JSON',
  packages: [],
  imports: [],
  hello: `const r = await fetch('http://localhost/v1/chat/completions', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ model: 'mock', messages: [{ role: 'user', content: 'hello' }] }) });
console.log((await r.json()).choices[0].message.content);`,
  kinds: { call: 'hand', fallback: 'hand', cache: 'hand', tools: 'hand', chat: 'hand' },
}

export async function create({ baseURL, apiKey }) {
  const url = `${baseURL}/chat/completions`
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` }
  return bare({
    async post(body) {
      const r = await fetch(url, { method: 'POST', headers, body })
      return { status: r.status, text: await r.text() }
    },
    async sse(body, onBytes) {
      const r = await fetch(url, { method: 'POST', headers, body })
      for await (const bytes of r.body) onBytes(bytes)
    },
  })
}
