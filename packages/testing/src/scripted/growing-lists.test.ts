import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GrowingLists } from './growing-lists.ts'

describe('growing lists', () => {
  it('gives every list back as it was, with any shared items', () => {
    const item = fc.record({ role: fc.constantFrom('user', 'tool'), content: fc.constantFrom('a', 'b') })
    fc.assert(
      fc.property(fc.array(fc.array(item, { maxLength: 4 })), (lists) => {
        const store = new GrowingLists<{ role: string; content: string }>()
        const back = lists.map((list) => store.keep(list))
        expect(back.map(({ list }) => list)).toEqual(lists)
      }),
    )
  })

  it('is not changed by later changes of an item', () => {
    const store = new GrowingLists<{ content: string }>()
    const item = { content: 'a' }
    const first = store.keep([item])
    item.content = 'b'
    const second = store.keep([item])
    expect([first.list, second.list]).toEqual([[{ content: 'a' }], [{ content: 'b' }]])
    expect(Object.isFrozen(first.list[0])).toBe(true)
  })

  it('keeps shared items once', () => {
    const store = new GrowingLists<{ content: string }>()
    const first = store.keep([{ content: 'a' }])
    store.keep([{ content: 'of another chat' }])
    const second = store.keep([{ content: 'a' }, Object.freeze({ content: 'b' })])
    expect(second.list[0]).toBe(first.list[0])
    expect(second.list).toHaveLength(2)
  })
})
