import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

/**
 * Attacks that every kind of executor has to withstand, each with the titles of its tests: in `red-team.test.ts` for command
 * lines, sandboxes and containers, in `pyodide.test.ts` and `wasm.test.ts` for WebAssembly.
 */
const ROWS: readonly (readonly [attack: string, ...tests: string[]])[] = [
  ['1 a name that climbs', "'../x.sh'", 'is not in the workspace'],
  ['2 an absolute name', "'/tmp/x.sh'"],
  ['3 a name that climbs from below', "'sub/../../x'", "'..'", "'.'"],
  ['4 names of Windows', 'a file name on Windows'],
  ['5 a linked directory', 'a linked directory on the way to the next block'],
  ['6 a link where the next block will lie', 'a link planted where the next block will lie'],
  ['7 a linked parent', 'a linked directory on the way to the next block', 'what links lead to it does not'],
  ['8 a link as artefact', 'links, pipes and sockets as artefacts'],
  ['9 a pipe as artefact', 'links, pipes and sockets as artefacts'],
  ['10 a zero in a name', "'a\\0.sh'", 'what it prints'],
  ['11 long names, control characters', "'n'.repeat(300)", 'u001b[2J.sh'],
  ['12 names that turn round', 'u202ehs.x'],
  ['13 names that a shell would read', 'a name that a shell would read', "'-rf'"],
  ['14 modules that load by themselves', 'modules that Python loads by itself'],
  ['15 an endless loop', 'an endless loop', 'in a loop'],
  ['16 interrupts that are swallowed', 'signals that are ignored', 'when it catches everything', 'a loop that catches'],
  ['17 a loop of the engine', 'a loop of the engine’s own'],
  ['18 patterns and numbers', 'a pattern that backtracks', 'in a pattern that backtracks', '9**9**9'],
  ['19 a process that holds the pipe', 'a process left with the pipe'],
  ['20 a session of its own', 'a process in a session of its own', 'writing to the work directory after the end'],
  ['21 many processes', 'more processes than it may have (60, no bomb)'],
  ['22 a huge allocation', 'a huge allocation', 'one huge object', 'memory by one buffer'],
  ['23 slow growth', 'growing slowly', 'memory in files that have no name', 'shared memory that belongs to no process'],
  ['24 memory of many processes', 'memory of many processes'],
  ['25 growth in WebAssembly', 'by a MemoryError', 'memory by typed arrays', 'where it takes JavaScript’s'],
  ['26 output without end', 'output without end', 'ends a block that prints without end'],
  ['27 output that is no text', 'output that is no text', 'a line without end'],
  ['28 escapes in output', 'strips escape sequences of terminals from the output'],
  [
    '29 a full disk',
    'a work directory that is filled',
    'a file that is too large',
    'removed and kept open',
    'many large files',
  ],
  ['30 many files', 'a work directory of many files', 'directories deeper than any path', 'many empty files'],
  ['31 archives', 'an archive that would be a gigabyte', 'and an archive that would be a gigabyte stays one'],
  ['32 the environment', 'the environment of the host', 'of files, environment and processes'],
  ['33 files of the host', 'files of the host', 'of files, environment and processes'],
  ['34 the network', 'the network: loopback, metadata, names', 'by sockets: loopback, metadata, names'],
  ['35 sockets without the network', 'a socket of the host without a file', 'sockets of engines'],
  ['36 signals to others', 'the program that runs it', 'everything at once'],
  ['37 other processes', 'the memory of others', 'the program that runs it'],
  ['38 rights', "'rights'", 'namespaces of its own', 'knobs of the kernel'],
  ['39 higher limits', 'higher limits', 'has no limits in a process that is not its own'],
  ['40 the programs themselves', 'the programs themselves'],
  ['41 input that never comes', 'input that never comes'],
  ['42 the terminal', "'a terminal'", 'strips escape sequences of terminals from the output'],
  ['43 a forged end', 'a forged end', 'does not take an exit code for a timeout'],
  ['44 a forged report', 'descriptors that are not its own', 'of the process that tells what became of the files'],
  ['45 signals to itself', 'a crash', "'a stop'"],
  [
    '46 out of Pyodide',
    'by the modules that lead out of Pyodide',
    'by the shell',
    'leaves no power in the process, for JavaScript',
    'leaves no power in a realm',
  ],
  ['47 out of QuickJS', "'constructors'", 'finds no module by import()'],
  ['48 prototypes', "'prototypes'"],
  ['49 fences', 'the reading by fences'],
  ['50 names in an engine’s requests', 'a name that a shell would read'],
  ['51 many calls at once', 'fifty calls at once', 'keeps calls apart that run at once'],
  ['52 a stop at any time', 'stops when it is aborted', 'starts an aborted job at once'],
  ['53 an engine that dies', 'dies while code runs: the block fails, and the next one starts anew'],
  ['further: the program is killed', 'a program that is killed leaves nothing that runs', 'it ends by itself'],
  [
    'further: a directory without rights',
    'a work directory that nobody may enter',
    'a work directory that is taken away',
  ],
  ['further: names that forge a list', 'names of artefacts with line ends and escapes'],
  ['further: descriptors of a shell', 'descriptors that the program inherited do not reach code'],
  [
    'further: a block that spoils the next',
    'a block finds nothing that an earlier one left',
    'that breaks its interpreter',
    'lets no object of the process into a realm',
  ],
  ['further: a program that ends or is killed while a process waits', 'leaves no process when the program'],
  ['further: a crash that tells of the machine', 'shows nothing of the machine and of this package'],
  [
    'further: an answer that takes long to read',
    'double the text takes at most 2.3 times the work',
    'is inferred up to a size',
  ],
  ['further: deep directories in Pyodide', "'directories in each other'"],
  [
    'further: files with the rights of their owner',
    'leaves no file that runs with the rights',
    'runs as its owner or group',
  ],
  ['further: root outside', 'is never root outside'],
  [
    'further: what programs of the user act upon',
    'cannot change what programs',
    'cannot make what would run with the next commit',
  ],
  ['further: a link in place of a directory', 'brings nothing back through a link', 'may exchange for a link'],
  ['further: what lies among the programs', 'only programs and what they read', 'no working directory and no home'],
  ['further: interpreters in a home', 'no home by an interpreter in'],
  [
    'further: disk that is reserved',
    'is a wall: what is reserved',
    'reserves nothing',
    'does not grow by further blocks',
  ],
  ['further: families of sockets', 'allows sockets of four families'],
  [
    'further: memory that no process is seen to have',
    'mapped by many, its descriptors closed',
    'in flight between two sockets',
    'of System V, after the number of segments was set back',
    'handed from a process to its children',
    'as a wall, where control groups can be made',
  ],
  [
    'further: memory that the kernel holds',
    'that the kernel would hold for nobody: it is refused',
    'of files without a byte',
    'of connections that nobody reads',
    'of a program that nobody may read',
  ],
  ['further: the directory of what may not be changed', 'cannot exchange the directory that holds it'],
  ['further: a repository without `.git`', 'cannot make a repository without `.git`'],
  ['further: room outside', 'takes no more room outside than it may'],
  ['further: a deep tree, a busy program', 'while code makes a deep tree of directories', 'while the program is busy'],
  ['further: processes of root', 'starts no more processes than it may'],
  ['further: what leaves `local`', 'ends what left it'],
  ['further: a machine that lacks something', 'machines that lack something', 'is not shown with a directory'],
]

it('has a test for each attack', () => {
  const contracts = join(import.meta.dirname, '../../testing/src/contracts/code-executor-contract.ts')
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts') && !import.meta.filename.endsWith(name))
    .map((name) => join(import.meta.dirname, name))
  const growth = join(import.meta.dirname, '../../../scripts/growth/readers.test.ts')
  const texts = [contracts, growth, ...files].map((file) => readFileSync(file, 'utf8'))
  const missing = ROWS.flatMap(([attack, ...tests]) =>
    tests.filter((title) => !texts.some((text) => text.includes(title))).map((title) => `${attack}: ${title}`),
  )
  expect(missing).toEqual([])
  expect(ROWS.filter(([attack]) => /^\d/u.test(attack)).map(([attack]) => Number.parseInt(attack, 10))).toEqual(
    Array.from({ length: 53 }, (_, index) => index + 1),
  )
})
