import { describe, expect, it } from 'vitest'
import { READERS as AGENT_READERS } from './agent-readers.ts'
import { READERS as EVAL_READERS } from './eval-readers.ts'
import { findGrowth } from './growth.ts'
import { READERS as REASONING_READERS } from './reasoning-readers.ts'
import { READERS as WIRE_READERS } from './wire-readers.ts'

/** Milliseconds for all hostile texts of one reader, on a busy machine. */
const TIMEOUT_MS = 300_000

describe.each(Object.entries({ AGENT_READERS, EVAL_READERS, REASONING_READERS, WIRE_READERS }))(
  'double the text takes at most 2.3 times the work: %s',
  (_, readers) => {
    it.each(Object.entries(readers))('%s', { timeout: TIMEOUT_MS }, async (__, reader) => {
      expect(await findGrowth(reader)).toEqual([])
    })
  },
)
