import { existsSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { entriesOf, readPackages, root } from '../workspace.ts'
import { parseFile } from './source.ts'

/**
 * Most names that the entries of each package may export: those it declares itself, since a re-export of one
 * declaration counts where that stands. A change that needs more says here how many, for a reviewer to see.
 */
const MOST_NAMES: Readonly<Record<string, number>> = {
  // `Steering`: what steers a run under way, which issue 41 asks for.
  '@x/agent': 78,
  // Ten functions to evaluate, score, read tasks and show results, the names of the sets, two intervals for programs that
  // compare by themselves, and eleven types of what these take and return.
  '@x/eval': 24,
  '@x/exec': 19,
  '@x/group': 34,
  '@x/history': 14,
  // `every` and `Schedule`: programs that are run by cron, in an entry of their own because of its library.
  '@x/host': 15,
  '@x/host-servers': 6,
  // `EmbedAnswer`, `EmbedParams`, `EmbedRequest` and `EmbedResponse`: `model.embed` and what its clients implement.
  // `RunTracer`, `RunTrace` and `TraceContext`: what `@x/otel` implements, and what models, tools and hosts ask of it.
  // `RunCalls` and `CallInput`: what `@x/records` implements, and what agents tell of their calls.
  // `SteeringSource`: what an agent asks for messages to its run, and a host implements.
  // `ClientBatches`, `BatchOptions` and `BatchResult`: `model.batch`, and what its clients implement.
  '@x/interfaces': 157,
  '@x/kit': 1,
  // Four of `@x/kernel/schema`: the check of values, which answers of `create`, arguments of tools and results share.
  // `warnThat`: hosts and their backends count errors of a kind in one way.
  // `tellTrace` and `takesRequests`: the scopes of agents and those of other packages serve a trace in one way.
  // Six of entries of journals: agents and records cut, escape and name them in one way.
  // `listenOn`: servers of tools and of pages listen in one way.
  // `checkpointIn`: all stores of hosted chats find in one way where claims begin to read.
  // `priorityNumber`: all stores of hosted chats order them by priority in one way.
  // `SIGNAL_OF_RUN`: a model need not make the signal of the run that it is asked in.
  // `lockPath`: hosts and evaluations keep other processes out in one way.
  '@x/kernel': 82,
  '@x/mcp': 17,
  '@x/model': 10,
  '@x/otel': 3,
  '@x/provider-ai-sdk': 3,
  '@x/provider-anthropic': 10,
  '@x/provider-google': 4,
  // `BatchDialect` with five helpers, and `readWhole`: adapters speak batches, and read their results, in one way.
  '@x/provider-kit': 55,
  '@x/provider-openai': 4,
  '@x/reasoning': 49,
  // `compareRuns` and `hostRuns`: `x log` compares runs, and shows the chats of hosts.
  // `runSteps` and `RunStep`: `x log` and the page of runs show the same steps.
  '@x/records': 21,
  '@x/session': 6,
  '@x/studio': 5,
  // Four for what a plugin author says of a wire, `WireMeaning` and the request, the part and the answer in it, and
  // `embeddingsContract`, the suite for embedders. `simulatedModel` with its options: `x chat`, the web example and the
  // projects of `npm create` play the same model without a key.
  // `startBatchServer` with its options, its server and the ends of requests: batches of three vendors for tests.
  // `batchesContract` is the suite for batches.
  '@x/testing': 68,
  // Six are AG-UI: both ways, the iterable, and the types of an event, of options and of a request. `RunBuffer` keeps runs.
  '@x/ui': 20,
}

/**
 * Most names that all entries together may export; a name that two entries export counts twice. Claude on Bedrock and on
 * Vertex and any model of the AI SDK, which issue 35 asks for, are nine of them: provider, `create…` and type of entries for
 * each; what a plugin author says of a wire are four. Four are the check of values that `@x/model` and `@x/agent` share, and
 * one counts the errors of hosts and their backends. Two are the simulated model that programs play without a key. Eight are
 * traces: the seam for them, and `@x/otel`. Twenty-seven are records: the seam, and `@x/records`, which issue 39 asks for. Six are
 * AG-UI, which issue 38 asks for beside the AI SDK, and one keeps runs for pages that are loaded again. Eight are the page of
 * runs, which issue 40 asks for, with the steps that it shows and the server that it shares. Four are for checkpoints,
 * priorities and schedules of hosted chats, which issue 41 asks for, and three steer runs under way, which it asks for too.
 * Fifteen are batches, which issue 41 asks for: the seam between models and adapters, the server of tests, and the suite.
 * Twenty-four are `@x/eval`, which issue 42 asks for, and two are its search that learns its judges: `auto` and its beliefs.
 * One reads the packed tables of models, which issue 34 asks to load when they are needed,
 * one spares a model the signal of its run, and one is the lock of a path, which hosts and evaluations share.
 */
const MAX_EXPORTS = 738

/** Names that two packages declare with one meaning, each with the reason. */
const DECLARED_TWICE: Readonly<Record<string, string>> = {
  createAgent: '`@x/kit` gives that of `@x/agent` the `llmConfig` of `@x/model`, which `@x/agent` must not know',
}

/** A name that an entry exports, and the file that declares it, with the declaration's own name. */
interface PublicName {
  readonly name: string
  readonly entry: string
  readonly declaration: string
}

/** Reads the names that the entries of all packages export. */
function readPublicNames(): PublicName[] {
  const packages = readPackages()
  const files = new Map(
    packages.flatMap((each) =>
      Object.entries(entriesOf(each)).map(
        ([entry, file]) => [posix.join(each.name, entry), posix.join(each.folder, file)] as const,
      ),
    ),
  )
  return [...files].flatMap(([entry, file]) =>
    exportsOf(file).map((name) => ({ name, entry, declaration: declarationOf(file, name, files) })),
  )
}

function exportsOf(file: string): string[] {
  return parseFile(file).program.body.flatMap((node) =>
    node.type === 'ExportNamedDeclaration' ? node.specifiers.map(({ exported }) => nameOf(exported)) : [],
  )
}

/** Follows the re-exports of a name to the file that declares it. */
function declarationOf(file: string, name: string, entries: ReadonlyMap<string, string>): string {
  for (const node of parseFile(file).program.body) {
    if (node.type !== 'ExportNamedDeclaration' || !node.source) continue
    const specifier = node.specifiers.find(({ exported }) => nameOf(exported) === name)
    if (!specifier) continue
    const source = node.source.value
    const target = source.startsWith('.') ? posix.join(posix.dirname(file), source) : entries.get(source)
    if (target && existsSync(join(root, target))) return declarationOf(target, nameOf(specifier.local), entries)
  }
  return `${file}#${name}`
}

const nameOf = (node: { readonly type: string; readonly name?: string; readonly value?: unknown }): string =>
  node.name ?? String(node.value)

describe('the names that packages export', () => {
  const names = readPublicNames()

  it('are as many as each package may have', () => {
    const declarations = [...new Set(names.map(({ declaration }) => declaration))]
    const counts = readPackages()
      .filter(({ name }) => name.startsWith('@x/'))
      .map(({ name, folder }) => ({
        name,
        names: declarations.filter((each) => each.startsWith(`${folder}/`)).length,
        most: MOST_NAMES[name] ?? 0,
      }))
    expect(declarations.length).toBeGreaterThan(100)
    expect(counts.filter(({ names, most }) => names > most)).toEqual([])
  })

  it(`are at most ${MAX_EXPORTS} in all entries together`, () => {
    expect(names.length).toBeGreaterThan(100)
    expect(names.length).toBeLessThanOrEqual(MAX_EXPORTS)
  })

  it('mean one thing each, whichever entry exports them', () => {
    const meanings = Map.groupBy(names, ({ name }) => name)
    const doubtful = [...meanings.values()].filter(
      (each) => new Set(each.map(({ declaration }) => declaration)).size > 1 && !DECLARED_TWICE[each[0]!.name],
    )
    expect(doubtful.map((each) => each.map(({ name, entry }) => `${entry}: ${name}`))).toEqual([])
  })
})
