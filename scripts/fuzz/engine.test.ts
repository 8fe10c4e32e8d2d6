import { describe, expect, it } from 'vitest'
import { readFrames } from '../../packages/provider-kit/src/http/read-response.ts'
import { Coverage } from './coverage.ts'
import { faultOf, fuzz } from './engine.ts'
import { randomOf, TextMaker } from './mutations.ts'
import { TARGETS } from './targets.ts'

const found = async (read: (text: string) => unknown, marks: readonly string[]): Promise<string[]> => {
  const { findings } = await fuzz({ marks, start: async () => ({ read }) }, { seconds: 3, seed: 1, seeds: ['<a>'] })
  return findings.map(({ text, what }) => `${text}: ${what.split('\n')[0]}`)
}

describe('fuzzing', () => {
  it('finds a text that breaks a reader, and shortens it', async () => {
    const read = (text: string): void => {
      if (text.includes('<b>') && text.includes('</a>')) (null as unknown as { b: number }).b++
    }
    const [first] = await found(read, ['<a>', '</a>', '<b>'])
    expect(first).toMatch(/^(?:<b><\/a>|<\/a><b>): TypeError: /u)
  })

  it('takes a refusal for an answer, and mistakes and changes of all objects for breaks', async () => {
    const faultFor = async (read: (text: string) => unknown): Promise<string | undefined> =>
      await faultOf({ read }, 'a')
    const refuse = (): never => {
      throw new SyntaxError('no JSON')
    }
    expect(await faultFor(refuse)).toBeUndefined()
    const unreachable = (): never => {
      throw new SyntaxError('no answer', { cause: new TypeError('fetch failed') })
    }
    expect(await faultFor(unreachable)).toBeUndefined()
    const recurse = (text: string): string => recurse(`${text}a`)
    expect(await faultFor(recurse)).toMatch(/^RangeError/u)
    const pollute = (): void => void Reflect.set(Object.prototype, 'polluted', 1)
    try {
      expect(await faultFor(pollute)).toBe('all objects have got polluted')
    } finally {
      Reflect.deleteProperty(Object.prototype, 'polluted')
    }
  })

  it('knows which code of the packages ran for the first time', async () => {
    const read = async (text: string): Promise<void> => {
      for await (const frame of readFrames(new Response(text, { headers: { 'content-type': 'text/event-stream' } })))
        void frame
    }
    await read('')
    const coverage = await Coverage.start()
    await read('data: {}\n\n')
    expect(await coverage.hasNew()).toBe(true)
    expect(await coverage.hasNew()).toBe(false)
    expect(coverage.size).toBeGreaterThan(0)
  })

  it('makes the same texts from the same seed', () => {
    const textsOf = (seed: number): string[] => {
      const maker = new TextMaker(randomOf(seed), ['<a>', '</a>'])
      return Array.from({ length: 50 }, () => maker.make(['<a></a>']))
    }
    expect(textsOf(1)).toEqual(textsOf(1))
    expect(textsOf(1)).not.toEqual(textsOf(2))
    expect(Math.max(...textsOf(3).map(({ length }) => length))).toBeLessThanOrEqual(2000)
  })

  it('knows readers of every package that reads foreign text', () => {
    expect(TARGETS.size).toBeGreaterThan(100)
  })
})
