import { expect, it } from 'vitest'
import { oldNodeText } from './check-options.ts'

it.each([
  [{ node: '20.20.2' }, '@x needs Node 22.19 or newer, and this is Node 20.20.2'],
  [{ node: '22.18.0' }, '@x needs Node 22.19 or newer, and this is Node 22.18.0'],
  [{ node: '22.19.0' }, null],
  [{ node: '24.0.0' }, null],
  [{ node: '20.0.0', bun: '1.3.0' }, null],
  [{ node: '20.0.0', deno: '2.5.0' }, null],
  [{}, null],
])('tells an old Node at the first import: %j', (versions, text) => {
  expect(oldNodeText(versions)).toBe(text)
})
