import { XError } from '@x/kernel'
import { type KeptRun, readRun } from './kept-run.ts'
import { fileSystem } from './platform.ts'
import { checkedInfo, type KeptRunInfo } from './storage.ts'

/** Version of fixtures, in their first line. */
const FIXTURE_VERSION = 1

/** The first line of a fixture. */
interface FixtureHeader {
  readonly 'x-run': number
  readonly info: KeptRunInfo
}

/** Writes a run as the text of a fixture: a line about the run, and the lines of its record. */
export function writeFixture(info: KeptRunInfo, lines: Iterable<string>): string {
  const header: FixtureHeader = { 'x-run': FIXTURE_VERSION, info }
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
  if (header['x-run'] !== FIXTURE_VERSION) {
    throw new XError(
      'unknown-state-version',
      `the fixture \`${path}\` has version ${header['x-run']}, and this release reads version ${FIXTURE_VERSION}: update \`@x/records\``,
      { details: { version: header['x-run'], known: [FIXTURE_VERSION] } },
    )
  }
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
