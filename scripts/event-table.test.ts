import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { declaredFields, EVENTS_DOCUMENT, misplacedEvents, readExamples, withEventTables } from './event-table.ts'
import { root } from './workspace.ts'

const document = readFileSync(join(root, EVENTS_DOCUMENT), 'utf8')
const examples = readExamples()

it('describes every event in one table of docs/events.md', () => {
  expect(misplacedEvents(document)).toEqual([])
  expect(misplacedEvents(document.replace('waitingToRetry, custom -->', 'waitingToRetry, handoff -->'))).toEqual([
    'handoff',
    'custom',
  ])
})

it('has an example of every event, with just the fields that its type declares', () => {
  const declared = declaredFields()
  expect(examples.map(({ type }) => type).toSorted()).toEqual([...declared.keys()].toSorted())
  const wrong = examples.map((example) => {
    const fields = declared.get(example.type)!
    const missing = fields.filter((name) => !name.endsWith('?') && !Object.hasOwn(example, name))
    const unknown = Object.keys(example).filter((name) => !fields.includes(name) && !fields.includes(`${name}?`))
    return { type: example.type, missing, unknown }
  })
  expect(wrong.filter(({ missing, unknown }) => missing.length + unknown.length > 0)).toEqual([])
})

it('is made from the types and the examples (`pnpm fix` makes it)', () => {
  expect(withEventTables(document, examples)).toBe(document)
})
