import { XError } from '@x/kernel'

/** The end of a whole entry, with a digit for each of its checksum. */
const END = ',"checksum":"00000000"}'
const WHOLE = /,"checksum":"[0-9a-f]{8}"\}/u

/**
 * Reads the values that lines of JSON hold. A line that the end of a process tore is left out; one that was whole and cannot be read is
 * refused with `invalid-state` and its number.
 */
export function readLines(lines: string): unknown[] {
  return lines.split('\n').flatMap((line, index) => {
    if (line === '') return []
    try {
      return [JSON.parse(line) as unknown]
    } catch (cause) {
      if (isTorn(line)) return []
      throw new XError(
        'invalid-state',
        `the journal of a chat is damaged: line ${index + 1} cannot be read as JSON; restore it from a copy`,
        { cause, details: { line: index + 1 } },
      )
    }
  })
}

/** Whether a line is the beginning of an entry: it begins like one and shows no end of one. */
const isTorn = (line: string): boolean => line.startsWith('{') && !WHOLE.test(line) && !endsWhole(line)

/** Whether a line ends like a whole entry, one wrong character aside. */
function endsWhole(line: string): boolean {
  if (line.length < END.length) return false
  const end = line.slice(-END.length)
  let wrong = 0
  for (let index = 0; index < END.length; index++) {
    const expected = END[index]
    const fits = expected === '0' ? /[0-9a-f]/u.test(end[index]!) : end[index] === expected
    if (!fits) wrong++
  }
  return wrong <= 1
}
