import { afterAll, describe, expect, it } from 'vitest'
import {
  findPostgres,
  findProgram,
  skipWithout,
  startPostgres,
  startRedis,
} from '../../packages/host-bullmq/src/servers.fake.ts'
import { readGolden, writeGolden } from './formats.ts'
import { SERVER_FORMATS } from './server-formats.ts'

const SERVERS = [
  { kind: 'redis', program: findProgram('redis-server'), start: startRedis },
  { kind: 'postgres', program: findPostgres(), start: startPostgres },
] as const

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
        message: expect.stringContaining('update `@x/host-bullmq`') as string,
      })
    })

    it('are never written again', async () => {
      const write = (): never => expect.unreachable('golden rows were written again')
      expect(await writeGolden(name, { ...format, write })).toBe(false)
    })
  })
}
