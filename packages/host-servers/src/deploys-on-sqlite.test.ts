import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sqlite } from '@x/host'
import { afterAll } from 'vitest'
import { checkSuite } from './check-suite.fake.ts'
import { steeringSuite } from './steering-suite.fake.ts'

// The suite of Redis and Postgres, with the one worker that a file has.
const folder = mkdtempSync(join(tmpdir(), 'deploys-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

checkSuite('sqlite', () => sqlite(join(folder, 'chats.db')), { isForOne: true })
steeringSuite('sqlite', () => sqlite(join(folder, 'steered.db')))
