import { createMemoryCache, llmConfig } from '@x/model'
import { openai } from '@x/provider-openai'

/** Stands for the endpoint: a vector counts the letters a, b and c. */
const fetch: typeof globalThis.fetch = async (_, init) => {
  const { input } = JSON.parse(init?.body as string) as { input: string[] }
  const data = input.map((text, index) => ({
    index,
    embedding: ['a', 'b', 'c'].map((letter) => text.split(letter).length - 1),
  }))
  return Response.json({ data, model: 'text-embedding-3-small', usage: { prompt_tokens: 9, total_tokens: 9 } })
}
const options = { apiKey: 'sk-of-the-example', fetch, cache: createMemoryCache() }

// #region program
const model = llmConfig(openai('text-embedding-3-small', options)).createModel()
const texts = ['a cab', 'a bad cab', 'fog']

const { embeddings, cost } = await model.embed({ input: texts })
// The cache has the three texts, and only the question is sent.
const { embeddings: asked, cachedCount } = await model.embed({ input: ['cab', ...texts] })
// #endregion

console.log(embeddings, asked.length, cachedCount, cost)
if (cachedCount !== 3 || asked.length !== 4) throw new Error('the cache did not have the texts')
