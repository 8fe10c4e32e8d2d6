import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Counter, MAX_LABEL_SETS, OTHER_LABEL } from './counter.ts'
import { exposition } from './exposition.ts'
import { chatsMetric } from './host-metrics.ts'

/** Parses samples in the text format; fails for a malformed line. */
function parse(text: string): { name: string; labels: Record<string, string>; value: string }[] {
  expect(text === '' || text.endsWith('\n')).toBe(true)
  return text
    .split('\n')
    .slice(0, -1)
    .flatMap((line) => {
      if (/^# (?:HELP|TYPE) [a-z_]+ .*$/su.test(line)) return []
      const match = /^([a-z_]+)(?:\{((?:[a-z_]+="(?:[^"\\]|\\[\\"n])*",?)*)\})? (\S+)$/u.exec(line)
      if (!match) throw new Error(`not a line of metrics: ${line}`)
      const labels: Record<string, string> = {}
      for (const [, label, value] of (match[2] ?? '').matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/gsu)) {
        labels[label!] = value!.replaceAll(/\\(.)/gsu, (_, char: string) => (char === 'n' ? '\n' : char))
      }
      return [{ name: match[1]!, labels, value: match[3]! }]
    })
}

/** Characters with a meaning in the format or its parsers. */
const HOSTILE = ['\\', '"', '\n', '\r', '{', '}', ',', '=', ' ', '#', 'a', 'n', 'é', '👩', '\u2028', '\0', '\ud800']

describe('metrics as text', () => {
  it('preserve every label value', () => {
    const hostile = fc.string({ unit: fc.constantFrom(...HOSTILE), maxLength: 20 })
    fc.assert(
      fc.property(fc.array(hostile, { maxLength: 3 }), (values) => {
        const samples = values.map((model, value) => ({ labels: { model }, value }))
        const read = parse(exposition([{ name: 'calls', help: values.join('\n'), type: 'counter', samples }]))
        expect(read.map(({ labels, value }) => [labels['model'], Number(value)])).toEqual(
          values.map((value, at) => [value.toWellFormed(), at]),
        )
      }),
    )
  })

  it('truncate labels that are too long, and write numbers as Prometheus does', () => {
    const samples = [
      { labels: { model: 'm'.repeat(500) }, value: Infinity },
      { labels: { model: '\ud800' }, value: NaN },
    ]
    const read = parse(exposition([{ name: 'calls', help: 'x', type: 'gauge', samples }]))
    expect(read.map(({ labels, value }) => [labels['model'], value])).toEqual([
      ['m'.repeat(128), '+Inf'],
      ['\ufffd', 'NaN'],
    ])
  })
})

describe('a counter', () => {
  it('has a bounded number of label sets, and counts further ones together', () => {
    const counter = new Counter('calls', 'Calls.', ['model', 'result'])
    for (let n = 0; n < 5000; n++) counter.add({ model: `model-${n}`, result: 'ok' })
    counter.add({ model: 'model-0', result: 'ok' })
    const { samples } = counter.metric
    expect(samples.length).toBe(MAX_LABEL_SETS + 1)
    expect(samples[0]).toEqual({ labels: { model: 'model-0', result: 'ok' }, value: 2 })
    expect(samples.at(-1)).toEqual({
      labels: { model: OTHER_LABEL, result: OTHER_LABEL },
      value: 5000 - MAX_LABEL_SETS,
    })
  })

  it.each([NaN, -1, 0, Infinity])('does not count %d', (amount) => {
    const counter = new Counter('calls', 'Calls.')
    counter.add({}, amount)
    expect(counter.metric.samples).toEqual([])
  })
})

describe('the chats of a store', () => {
  it('are counted by program and state, always for programs of the host, and up to a bound for others', () => {
    const own = [{ name: 'own', version: '1' }]
    const counts = Array.from({ length: 500 }, (_, n) => ({
      name: `other-${n}`,
      version: '1',
      state: 'waiting' as const,
      count: 2,
    }))
    const { samples } = chatsMetric(own, counts)
    expect(samples.length).toBeLessThanOrEqual(MAX_LABEL_SETS + 5)
    expect(samples.reduce((sum, { value }) => sum + value, 0)).toBe(1000)
    expect(samples.slice(0, 4)).toEqual(
      ['waiting', 'waiting-to-retry', 'running', 'suspended'].map((state) => ({
        labels: { chat: 'own', version: '1', state },
        value: 0,
      })),
    )
  })
})
