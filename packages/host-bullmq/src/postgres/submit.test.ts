import { expect, it } from 'vitest'
import { PostgresStore } from './postgres-store.ts'

const ROW = { id: 'a', name: 'clerk', version: '1', input: '"new"', state: 'waiting', ended: null, outcome: null }

it('submits a chat whose namesake another process forgets at the same moment', async () => {
  const sent: string[] = []
  // The insert finds a chat, which is gone when it is read; the next insert adds one.
  const answers = [[], [], [ROW]]
  const client = {
    async rows(sql: string) {
      sent.push(/INSERT|SELECT/u.exec(sql)![0])
      return answers.shift()!
    },
  }
  const store = new PostgresStore(client as never, null as never, { tell() {} } as never)
  const { chat, isNew } = await store.submit({ id: 'a', name: 'clerk', version: '1', input: 'new' })
  expect([chat.input, isNew, sent]).toEqual(['new', true, ['INSERT', 'SELECT', 'INSERT']])
})
