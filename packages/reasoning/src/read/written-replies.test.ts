import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readRating } from './rating.ts'
import { readRatings } from './ratings.ts'
import { readThinkerReply } from './thinker-reply.ts'

/** A reply as models write it, and what it says: options, a rating, or the ratings of two options, on a scale of 10. */
type WrittenReply =
  | { language: string; kind: 'options'; reply: string; reflection: string; read: string[] }
  | { language: string; kind: 'rating'; reply: string; read: number | null }
  | { language: string; kind: 'ratings'; reply: string; read: number[] }

const rows = readFileSync(new URL('written-replies.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as WrittenReply)

const round = (rating: number | null): number | null => (rating === null ? null : Math.round(rating * 10) / 10)

function read(row: WrittenReply): unknown {
  if (row.kind === 'options') return readThinkerReply(row.reply)
  if (row.kind === 'rating') return round(readRating(row.reply, 10))
  return readRatings(row.reply, 2, 10).map(({ rating }) => rating && Math.round(rating))
}

describe('replies in many languages', () => {
  it('are many, and all differ', () => {
    expect(rows.length).toBeGreaterThan(200)
    expect(new Set(rows.map(({ language }) => language)).size).toBeGreaterThanOrEqual(10)
    expect(new Set(rows.map(({ kind, reply }) => kind + reply)).size).toBe(rows.length)
  })

  it.each(rows.map((row) => [row.language, row.kind, row.reply, row] as const))('%s %s: %j', (_, __, ___, row) => {
    const expected = row.kind === 'options' ? { reflection: row.reflection, options: row.read } : row.read
    expect(read(row)).toEqual(expected)
  })
})
