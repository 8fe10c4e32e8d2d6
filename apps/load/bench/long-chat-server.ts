import { startFakeOpenAI } from '@x/testing'
import { parentPort } from 'node:worker_threads'

// The fake server runs in another thread, so that its time is not counted.
const server = await startFakeOpenAI({
  replies: () => ({ content: 'The model goes on with the story, one sentence at a time.' }),
})
parentPort!.postMessage(server.url)
