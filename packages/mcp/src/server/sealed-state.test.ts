import { describe, expect, it } from 'vitest'
import { StateSeal } from './sealed-state.ts'

const KEY = 'k'.repeat(32)
const STATE = { entries: [{ secret: 'canary-value' }], pending: ['1.2'] }

/** Returns a character that differs in the last bit. */
const neighbourOf = (character: string): string => String.fromCharCode(character.charCodeAt(0) ^ 1)

describe('a sealed state', () => {
  const seal = (now = 0, key = KEY): StateSeal => new StateSeal({ key, ttlMs: 1000, now: () => now })

  it('is opened by any server with the key, once by each', async () => {
    const text = (await seal().seal(STATE, 'call'))!
    expect(text).not.toContain('canary')
    const other = seal(1000)
    expect(await other.open(text, 'call')).toEqual(STATE)
    expect(await other.open(text, 'call')).toBeUndefined()
  })

  it.each<[string, (text: string) => [StateSeal, string, string]]>([
    ['another call', (text) => [seal(), text, 'other call']],
    ['later than it may', (text) => [seal(1001), text, 'call']],
    ['another key', (text) => [seal(0, 'x'.repeat(32)), text, 'call']],
    ['something behind it', (text) => [seal(), `${text}.`, 'call']],
    ['nothing', () => [seal(), '', 'call']],
    ['nonsense', () => [seal(), '1.äöü.%%%', 'call']],
  ])('is refused for %s', async (_, change) => {
    const [server, text, call] = change((await seal().seal(STATE, 'call'))!)
    expect(await server.open(text, call)).toBeUndefined()
  })

  it.each([1, 2, 3])('is refused for each changed character, of a state of %i more bytes', async (more) => {
    const text = (await seal().seal({ entries: ['x'.repeat(more)], pending: [] }, 'call'))!
    const opened = await Promise.all(
      Array.from(text, async (character, at) => {
        const changed = text.slice(0, at) + neighbourOf(character) + text.slice(at + 1)
        return (await seal().open(changed, 'call')) && `${at} of ${text}`
      }),
    )
    expect(opened.filter(Boolean)).toEqual([])
  })

  it('is not made when it would be too long', async () => {
    const noise = Array.from({ length: 16 }, () => [...globalThis.crypto.getRandomValues(new Uint32Array(16_000))])
    expect(await seal().seal({ entries: noise, pending: [] }, 'call')).toBeUndefined()
  })
})
