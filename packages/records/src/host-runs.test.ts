import type { HostBackend, HostedChat, XEvent } from '@x/interfaces'
import { expect, it } from 'vitest'
import { hostRuns } from './index.ts'

/** A host with chats that were submitted, have ended and told an event at times. */
function hostOf(
  chats: Readonly<Record<string, { submitted: number; ended: number | null; told: number }>>,
): HostBackend {
  const hosted = Object.entries(chats).map(([id, { submitted, ended }]) => ({
    ...{ id, name: 'talk', version: '1', submittedAt: submitted, endedAt: ended, tenant: null },
    ...{ state: ended === null ? 'suspended' : 'done', outcome: null, damage: null },
  })) as unknown as readonly HostedChat[]
  const eventsOf = (id: string): readonly object[] => {
    const event = { type: 'chatStart', id: '1.chat', parentId: null, agent: 'ann', recipient: 'bob', message: id }
    return [{ cursor: '1', event: { ...event, time: chats[id]!.told } as unknown as XEvent }]
  }
  return {
    store: { list: ({ after }: { after?: string }) => (after === undefined ? hosted : []) },
    events: { read: eventsOf, revisions: (ids: readonly string[]) => ids.map(() => '1') },
  } as unknown as HostBackend
}

it('chats of a host are listed by their last event, also those that go on', async () => {
  const runs = hostRuns(
    hostOf({
      old: { submitted: 1, ended: null, told: 90 },
      done: { submitted: 20, ended: 50, told: 40 },
      idle: { submitted: 30, ended: null, told: 35 },
    }),
  )
  expect((await runs.list()).map(({ runId, last }) => [runId, last])).toEqual([
    ['old', 90],
    ['done', 50],
    ['idle', 35],
  ])
})
