import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chatQueueContract, chatStoreContract, eventLogContract } from '@x/testing/hosting'
import { afterAll, describe, expect, test } from 'vitest'
import { sqlite } from './sqlite.ts'

const folder = mkdtempSync(join(tmpdir(), 'host-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let files = 0

for (const contract of [
  { name: 'sqlite', create: () => sqlite(join(folder, `${files++}.db`)) },
  { name: 'sqlite in memory', create: () => sqlite(':memory:') },
]) {
  for (const suite of [chatStoreContract, chatQueueContract, eventLogContract])
    suite({ describe, test, expect }, contract)
}

test('keeps what stands behind a zero character of a reason, at which Node 22 ends texts', async () => {
  const { store, close } = sqlite(':memory:')
  await store.submit({ id: 'a', name: 'clerk', version: '1', input: null })
  const claim = (await store.claim('a', 60))!
  expect(await store.putOff(claim, 'bad\0gateway')).toMatchObject({ reason: 'bad\ufffdgateway' })
  await close()
})
