import { expect, it } from 'vitest'
import { PostgresStore } from './postgres-store.ts'
import { postgres } from './postgres.ts'

const ROW = { id: 'a', name: 'clerk', version: '1', input: '"new"', state: 'waiting', ended: null, outcome: null }

it('submits a chat while another process deletes an old chat with the same identifier', async () => {
  const sent: string[] = []
  // The insert finds a chat, the read finds none, and the next insert adds one.
  const answers = [[], [], [ROW]]
  const client = {
    async rows(sql: string) {
      sent.push(/INSERT|SELECT/u.exec(sql)![0])
      return answers.shift()!
    },
  }
  const store = new PostgresStore(client as never, null as never, { notify() {} } as never)
  const { chat, isNew } = await store.submit({ id: 'a', name: 'clerk', version: '1', input: 'new' })
  expect([chat.input, isNew, sent]).toEqual(['new', true, ['INSERT', 'SELECT', 'INSERT']])
})

it.each(['postgres://me:a,b@one:5432,two:5433/chats', 'postgresql://one,two/chats', 'postgres:///chats?host=one,two'])(
  'refuses several hosts at once: %s',
  (url) => expect(() => postgres(url)).toThrow('its URL names several hosts'),
)

it('takes a password with a comma', async () => await postgres('postgres://me:a,b@one:5432/chats').close())
