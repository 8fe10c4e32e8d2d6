import { posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { entriesOf, readPackages } from '../workspace.ts'
import { readFileGraph } from './file-graph.ts'
import { BARE_CONSTANTS, LONG_FUNCTIONS, UNREAD_ROOMS } from './names-and-functions-allowed.ts'
import {
  countLines,
  findBareConstants,
  findLongFunctions,
  findRelativeComments,
  findSmallFiles,
  MAX_FILE_LINES,
} from './shape.ts'
import { SMALL_FILE_ROOMS, SMALL_FILES } from './small-files-allowed.ts'
import { parseFile, shippedFiles, type Source } from './source.ts'

const packages = readPackages()
const shipped = new Map(
  packages.flatMap(({ folder }) => shippedFiles(folder).map((file) => [file, parseFile(file)] as const)),
)
const sources = [...shipped.values()]

/** Compares what a rule finds with a list of exceptions: none may be missing from it, and none may be left over. */
function expectListed(found: readonly string[], listed: readonly string[], rooms: readonly string[] = []): void {
  const roomOf = (file: string): string | undefined => rooms.find((room) => file.startsWith(room))
  expect(found.filter((each) => !listed.includes(each) && roomOf(each) === undefined)).toEqual([])
  expect(
    listed.filter((each) => !found.includes(each)),
    'no longer needed in the list of exceptions',
  ).toEqual([])
  expect(
    rooms.filter((room) => !found.some((each) => each.startsWith(room))),
    'no longer needed in the list of folders',
  ).toEqual([])
}

const namedIn = (find: (source: Source) => string[]): string[] =>
  sources.flatMap((source) => find(source).map((name) => `${source.file} ${name}`))

const flatten = (list: Readonly<Record<string, readonly string[]>>): string[] =>
  Object.entries(list).flatMap(([file, names]) => names.map((name) => `${file} ${name}`))

describe('the sources of packages', () => {
  it(`have at most ${MAX_FILE_LINES} lines in a file`, () => {
    const tooLong = sources.filter((source) => countLines(source) > MAX_FILE_LINES)
    expect(tooLong.map(({ file }) => file)).toEqual([])
  })

  it('have no function of more than 60 lines', () => {
    expectListed(namedIn(findLongFunctions), flatten(LONG_FUNCTIONS), UNREAD_ROOMS.functions)
  })

  it('have no file of 50 lines or fewer that a single other imports', () => {
    const small = packages.flatMap((each) => {
      const entries = Object.values(entriesOf(each)).map((file) => posix.join(each.folder, file))
      return findSmallFiles(readFileGraph(each.folder), entries, (file) => countLines(shipped.get(file)!))
    })
    expectListed(small, Object.keys(SMALL_FILES), Object.keys(SMALL_FILE_ROOMS))
  })

  it('name constants that hold numbers by noun and unit, not by one word', () => {
    expectListed(namedIn(findBareConstants), flatten(BARE_CONSTANTS), UNREAD_ROOMS.constants)
  })

  it('begin no doc comment with a relative clause', () => {
    expectListed(sources.flatMap(findRelativeComments), [], UNREAD_ROOMS.comments)
  })
})
