import { describe, expect, it } from 'vitest'
import { markdown, type Results } from './report.ts'

const spread = (value: number): { median: number; min: number; p25: number; p75: number } => ({
  median: value,
  min: value,
  p25: value,
  p75: value,
})

const results: Results = {
  machine: {
    cpu: 'a processor',
    cores: 2,
    memory_gb: 8,
    system: 'Linux 6',
    node: 'v24',
    pinned: 'not pinned',
    date: '2026-11-27',
  },
  command: 'pnpm bench:peers --quick',
  mode: 'quick',
  base: 'openai',
  names: ['openai', 'x'],
  versions: { openai: { openai: '7.55.0' } },
  infos: { openai: { title: 'openai', kinds: { call: 'built-in' } }, x: { title: 'x', kinds: { call: 'built-in' } } },
  missing: {},
  checks: { openai: { call: 'ok' }, x: { call: 'ok', stream: { bad: ['streams: 2, expected 1'] } } },
  workloads: {
    call: {
      params: { n: 400 },
      rounds: 3,
      table: {
        openai: { metrics: { wall_us: spread(700), cpu_us: spread(650) }, ratio: { wall_us: 1, cpu_us: 1 } },
        x: { error: 'x: no answer in 240 s' },
      },
    },
    chat: {
      params: { turns: [50, 100] },
      rounds: 3,
      table: {
        'x/fake': {
          metrics: { wall_us_50: spread(5000), wall_us_100: spread(12_000), cpu_us_100: spread(11_000) },
          exponent: { cpu_us: { all: 1.1, last: 1.2 } },
        },
      },
    },
  },
  noise: { call: [11, 12, 13] },
}

describe('the report of a run', () => {
  const report = markdown(results)

  it('says on what machine, when and by which command it was made', () => {
    expect(report).toContain('a processor, 2 cores, 8 GiB, Linux 6, Node v24; not pinned')
    expect(report).toContain('2026-11-27; mode quick; `pnpm bench:peers --quick`')
  })

  it('names the checks that failed, and the contestants that failed a workload', () => {
    expect(report).toContain('Checks that failed: x stream: streams: 2, expected 1')
    expect(report).toContain('| x | failed: x: no answer in 240 s |')
  })

  it('shows the middle and the ratio of a workload, and its parameters', () => {
    expect(report).toContain('3 rounds, {n:400}')
    expect(report).toContain('| openai | built-in | 700 | 1.00 | 650 | 1.00 | – | – | – |')
  })

  it('shows the growth of chats by variant, and leaves out what was not measured', () => {
    expect(report).toContain('| x/fake | 5.0 | 12.0 | – | – | 110 | 1.10 | 1.20 | – | – |')
    expect(report).not.toContain('over HTTP')
    expect(report).not.toContain('Tool loop')
  })
})
