import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { HostBackend } from '@x/interfaces'
import { limiterContract, recordStoreContract, sharedBudgetContract } from '@x/testing/hosting'
import { afterAll, describe, expect, test } from 'vitest'
import { createHost, sqlite } from '../index.ts'

const folder = mkdtempSync(join(tmpdir(), 'host-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let files = 0
const open = (at: HostBackend) => createHost({ chats: [], at })

for (const contract of [
  { name: 'sqlite', create: () => sqlite(join(folder, `${files++}.db`)), open },
  { name: 'sqlite in memory', create: () => sqlite(':memory:'), open },
]) {
  recordStoreContract({ describe, test, expect }, contract)
  limiterContract({ describe, test, expect }, contract)
  sharedBudgetContract({ describe, test, expect }, contract)
}
