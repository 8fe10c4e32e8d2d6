/**
 * Reads every regular expression in the sources of packages by its syntax tree, and fails for one whose time may grow faster
 * than the text: texts of models, servers, tools and files are hostile. What the checker cannot decide stands in `REVIEWED`,
 * and what takes it seconds in `DECIDED`.
 *
 *   node scripts/expressions.ts --whole     decides those of `DECIDED` again
 */
import { createRequire } from 'node:module'
import { checkSync } from 'recheck'
import { parseFile, shippedFiles, walk } from './conventions/source.ts'
import { readPackages } from './workspace.ts'

/** An expression that the checker cannot decide in useful time, and the reason why its time grows with the text all the same. */
interface Reviewed {
  readonly file: string
  /** Beginning of the expression. */
  readonly begins: string
  readonly why: string
}

/** The list may only shrink. */
const REVIEWED: readonly Reviewed[] = [
  { file: 'exec/src/backend/processes.ts', begins: '^NSpid:', why: 'lines of /proc, which the kernel writes' },
  { file: 'exec/src/backend/processes.ts', begins: '^ *\\d+: ', why: 'lines of /proc, which the kernel writes' },
  { file: 'exec/src/backend/processes.ts', begins: '^(?<from>', why: 'lines of /proc, which the kernel writes' },
  { file: 'exec/src/run/plain-text.ts', begins: '[\\p{Cc}--', why: 'one class of characters' },
  { file: 'model/src/wrapper/console-io.ts', begins: '[[\\p{Cc}', why: 'one class of characters' },
  { file: 'kernel/src/redact.ts', begins: '\\b(?:sk|pk', why: 'each alternative runs over its own characters once' },
  { file: 'provider-kit/src/message/carried-content.ts', begins: '^file_', why: 'anchored; one look over the letters' },
  {
    file: 'reasoning/src/read/rating-phrases.ts',
    begins: '(?<![\\p{L}])(?:(?:final',
    why: 'words; blanks are bounded',
  },
  {
    file: 'reasoning/src/read/rating-phrases.ts',
    begins: '(\\d{1,9})\\s{0,9}(?:点満点',
    why: 'every repetition is bounded',
  },
  { file: 'reasoning/src/read/rating-phrases.ts', begins: '满分', why: 'every repetition before the last is bounded' },
  {
    file: 'reasoning/src/read/rating-phrases.ts',
    begins: '(\\d{1,9}(?:',
    why: 'every repetition before the last is bounded',
  },
  { file: 'reasoning/src/read/rating-phrases.ts', begins: '\\s*(?:per', why: '`collapseBlanks` bounds runs of blanks' },
  { file: 'reasoning/src/read/thinker-reply.ts', begins: '^[\\s#*_>]*(?:', why: 'lines of at most 200 characters' },
]

/** The version of the checker that has decided `DECIDED`; another one decides them again. */
const DECIDED_BY = '4.5.0'

/** Expressions, to the letter, that the checker has found to take linear time, and for which it needs a second or more each. */
const DECIDED: readonly RegExp[] = [
  / script: [0-9a-f]{40}, on @user_script:\d+\.?/u,
  /(\d{1,9})\s{0,9}(?:üzerinden|में\s{1,9}से|-?b[őo]l)\s{0,9}(\d+(?:\.\d+)?)/giu,
  /(\d{1,9})\s{0,9}(?:点中|점\s{0,9}중|分の|分之|분의|分中)\s{0,9}(\d+(?:\.\d+)?)/gu,
  /encrypted content|reasoning (?:input )?items?\b|item (?:with id )?'\w+'/iu,
  / POSIX +\w+ +\w+ +(?<pid>\d+) /gu,
  /too many images|too much media|many-image requests|at most \d+ (?:image|audio|video)|payload size exceeds/iu,
  /^files\/|^gs:\/\/|^https:\/\/generativelanguage\.googleapis\.com\/.*\bfiles\//u,
  /^(\w+\.[0-9a-f]{32})\.([0-9a-f]{64})$/u,
]

/** Packages whose sources meet texts of tests alone. */
const UNCHECKED_PACKAGES: ReadonlySet<string> = new Set(['@x/testing'])

/** Limit for the search for one expression, on a busy machine. */
const TIMEOUT_MS = 60_000

interface Found {
  readonly place: string
  readonly file: string
  readonly pattern: string
  readonly flags: string
}

function expressionsIn(file: string): Found[] {
  const found: Found[] = []
  const { program, text } = parseFile(file)
  walk(program, (node) => {
    if (node.type !== 'Literal' || !('regex' in node)) return
    const line = text.slice(0, node.start).split('\n').length
    found.push({ place: `${file}:${line}`, file, ...node.regex })
  })
  return found
}

/** The expressions of `DECIDED`, as the checker that is installed has decided them. */
function decidedKeys(): string[] {
  const { version } = createRequire(import.meta.url)('recheck/package.json') as { readonly version: string }
  return version === DECIDED_BY && !process.argv.includes('--whole') ? DECIDED.map(String) : []
}

const files = readPackages()
  .filter(({ name }) => name.startsWith('@x/') && !UNCHECKED_PACKAGES.has(name))
  .flatMap(({ folder }) => shippedFiles(folder))
const unused = new Set(REVIEWED)
const decided = new Set(decidedKeys())
const unusedDecided = new Set(decided)
const verdicts = new Map<string, ReturnType<typeof checkSync>>()
let count = 0
for (const { place, file, pattern, flags } of files.flatMap(expressionsIn)) {
  count++
  const reviewed = REVIEWED.find((each) => `packages/${each.file}` === file && pattern.startsWith(each.begins))
  if (reviewed) {
    unused.delete(reviewed)
    continue
  }
  const key = `/${pattern}/${flags}`
  if (decided.has(key)) {
    unusedDecided.delete(key)
    continue
  }
  const verdict = verdicts.get(key) ?? checkSync(pattern, flags, { checker: 'automaton', timeout: TIMEOUT_MS })
  verdicts.set(key, verdict)
  if (verdict.status === 'safe') continue
  process.exitCode = 1
  const why =
    verdict.status === 'vulnerable'
      ? `takes ${verdict.complexity.type === 'exponential' ? 'exponential' : 'more than linear'} time: read the text by hand, in one pass`
      : 'cannot be decided: make it simpler, or say in `REVIEWED` of scripts/expressions.ts why its time grows with the text'
  console.error(`${place}: ${key} ${why}`)
}
for (const { file, begins } of unused) {
  process.exitCode = 1
  console.error(`packages/${file} has no expression that begins with ${begins}: take it out of \`REVIEWED\``)
}
for (const key of unusedDecided) {
  process.exitCode = 1
  console.error(`no package has the expression ${key}: take it out of \`DECIDED\``)
}
console.log(`${count} expressions in ${files.length} files were read`)
