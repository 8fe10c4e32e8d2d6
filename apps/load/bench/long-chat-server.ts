import { startFakeOpenAI } from '@x/testing'
import { parentPort } from 'node:worker_threads'

// The fake server in a thread of its own: its work is not counted.
const server = await startFakeOpenAI({
  replies: () => ({ content: 'The model goes on with the story, one sentence at a time.' }),
})
parentPort!.postMessage(server.url)
