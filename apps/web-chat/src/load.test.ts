import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { installedRedis } from './redis.fake.ts'

const PROGRAM = fileURLToPath(new URL('../bench/load.ts', import.meta.url))

// Long enough for a blow; `pnpm load` takes ten minutes.
it.skipIf(!installedRedis())('loses and doubles nothing in a short load with faults', { timeout: 180_000 }, () => {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ['--conditions=@x/source', PROGRAM, '--seconds', '35', '--rate', '1'],
    { encoding: 'utf8' },
  )
  expect(
    stdout.split('\n').filter((line) => line.startsWith('FAIL')),
    stderr,
  ).toEqual([])
  expect(stdout).toMatch(/^ok$/mu)
  expect(status).toBe(0)
})
