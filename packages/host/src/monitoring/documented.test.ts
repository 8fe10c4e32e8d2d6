import { readFileSync } from 'node:fs'
import type { EventBody } from '@x/interfaces'
import { afterAll, describe, expect, it } from 'vitest'
import { createHost, defineChat, sqlite } from '../index.ts'

const DOCUMENT = readFileSync(new URL('../../../../docs/watching-a-host.md', import.meta.url), 'utf8')

const CALL: EventBody = {
  ...{ type: 'modelAttemptEnd', agent: null, id: '1', parentId: null, time: 1, ms: 1, outcome: 'ok', error: null },
  ...{ configId: 0, provider: null, endpoint: null, model: 'm', cached: false, sendings: 1, kind: null, cost: 1 },
  ...{ responseId: null, responseModel: null, finishReason: null, firstTokenAt: null },
  usage: { promptTokens: 10, completionTokens: 5, totalTokens: 15 },
}

const chat = defineChat({ name: 'refund', version: '1', run: async ({ run }) => await run.emit(CALL) })
const host = createHost({ chats: [chat], at: sqlite(':memory:') })
afterAll(async () => await host.close())

/** Returns the values of every label of every metric of a host with a worker. */
const printed = await (async () => {
  const { id } = await host.submit(chat, {})
  const stop = new AbortController()
  const work = host.work({ signal: stop.signal })
  await host.result(id)
  const text = await host.metrics()
  stop.abort()
  await work
  const metrics = new Map<string, Map<string, string[]>>()
  for (const [, name, labels] of text.matchAll(/^([a-z_]+)(?:\{(.*)\})? \S+$/gmu)) {
    const known = metrics.get(name!) ?? new Map<string, string[]>()
    metrics.set(name!, known)
    for (const [, label, value] of (labels ?? '').matchAll(/([a-z_]+)="([^"]*)"/gu)) {
      known.set(label!, [...(known.get(label!) ?? []), value!])
    }
  }
  return metrics
})()

const labelsOf = (name: string): string[] => [...(printed.get(name)?.keys() ?? [])].toSorted()

describe('the page on running a host', () => {
  it('documents exactly the metrics and labels that exist', () => {
    const section = /## Metrics\n(.*?)\n###? /su.exec(DOCUMENT)![1]!
    const rows = [...section.matchAll(/`([a-z]+_[a-z_]+)(?:\{([a-z,]+)\})?`(?=[^|]*\|\s*(?:gauge|counter)|, `)/gu)]
    const documented = rows.map(([, name, labels]) => [name, (labels ?? '').split(',').filter(Boolean).toSorted()])
    expect(Object.fromEntries(documented)).toEqual(
      Object.fromEntries([...printed.keys()].map((name) => [name, labelsOf(name)])),
    )
  })

  const rules = [.../- alert: (\w+)\n\s+expr: (.+)/gu[Symbol.matchAll](DOCUMENT)]

  it('has alarms', () => expect(rules.length).toBeGreaterThan(5))

  it.each(rules.map(([, name, expression]) => [name!, expression!]))(
    'has an alarm %s of metrics and labels that there are',
    (_, expression) => {
      const used = [...expression.matchAll(/\b((?:hosted|model)_[a-z_]+)(?:\{([^}]*)\})?/gu)]
      expect(used.length).toBeGreaterThan(0)
      for (const [, name, matchers] of used) {
        expect([...printed.keys()]).toContain(name)
        for (const [, label, operator, value] of (matchers ?? '').matchAll(/(\w+)(=|!~)"([^"]*)"/gu)) {
          expect(labelsOf(name!)).toContain(label)
          if (operator === '=') expect(printed.get(name!)!.get(label!)).toContain(value)
        }
      }
      const kept = [...expression.matchAll(/\b(?:by|on) \(([^)]*)\)/gu)].flatMap(([, names]) => names!.split(', '))
      const known = used.flatMap(([, name]) => labelsOf(name!))
      for (const label of kept.filter(Boolean)) expect(known).toContain(label)
    },
  )
})
