import { createTraceState } from '@opentelemetry/api'
import { describe, expect, it } from 'vitest'
import { readTraceContext, writeTraceContext } from './trace-context.ts'

const IDS = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' }
const PARENT = `00-${IDS.traceId}-${IDS.spanId}-01`

describe('a trace context', () => {
  it('is read as it was written', () => {
    for (const traceFlags of [0, 1]) {
      const written = writeTraceContext({ ...IDS, traceFlags, traceState: createTraceState('acme=1,other=2') })
      expect(written).toEqual({ traceparent: `${PARENT.slice(0, -1)}${traceFlags}`, tracestate: 'acme=1,other=2' })
      const read = readTraceContext(written!)!
      expect(read).toMatchObject({ ...IDS, traceFlags, isRemote: true })
      expect(read.traceState!.serialize()).toBe('acme=1,other=2')
    }
    expect(writeTraceContext({ ...IDS, traceFlags: 1 })).toEqual({ traceparent: PARENT })
  })

  it('is read of later versions, without what this one does not know', () => {
    expect(readTraceContext({ traceparent: `01-${PARENT.slice(3, -2)}09-more` })).toMatchObject({
      ...IDS,
      traceFlags: 1,
    })
  })

  it.each([
    ['', 'nothing'],
    [PARENT.toUpperCase(), 'upper case'],
    [`ff${PARENT.slice(2)}`, 'a version that is none'],
    [`00-${'0'.repeat(32)}-${IDS.spanId}-01`, 'a trace of zeros'],
    [`00-${IDS.traceId}-${'0'.repeat(16)}-01`, 'a span of zeros'],
    [`${PARENT}0`, 'more flags'],
    [`${PARENT}\r\nx: y`, 'a further line'],
    [undefined as unknown as string, 'no text'],
    [[PARENT, PARENT] as unknown as string, 'two headers'],
  ])('is none: %j, which has %s', (traceparent) => {
    expect(readTraceContext({ traceparent })).toBeUndefined()
  })

  it('is none of a span without an SDK', () => {
    expect(writeTraceContext(undefined)).toBeUndefined()
    expect(writeTraceContext({ traceId: '0'.repeat(32), spanId: '0'.repeat(16), traceFlags: 0 })).toBeUndefined()
  })

  it('leaves out a state that is too long or no text', () => {
    for (const tracestate of [`a=${'b'.repeat(9000)}`, 5 as unknown as string]) {
      expect(readTraceContext({ traceparent: PARENT, tracestate })).not.toHaveProperty('traceState')
    }
  })
})
