import { afterAll, describe, expect, it } from 'vitest'
import {
  findPostgres,
  findProgram,
  skipWithout,
  startPostgres,
  startRedis,
} from '../../packages/host-servers/src/servers.fake.ts'
import { FORMATS } from './formats.ts'
import { readGolden, writeGolden, type Files, type GoldenFormat } from './golden-files.ts'
import { SERVER_FORMATS } from './server-formats.ts'

const SERVERS = [
  { kind: 'redis', program: findProgram('redis-server'), start: startRedis },
  { kind: 'postgres', program: findPostgres(), start: startPostgres },
] as const

/** Result of the golden rows of a host. */
interface HostResult {
  readonly results: readonly unknown[]
}

const isEqual = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/**
 * Expects of each damaged copy of golden rows that the damaged chat goes on to its own end, or is refused by name, that the
 * chats beside it end as ever, and that nothing is paid twice.
 */
async function expectRefusedRows({ rows }: GoldenFormat, files: Files, { results }: HostResult): Promise<void> {
  const wrong: unknown[] = []
  let refused = 0
  for (const [what, damaged] of rows!.damaged(files)) {
    const after = await rows!.goOn(damaged)
    const isRight = after.asks === 'refused' || isEqual(after.asks, results[0])
    if (!isRight || !isEqual(after.others, results.slice(1)) || after.paid > 1) wrong.push([what, after])
    if (after.asks === 'refused') refused++
  }
  expect(wrong).toEqual([])
  expect(refused).toBeGreaterThan(50)
}

it('the golden rows of SQLite are refused by name where one is damaged, and stop no other chat', async () => {
  const format = FORMATS['host-sqlite']!
  const { files, result } = readGolden(`host-sqlite-${format.version}`)
  await expectRefusedRows(format, files, result as HostResult)
})

for (const { kind, program, start } of SERVERS) {
  if (!program) {
    skipWithout(kind)
    continue
  }
  const server = await start(program)
  afterAll(() => server.close())
  const name = `host-${kind}` as const
  const format = SERVER_FORMATS[name](server.url)

  describe(`the golden rows ${name}-${format.version}`, () => {
    const { files, result } = readGolden(`${name}-${format.version}`)

    it('are read whole: a host goes on to the same end, and asks nothing again', async () => {
      expect(await format.read(files)).toEqual(result)
    })

    it('are refused where a newer release has written them, with what to do', async () => {
      await expect(format.read(format.newer!(files))).rejects.toMatchObject({
        code: 'unknown-state-version',
        message: expect.stringContaining('update `@x/host-servers`') as string,
      })
    })

    it('are refused by name where one is damaged, and stop no other chat', async () => {
      await expectRefusedRows(format, files, result as HostResult)
    })

    it('are never written again', async () => {
      const write = (): never => expect.unreachable('golden rows were written again')
      expect(await writeGolden(name, { ...format, write })).toBe(false)
    })
  })
}
