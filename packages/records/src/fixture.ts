import { XError } from '@x/kernel'
import { type KeptRun, readRun } from './kept-run.ts'
import { fileSystem } from './platform.ts'
import { checkedInfo, checkRecordVersion, type KeptRunInfo, RECORD_VERSION } from './storage.ts'

/** The first line of a fixture. */
interface FixtureHeader {
  readonly 'x-run': number
  readonly info: KeptRunInfo
}

/** Writes a run as the text of a fixture: a line about the run, and the lines of its record. */
export function writeFixture(info: KeptRunInfo, lines: Iterable<string>): string {
  const header: FixtureHeader = { 'x-run': RECORD_VERSION, info }
  return `${JSON.stringify(header)}\n${[...lines].join('\n')}\n`
}

/** Reads a fixture, the file of one run. */
export function readFixture(path: string): KeptRun {
  const [first = '', ...lines] = fileSystem().readFileSync(path, 'utf8').split('\n')
  const header = headerOf(first)
  if (!header) {
    throw new XError(
      'invalid-state',
      `\`${path}\` is no fixture of a run: make one with \`records.export(runId)\` or \`x log export\``,
    )
  }
  checkRecordVersion(header['x-run'], `the fixture \`${path}\` has`)
  return readRun(checkedInfo(header.info), lines)
}

function headerOf(line: string): FixtureHeader | undefined {
  try {
    const header = JSON.parse(line) as Partial<FixtureHeader> | null
    return typeof header?.['x-run'] === 'number' && header.info ? (header as FixtureHeader) : undefined
  } catch {
    return undefined
  }
}
