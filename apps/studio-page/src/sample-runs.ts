import { AssistantAgent, ChatJournal, tool, UserProxyAgent } from '@x/agent'
import { GroupChat, GroupChatManager } from '@x/group'
import type { Journal, LlmConfig, RunTracer, ToolCall, XEvent } from '@x/interfaces'
import { ReasoningAgent } from '@x/reasoning'
import { forkRun, type KeptRun, openRecords } from '@x/records'
import { functionModel } from '@x/testing'

/** A program whose run stands in the sample, with its tags. */
interface Sample {
  readonly tags: Readonly<Record<string, string>>
  /** Hours before noon of the sample's day at which it began. */
  readonly hours: number
  readonly run: (given: Given) => Promise<unknown>
}

/** Options that programs pass on to the operations that they start. */
interface Given {
  readonly tracer?: RunTracer
  readonly journal?: Journal
}

const calls = (...named: readonly (readonly [string, object])[]): { readonly tool_calls: ToolCall[] } => ({
  tool_calls: named.map(([name, given], index) => ({
    id: `call_${name}_${index}`,
    function: { name, arguments: JSON.stringify(given) },
  })),
})

type Answer = Parameters<typeof functionModel>[0]

const model = (name: string, usage: readonly [number, number], cost: number, answer: Answer): LlmConfig =>
  functionModel(answer, { model: name, usage: [...usage], cost })

/** Turns of the event loop that a run may need to do all that an answer lets it do; on a busy machine it waits for some. */
const TURNS_PER_ANSWER = 100

/** Gives answers one after another, in the order of the questions: what a search does at once is the same every time. */
function inTurn(answer: Answer): Answer {
  let last = Promise.resolve()
  return async (request) => {
    await (last = last.then(async () => {
      for (let turn = 0; turn < TURNS_PER_ANSWER; turn++) await new Promise((resolve) => setImmediate(resolve))
    }))
    return await answer(request)
  }
}

const says = (name: string, text: string, cost = 0.0021): LlmConfig => model(name, [812, 164], cost, () => text)

const text = { type: 'string' } as const
const quiet = { humanInputMode: 'NEVER', silent: true } as const

const ITINERARY = `**Friday evening** – arrive 19:40 at Oriente, dinner in Alfama.

**Saturday** – sunny, 24 degrees: Sintra by train (\`CP 18215\`, 40 minutes), back for fado.

**Sunday** – showers from noon, so the tile museum. The flight leaves at 18:10.

\`\`\`json
{ "hotel": 240, "trains": 22.4, "food": 150, "left": 87.6 }
\`\`\`

It stays within the 500 euros.`

/** An agent that asks tools at once, another agent inside a tool, and answers. */
async function planTrip(given: Given): Promise<unknown> {
  const budgeter = new AssistantAgent({
    name: 'budgeter',
    description: 'Adds up what a trip costs.',
    llmConfig: model(
      'gpt-5-mini',
      [640, 96],
      0.0009,
      () => 'Hotel 240, trains 22.40, food 150: 412.40 euros. 87.60 are left of 500.',
    ),
    silent: true,
  })
  const planner = new AssistantAgent({
    name: 'planner',
    systemMessage:
      'You plan short trips. Check the weather and the trains before you promise anything, and keep to the budget.',
    llmConfig: model('gpt-5', [1840, 212], 0.0118, ({ messages }) => {
      const results = messages.filter(({ role }) => role === 'tool').length
      if (results === 0)
        return calls(
          ['weather', { city: 'Lisbon', days: 3 }],
          ['trains', { from: 'Lisbon', to: 'Sintra' }],
          ['hotels', { city: 'Lisbon', nights: 2 }],
        )
      return results < 4
        ? calls(['budgeter', { question: 'Two nights at 120, trains for 22.40, food for 150: does it fit 500 euros?' }])
        : ITINERARY
    }),
    silent: true,
  })
  const weather = tool({
    name: 'weather',
    description: 'The weather of the next days in a city.',
    parameters: { type: 'object', properties: { city: text, days: { type: 'number' } }, required: ['city'] },
    execute: () => ({ friday: 'clear, 21 °C', saturday: 'sunny, 24 °C', sunday: 'showers from noon, 19 °C' }),
  })
  const trains = tool({
    name: 'trains',
    description: 'Trains between two cities.',
    parameters: { type: 'object', properties: { from: text, to: text } },
    execute: () => ({ train: 'CP 18215', minutes: 40, euros: 5.6 }),
  })
  const hotels = tool({
    name: 'hotels',
    description: 'Hotels with a free room.',
    parameters: { type: 'object', properties: { city: text, nights: { type: 'number' } } },
    execute: () => [
      { name: 'Casa do Jardim', night: 120, stars: 4 },
      { name: 'Miradouro', night: 165, stars: 4 },
    ],
  })
  return await planner.run('Plan a weekend in Lisbon for two people and at most 500 euros.', {
    tools: [weather, trains, hotels, budgeter.asTool()],
    ...given,
  })
}

/** A group whose manager asks a model who speaks next. */
async function writePost(given: Given): Promise<unknown> {
  const order = ['researcher', 'writer', 'critic', 'writer', 'critic']
  let turn = 0
  const said: Readonly<Record<string, readonly string[]>> = {
    researcher: ['Three facts: replay is offline, forks pay only what is new, and a run is one file.'],
    writer: [
      'Your agents said something odd last night. Now you can look at it, change one answer, and see what would have come of it.',
      'Last night an agent refunded the wrong order. Open the run, change one answer, and watch the other future unfold – for two cents.',
    ],
    critic: ['Too vague: name a moment that readers know, and a price.', 'Good. TERMINATE'],
  }
  const agents = Object.entries(said).map(([name, lines]) => {
    let line = 0
    return new AssistantAgent({
      name,
      description: `The ${name} of the post.`,
      systemMessage: `You are the ${name} of a small blog. Answer in two sentences.`,
      llmConfig: model(
        name === 'writer' ? 'claude-sonnet-5' : 'gpt-5-mini',
        [930 + line * 400, 118],
        name === 'writer' ? 0.0073 : 0.0012,
        () => lines[Math.min(line++, lines.length - 1)]!,
      ),
      silent: true,
    })
  })
  const groupchat = new GroupChat({ agents, maxRound: 8, allowRepeatSpeaker: true })
  const manager = new GroupChatManager({
    groupchat,
    llmConfig: model('gpt-5-nano', [410, 3], 0.0001, () => order[Math.min(turn++, order.length - 1)]!),
    silent: true,
  })
  const user = new UserProxyAgent({ name: 'editor', ...quiet })
  return await user.initiateChat(manager, { message: 'A launch post for the studio, please.', silent: true, ...given })
}

/** A search of a tree of thoughts. */
async function payExactly(given: Given): Promise<unknown> {
  const steps = [
    'Take the largest coin that fits',
    'Count how few coins are possible',
    'Try two of the same coin',
    'Start from the smallest coin',
  ]
  const reasoner = new ReasoningAgent({
    name: 'reasoner',
    llmConfig: model(
      'gpt-5',
      [520, 140],
      0.0042,
      inTurn(({ messages }) => {
        const asked = JSON.stringify(messages)
        if (/rate|grade|score/iu.test(asked)) return String(((asked.length * 7) % 60) / 10 + 3.5)
        return `REFLECTION\nThe sum is 20.\n**Possible Options:**\n${steps.map((step, index) => `Option ${index + 1}: ${step} (${asked.length % (index + 5)})`).join('\n')}`
      }),
    ),
    silent: true,
    reasonConfig: { method: 'beam_search', maxDepth: 3, beamSize: 2 },
  })
  const user = new UserProxyAgent({ name: 'user', ...quiet })
  return await user.initiateChat(reasoner, {
    message: 'Pay 20 with as few coins of 1, 4 and 9 as possible.',
    maxTurns: 1,
    silent: true,
    ...given,
  })
}

/** A call that waits for a decision. */
async function refund(given: Given): Promise<unknown> {
  const give = tool({
    name: 'refund',
    description: 'Gives money back.',
    parameters: { type: 'object', properties: { order: text, euros: { type: 'number' } } },
    needsApproval: true,
    execute: () => 'given back',
  })
  const clerk = new AssistantAgent({
    name: 'clerk',
    llmConfig: model('gpt-5-mini', [702, 40], 0.0011, () => calls(['refund', { order: '1017', euros: 89.9 }])),
    silent: true,
  })
  return await clerk.run('Order 1017 came broken. I want my money back.', {
    tools: give,
    journal: new ChatJournal(),
    ...given,
  })
}

/** A tool that fails, and a model that gives up. */
async function fail(given: Given): Promise<unknown> {
  const look = tool({
    name: 'query',
    description: 'Asks the database.',
    parameters: { type: 'object', properties: { sql: text } },
    execute: () => Promise.reject(new Error('connection refused at 10.0.0.4:5432')),
  })
  let asked = 0
  const analyst = new AssistantAgent({
    name: 'analyst',
    llmConfig: model('gpt-5-mini', [1210, 51], 0.0016, () => {
      if (asked++ < 2) return calls(['query', { sql: 'select region, sum(total) from orders group by 1' }])
      throw new Error('the model has answered 529: overloaded')
    }),
    silent: true,
  })
  return await analyst.run('Which region sold most in October?', { tools: look, ...given })
}

async function ask(given: Given, question: string, answer: string, name = 'assistant'): Promise<unknown> {
  const agent = new AssistantAgent({ name, llmConfig: says('gpt-5-mini', answer), silent: true })
  return await agent.run(question, given)
}

const SAMPLES: readonly Sample[] = [
  { tags: { app: 'travel' }, hours: 1, run: planTrip },
  { tags: { app: 'shop', channel: 'mail' }, hours: 2, run: refund },
  { tags: { app: 'blog' }, hours: 4, run: writePost },
  { tags: { app: 'reports' }, hours: 7, run: fail },
  { tags: { app: 'lab' }, hours: 26, run: payExactly },
  {
    tags: { command: 'chat' },
    hours: 28,
    run: async (given) =>
      await ask(
        given,
        'What changed in TypeScript 7?',
        'The compiler is a native program, and builds are about ten times faster.',
      ),
  },
  {
    tags: { app: 'shop', channel: 'web' },
    hours: 30,
    run: async (given) =>
      await ask(
        given,
        'Where is my parcel 88213?',
        'It left Leipzig this morning and should be with you tomorrow.',
        'clerk',
      ),
  },
  {
    tags: { app: 'shop', channel: 'web' },
    hours: 53,
    run: async (given) =>
      await ask(given, 'Do you ship to Norway?', 'Yes, in four to six days; customs are paid by you.', 'clerk'),
  },
  {
    tags: { command: 'ask' },
    hours: 76,
    run: async (given) =>
      await ask(
        given,
        'Explain <b>CSP</b> to a child & keep it <script>alert(1)</script> safe',
        'It is a guest list for a page: only who is on it may come in. <img src=x onerror=alert(1)>',
      ),
  },
]

/** Noon of the day of the sample. */
export const SAMPLE_NOW: number = Date.UTC(2026, 5, 12, 12)
const HOUR_MS = 3_600_000

/** The answer with which the trip goes on otherwise. */
const DEARER = ITINERARY.replace('back for fado', 'a night at the Miradouro')
  .replace('"hotel": 240', '"hotel": 330')
  .replace('"left": 87.6', '"left": -2.4')
  .replace('It stays within the 500 euros.', 'It is 2.40 euros above the 500.')

/** Runs all programs of the sample, and gives them times and ids of their own, so that every time they are the same. */
export async function sampleRuns(now: number = SAMPLE_NOW): Promise<readonly KeptRun[]> {
  const { rmSync, mkdtempSync } = process.getBuiltinModule('node:fs')
  const folder = mkdtempSync(`${process.getBuiltinModule('node:os').tmpdir()}/sample-`)
  const records = openRecords(`${folder}/runs.jsonl`)
  const runs: KeptRun[] = []
  const readNew = async (): Promise<KeptRun> => {
    records.flush()
    const known = new Set(runs.map(({ info }) => info.runId))
    const info = (await records.list({ limit: Infinity })).find(({ runId }) => !known.has(runId))!
    const kept = (await records.read(info.runId))!
    runs.push(kept)
    return kept
  }
  try {
    for (const { tags, run } of SAMPLES) {
      await run({ tracer: records.tagged(tags) }).catch(() => {})
      await readNew()
    }
    const [trip] = runs
    const { place } = trip!.calls.findLast(({ kind }) => kind === 'model')!
    await forkRun(trip!, place, planTrip, { records, answer: DEARER, tags: trip!.info.tags })
    await readNew()
  } finally {
    records.close()
    rmSync(folder, { recursive: true })
  }
  const hours = [...SAMPLES.map((sample) => sample.hours), 0.4]
  return runs.map((run, index) => retimed(run, now - hours[index]! * HOUR_MS, index))
}

const labelsOf = (index: number): KeptRun['info']['labels'] =>
  index === 2
    ? [{ name: 'verdict', value: 'published', place: null, at: 0 }]
    : index === 0
      ? [{ name: 'score', value: 0.9, place: null, at: 0 }]
      : []

/** Milliseconds that steps of a kind take. */
const TAKES_MS: Readonly<Partial<Record<XEvent['type'], number>>> = {
  modelCallEnd: 1900,
  modelAttemptEnd: 1700,
  toolEnd: 640,
  codeEnd: 800,
  searchJobEnd: 900,
}

/** The id of a run of the sample. */
export const runIdOf = (index: number): string =>
  `${((index + 1) % 16).toString(16).repeat(8)}-0000-4000-8000-000000000000`

/** Returns a run as if it had taken the time that models and tools take. */
function retimed(run: KeptRun, began: number, index: number): KeptRun {
  const runId = runIdOf(index)
  const starts = new Map<string, number>()
  let time = began
  const events = run.events.map((event): XEvent => {
    const takes = TAKES_MS[event.type]
    time += takes === undefined ? 3 : takes * (0.7 + ((event.seq * 37) % 60) / 100)
    time = Math.round(time)
    if ('id' in event && !('ms' in event)) starts.set(event.id, time)
    const ms = 'ms' in event ? { ms: time - (starts.get(event.id) ?? time) } : {}
    return { ...event, runId, time, ...ms }
  })
  const day = new Date(began).toISOString().slice(0, 10)
  const spent = run.info.spent.map((each) => ({ ...each, day }))
  const parent = run.info.parent && { ...run.info.parent, runId: runIdOf(0) }
  return { ...run, events, info: { ...run.info, runId, began, last: time, spent, parent, labels: labelsOf(index) } }
}

/** A source of runs that are in memory. */
export function sourceOf(runs: readonly KeptRun[]): {
  list(): Promise<readonly KeptRun['info'][]>
  read(runId: string): Promise<KeptRun | undefined>
} {
  return {
    list: async (
      query: {
        readonly runId?: string
        readonly agent?: string
        readonly outcome?: string | null
        readonly tags?: Readonly<Record<string, string>>
      } = {},
    ) =>
      await Promise.resolve(
        runs
          .map(({ info }) => info)
          .filter(
            ({ runId, agents, outcome, tags }) =>
              runId.startsWith(query.runId ?? '') &&
              (query.agent === undefined || agents.includes(query.agent)) &&
              (query.outcome === undefined || outcome === query.outcome) &&
              Object.entries(query.tags ?? {}).every(([name, value]) => tags[name] === value),
          )
          .toSorted((one, other) => other.last - one.last),
      ),
    read: async (runId) => await Promise.resolve(runs.find(({ info }) => info.runId === runId)),
  }
}
