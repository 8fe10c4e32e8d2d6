import { afterAll, describe, expect, it } from 'vitest'
import { faultOf, type StartedReader } from './engine.ts'
import { readSeeds, TARGETS } from './targets.ts'

describe.each([...readSeeds()])('texts that once broke a reader, or reach its parts: %s', (name, texts) => {
  let started: StartedReader | undefined
  afterAll(async () => await started?.stop?.())

  it.each(texts)('%j', async (text) => {
    const target = TARGETS.get(name)
    if (!target) throw new Error(`no target of \`scripts/fuzz/targets.ts\` is called \`${name}\``)
    started ??= await target.start()
    expect(await faultOf(started, text)).toBeUndefined()
  })
})
