import { expect, test } from 'vitest'
import { google } from './google.ts'

const VERTEX = 'https://aiplatform.googleapis.com/v1/projects/p/locations/global/publishers/google'
const content = { role: 'user', parts: [{ text: 'Hi' }] }
const instruction = { parts: [{ text: 'Be short.' }] }

test.each([
  [
    undefined,
    'gemini-3.8-flash',
    'https://generativelanguage.googleapis.com/v1beta/models/gemini-3.8-flash:countTokens',
    {
      generateContentRequest: {
        model: 'models/gemini-3.8-flash',
        contents: [content],
        systemInstruction: instruction,
        generationConfig: { maxOutputTokens: 9 },
        safetySettings: [],
      },
    },
  ],
  [
    VERTEX,
    'gemini-3.8-flash',
    `${VERTEX}/models/gemini-3.8-flash:countTokens`,
    { contents: [content], systemInstruction: instruction, generationConfig: { maxOutputTokens: 9 } },
  ],
])('%s %s', async (baseUrl, model, url, body) => {
  const sent: { url: string; body: object }[] = []
  const fetch: typeof globalThis.fetch = async (asked, init) => {
    sent.push({ url: asked as string, body: JSON.parse(init?.body as string) as object })
    return Response.json({ totalTokens: 42, promptTokensDetails: [{ modality: 'TEXT', tokenCount: 42 }] })
  }
  const client = google.createClient({ model, apiKey: 'k', fetch, ...(baseUrl && { baseUrl }) })
  const messages = [
    { role: 'system' as const, content: 'Be short.' },
    { role: 'user' as const, content: 'Hi' },
  ]
  expect(await client.countTokens!({ messages, max_tokens: 9, safety_settings: [] }, {})).toBe(42)
  expect(sent).toEqual([{ url, body }])
})

test.each([
  ['ya29.token', { authorization: 'Bearer ya29.token' }],
  ['AIzaSyKey', { 'x-goog-api-key': 'AIzaSyKey' }],
  ['AQ.Key', { 'x-goog-api-key': 'AQ.Key' }],
])('Vertex gets `%s` as what it is', async (apiKey, header) => {
  let sent: Record<string, string> = {}
  const fetch: typeof globalThis.fetch = async (_, init) => {
    sent = init?.headers as Record<string, string>
    return Response.json({ totalTokens: 1 })
  }
  const client = google.createClient({ model: 'gemini-3.8-flash', baseUrl: VERTEX, apiKey, fetch })
  await client.countTokens!({ messages: [{ role: 'user', content: 'Hi' }] }, {})
  expect(sent).toMatchObject(header)
})
