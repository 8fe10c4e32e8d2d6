import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { benchCache } from './cache.ts'
import { benchCalls } from './calls.ts'
import { benchResponses } from './responses.ts'
import { benchSize } from './size.ts'

const only = process.argv[2]
const server = new Worker(new URL('answer-server.ts', import.meta.url))
const [port] = (await once(server, 'message')) as [number]
const baseUrl = `http://127.0.0.1:${port}/v1`
if (!only || only === 'calls') await benchCalls(baseUrl)
if (!only || only === 'responses') await benchResponses(baseUrl)
if (!only || only === 'cache') await benchCache()
if (!only || only === 'size') await benchSize()
await server.terminate()
