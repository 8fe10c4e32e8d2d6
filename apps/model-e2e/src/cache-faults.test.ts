import type { CacheStore, ModelRequest, ModelResponse, XEvent } from '@x/interfaces'
import { createMemoryCache, createTieredCache, ModelWrapper } from '@x/model'
import { cacheUserContract, scriptedProvider, type CacheUser } from '@x/testing'
import { describe, expect, test } from 'vitest'

const asks: Record<string, (model: ModelWrapper, request: ModelRequest) => Promise<ModelResponse>> = {
  create: async (model, request) => await model.create(request),
  createSync: async (model, request) => model.createSync(request),
  createStream: async (model, request) => await model.createStream(request).result,
}

const caches: Record<string, (store: CacheStore) => CacheStore> = {
  'a store': (store) => store,
  'memory over a store': (store) => createTieredCache(createMemoryCache({ maxEntryBytes: 1 }), store),
  'a store over memory': (store) => createTieredCache(store, createMemoryCache({ maxEntryBytes: 1 })),
}

for (const [operation, ask] of Object.entries(asks)) {
  for (const [what, cacheOf] of Object.entries(caches)) {
    const create = (store: CacheStore): CacheUser => {
      const warnings: string[] = []
      const send = (event: XEvent): void => {
        if (event.type === 'warning') warnings.push(event.text)
      }
      const model = new ModelWrapper({
        providers: [scriptedProvider(['fresh'], { repeatLast: true })],
        configList: [{ model: 'm', apiType: 'scripted' }],
        cache: cacheOf(store),
        cacheTimeout: 0.05,
        cacheWait: 0.05,
        io: { send, input: () => '' },
      })
      return {
        warnings: () => warnings,
        async ask(content) {
          const { choices, cached } = await ask(model, { messages: [{ role: 'user', content }] })
          return { content: choices[0]!.message.content, cached: cached }
        },
      }
    }
    cacheUserContract(
      { describe, test, expect },
      { name: `${operation} with ${what}`, create, blocking: operation === 'createSync' },
    )
  }
}
