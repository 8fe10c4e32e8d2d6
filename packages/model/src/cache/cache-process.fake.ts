import { createDiskCache } from './disk-cache.ts'
import { answerOf } from '../fakes/provider.fake.ts'

// A process that uses a cache on disk as others do at the same time: `node cache-process.fake.ts <dir> <operations>`.
const [dir = '', operations = ''] = process.argv.slice(2)
const cache = createDiskCache({ dir })
const seed = process.pid
for (let i = 0; i < Number(operations); i++) {
  const key = `k${(seed * 31 + i * 17) % 50}`
  if (i % 3 === 0) await cache.set(key, { answer: answerOf(key, key.repeat(500)), cost: 1 })
  else {
    const stored = await cache.get(key)
    if (stored && stored.answer.choices[0]!.message.content !== key.repeat(500))
      throw new Error(`a corrupt answer for ${key}`)
  }
  if (i === 10) process.stdout.write('working\n')
}
await cache.close?.()
