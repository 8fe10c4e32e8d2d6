// DBOS: a workflow for each conversation, which receives its messages. It is on Postgres alone, and knows no models.
import { DBOS } from '@dbos-inc/dbos-sdk'
import { makeReply } from '../../src/contestant.ts'

export const info = {
  title: 'dbos',
  packages: ['@dbos-inc/dbos-sdk'],
  imports: ['@dbos-inc/dbos-sdk'],
  hello: `import { DBOS } from '@dbos-inc/dbos-sdk';
console.log(typeof DBOS.launch);`,
  kinds: {},
  notes: { talk: 'a workflow that stays in memory, with `recv`, a step that answers and `setEvent` for each message' },
}

/** The workflow of a conversation; it ends with its last message. */
const conversation = DBOS.registerWorkflow(
  async (messages) => {
    const history = []
    for (let n = 0; n < messages; n++) {
      history.push(await DBOS.recv('message', 600))
      history.push(await DBOS.runStep(async () => makeReply(), { name: 'model' }))
      await DBOS.setEvent(`answer ${n}`, history.at(-1))
    }
    return history.length
  },
  { name: 'conversation' },
)

async function talks(messages) {
  if (!DBOS.isInitialized()) {
    const systemDatabaseUrl = process.env.BENCH_POSTGRES
    DBOS.setConfig({ name: 'bench', systemDatabaseUrl, runAdminServer: false, logLevel: 'error' })
    await DBOS.launch()
  }
  const sent = new Map()
  return {
    async say(id, message) {
      const n = sent.get(id) ?? 0
      sent.set(id, n + 1)
      if (n === 0) await DBOS.startWorkflow(conversation, { workflowID: id })(messages)
      await DBOS.send(id, message, 'message')
      return await DBOS.getEvent(id, `answer ${n}`, 60)
    },
    close: async () => {},
  }
}

export const create = async () => ({ talks: process.env.BENCH_POSTGRES ? { postgres: talks } : {} })
