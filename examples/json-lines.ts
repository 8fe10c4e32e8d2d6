import type { Io } from '@x/interfaces'

/** Writes every event as one line of JSON, and answers no question. */
export const jsonLines: Io = {
  send(event) {
    process.stdout.write(`${JSON.stringify(event)}\n`)
  },
  input() {
    throw new Error('nobody is here to answer')
  },
}

await jsonLines.send({
  type: 'warning',
  agent: null,
  runId: null,
  seq: 0,
  time: Date.now(),
  chatId: null,
  agentPath: null,
  parentId: null,
  topic: 'example',
  text: 'events are plain objects',
})
