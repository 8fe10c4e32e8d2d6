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
  chatId: null,
  agentPath: null,
  topic: 'example',
  text: 'events are plain objects',
})
