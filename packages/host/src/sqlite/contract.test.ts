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
