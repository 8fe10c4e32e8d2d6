import { XError } from '@x/kernel'
import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import { createRedisCache } from './redis-cache.ts'
import { redis } from './redis.ts'

it.each([
  'redis://:s3cret#1@localhost:6379',
  'rediss://user:s3cret/1@localhost',
  'redis://:s3cret@localhost:port',
  'redis://:s3cret%zz@localhost',
  'redis+sentinel://:s3cret%zz@localhost/main',
])('refuses a URL that cannot be read at once, and does not tell its password: %s', (url) => {
  for (const open of [() => redis(url), () => createRedisCache({ url, namespace: 'a' })]) {
    const error = catching(open)
    expect(error).toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining('`%23` for `#`') as string,
    })
    expect(inspect(error)).not.toContain('s3cret')
  }
})

it.each([
  'redis://localhost',
  'redis://:s3cret%231@localhost:6379/2',
  'rediss://user:s3:cret@[::1]:6379?family=6',
  'redis+sentinel://chats:s3cret@one:26379,two,three/main/2',
])('takes the URL %s', async (url) => await redis(url).close())

function catching(call: () => unknown): unknown {
  try {
    call()
  } catch (error) {
    return error
  }
  throw new XError('invalid-state', 'the call has not failed')
}
