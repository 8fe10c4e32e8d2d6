import { expect, test } from 'vitest'
import { mediaOf } from './media.ts'

const textOf = (base64: string): string => Buffer.from(base64, 'base64').toString()

test.each([
  ['data:image/svg+xml;utf8,<svg id="a,b"/>', 'image/svg+xml', '<svg id="a,b"/>'],
  ['data:image/svg+xml,%3Csvg%2F%3E', 'image/svg+xml', '<svg/>'],
  ['DATA:Text/Plain;CHARSET=utf-8;BASE64,aGk=', 'text/plain', 'hi'],
  ['data:text/plain,grün 世界 %F0%9F%8E%89', 'text/plain', 'grün 世界 🎉'],
  ['data:,cut \uD83D', 'text/plain', 'cut \uFFFD'],
  ['data:;base64,aGk=', 'text/plain', 'hi'],
])('the bytes of `%s` are read', (url, mediaType, text) => {
  const media = mediaOf({ type: 'image_url', image_url: { url } })
  expect(media).toMatchObject({ type: 'bytes', mediaType })
  expect(textOf((media as { data: string }).data)).toBe(text)
})

test.each(['https://a.invalid/data:image/png,x', 'data:image/png;base64'])('`%s` is a link', (url) => {
  expect(mediaOf({ type: 'image_url', image_url: { url } })).toMatchObject({ type: 'link', url })
})
