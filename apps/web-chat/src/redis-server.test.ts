import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { startRedis } from './redis-server.ts'

describe('startRedis', () => {
  const folder = mkdtempSync(join(tmpdir(), 'redis-server-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  /** A program in the place of Redis. */
  function program(name: string, script: string): string {
    const file = join(folder, name)
    writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o700 })
    return file
  }

  it('fails, and says what the program printed, when it ends at once', async () => {
    const broken = program('broken', 'echo "FATAL CONFIG FILE ERROR"; exit 1')
    await expect(startRedis(broken, join(folder, 'a'))).rejects.toThrow(
      /did not start; it printed: FATAL CONFIG FILE ERROR/u,
    )
  })

  it('takes another port when the port was taken in the meantime', async () => {
    const ports = join(folder, 'ports')
    const second = program(
      'second',
      `grep port "$1" >> ${ports}
       if [ "$(wc -l < ${ports})" = 1 ]; then echo "bind: Address already in use"; exit 1; fi
       echo "Ready to accept connections"; exec sleep 600`,
    )
    await using server = await startRedis(second, join(folder, 'b'))
    const [first, last] = readFileSync(ports, 'utf8').trim().split('\n')
    expect(first).not.toBe(last)
    expect(last).toBe(`port ${new URL(server.address).port}`)
  })

  it('gives up after five ports', async () => {
    const busy = program('busy', 'echo "bind: Address already in use"; exit 1')
    await expect(startRedis(busy, join(folder, 'c'))).rejects.toThrow(/already in use/u)
  })
})
