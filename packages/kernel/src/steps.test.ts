import { describe, expect, it } from 'vitest'
import { runAsync, runSync, wait } from './index.ts'
describe('x', () => {
  it('runs', async () => {
    function* s() {
      const a = yield* wait(1, 'a')
      return a + (yield* wait(Promise.resolve(2), 'b'))
    }
    expect(await runAsync(s())).toBe(3)
    expect(() => runSync(s())).toThrow(/promise/)
  })
})
