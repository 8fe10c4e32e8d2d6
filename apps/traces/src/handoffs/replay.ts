import type { Agent, ChatResult, Face, XEvent } from '@x/interfaces'
import { isXError } from '@x/kernel'
import { call } from '../replay/operations.ts'
import { plain } from '../replay/plain.ts'
import type { Facts, TraceValue } from '../replay/trace.ts'
import type { World } from '../replay/world.ts'
import { groupCastOf, truth, type Added, type GroupCast } from './cast.ts'
import { plainHandoffEvent, transcripts } from './events.ts'
import type { GivenHandoff, HandoffStep, HandoffTrace, RecordedGroups } from './trace.ts'
import type { HandoffWorld } from './world.ts'

/** Where the steps are performed. */
interface Stage {
  readonly trace: HandoffTrace
  readonly cast: GroupCast
  readonly face: Face
  readonly values: Record<string, ChatResult>
  /** The events of each step. */
  readonly events: XEvent[][]
  readonly managers: ReadonlySet<string>
}

/** Replays a trace in one face, and returns its observations in the spelling of the recordings. */
export async function replayHandoffs(
  trace: HandoffTrace,
  face: Face,
  world: World & { readonly handoffs: HandoffWorld },
  recorded: RecordedGroups,
): Promise<RecordedGroups> {
  const cast = groupCastOf(trace, world, face, recorded)
  const patterns = Object.values(trace.given.patterns ?? {})
  const names = patterns.map((each) => each.group_manager_args?.['name'] as string | undefined)
  const managers = new Set(['chat_manager', ...names.filter((name) => name !== undefined)])
  const stage: Stage = { trace, cast, face, values: {}, events: [], managers }
  const results: Facts[] = []
  const { see } = cast.recorder
  ;(cast.recorder as { see: typeof see }).see = (event) => {
    stage.events.at(-1)?.push(event)
    see(event)
  }
  // A silent manager of the reference sends no event of who is next.
  const quiet = new Set(
    patterns.map(({ group_manager_args: args }) => args?.['silent'] === true && (args['name'] ?? 'chat_manager')),
  )
  const isQuiet = (event: XEvent): boolean =>
    event.type === 'groupChatRunChat' && quiet.has(event.agentPath?.at(-2) ?? '')
  for (const step of trace.steps) {
    stage.events.push([])
    try {
      results.push({ value: (await perform(step, stage)) as TraceValue })
    } catch (error) {
      results.push(failed(error, cast))
    }
  }
  return {
    results,
    groups: stage.events.flatMap((events) => transcripts(events, managers)),
    histories: historiesOf(cast, world.handoffs.conversations),
    model_calls: cast.recorder.modelCalls,
    function_calls: cast.recorder.functionCalls,
    events: stage.events.flat().flatMap((event) => (isQuiet(event) ? [] : plainHandoffEvent(event))),
    prompts: cast.typist.prompts,
    random_choices: cast.choices,
  }
}

function failed(error: unknown, { recorder }: GroupCast): Facts {
  if (isXError(error)) {
    const scripted = isXError(error.cause) || recorder.scriptedErrors.has(error)
    return { error: error.message, code: scripted ? null : error.code }
  }
  const isScripted = error instanceof Error && recorder.scriptedErrors.has(error)
  return { error: String(error), code: isScripted ? null : `unexpected ${String(error)}` }
}

function historiesOf(
  { agents }: GroupCast,
  conversations: HandoffWorld['conversations'],
): NonNullable<RecordedGroups['histories']> {
  const table = (agent: Agent): Record<string, Facts[]> =>
    Object.fromEntries(
      [...conversations(agent)].map(({ counterpart, messages }) => [
        counterpart?.name ?? 'none',
        messages.map((message) => plain(message) as Facts),
      ]),
    )
  return Object.fromEntries(Object.entries(agents).map(([name, agent]) => [name, table(agent)]))
}

async function perform(step: HandoffStep, stage: Stage): Promise<unknown> {
  const { cast } = stage
  switch (step.do) {
    case 'initiate_group_chat':
      return shownChat(await chat(step, stage))
    case 'run_group_chat':
      return shownRun(await chat(step, stage), stage)
    case 'get_context':
      return plain(cast.contexts[step.context as string]!.toJSON())
    case 'expression':
      return step.expressions!.map((text) => shownValue(cast.world.expression(text)({ ...step.with })))
    case 'handoffs':
      return shownHandoffs(cast.handoffs[step.on!]!)
    case 'add_after_work':
      add(cast.handoffs[step.on!]!, [step.condition!], false)
      return null
    case 'add_after_works':
      add(cast.handoffs[step.on!]!, step.conditions!, true)
      return null
    case 'guardrail':
      return await guard(step, stage)
    default:
      throw new Error(`the step \`${step.do}\` is not known`)
  }
}

const shownValue = (value: unknown): TraceValue =>
  typeof value === 'object' ? truth(value as TraceValue) : (value as TraceValue)

type GroupResult = ChatResult & {
  readonly contextVariables: object
  readonly lastSpeaker: string
  readonly messages: readonly object[]
}

async function chat(step: HandoffStep, stage: Stage): Promise<GroupResult> {
  const { cast, face, values } = stage
  const { messages, max_rounds: maxRounds, safeguard_policy: policy } = step.with ?? {}
  const given =
    typeof messages === 'string' ? messages : (messages as Facts[]).flatMap((each) => historyOf(each, stage))
  const args = [
    cast.patternOf(step.pattern!),
    given,
    { ...(maxRounds !== undefined && { maxRounds }), ...(policy !== undefined && { safeguardPolicy: policy }) },
  ]
  const see = (event: XEvent): void => cast.recorder.see(event)
  const result = (await call(cast.world.operations, 'initiateGroupChat', args, { face, see })) as GroupResult
  if (step.as !== undefined) values[step.as] = result
  return result
}

/** A message, or those of an earlier chat. */
function historyOf(message: Facts, { values, events, managers }: Stage): readonly Facts[] {
  if ('$history' in message) return values[message['$history'] as string]!.chatHistory as unknown as Facts[]
  if (!('$group' in message)) return [message]
  const groups = events.flatMap((each) => transcripts(each, managers))
  return groups[message['$group'] as number]!['messages'] as unknown as Facts[]
}

function shownChat(result: GroupResult): Facts {
  const {
    chat_history: history,
    summary,
    cost,
    human_input: input,
  } = plain({
    ...result,
    chatId: result.chatId,
  }) as Facts
  return {
    ...{ chat_history: history, summary, cost, human_input: input },
    context_variables: plain(result.contextVariables),
    last_speaker: result.lastSpeaker,
  }
}

function shownRun(result: GroupResult, { events, cast }: Stage): Facts {
  const types = events.at(-1)!.map((event) => [event, plainHandoffEvent(event)[0]?.['type']] as const)
  const list = types.flatMap(([event, type]) =>
    event.type === 'humanInputStart' ? ['input_request'] : type === undefined ? [] : [type as string],
  )
  const shown = shownChat(result)
  return {
    event_types: [...list, 'run_completion'],
    summary: shown['summary'],
    messages: shown['chat_history'],
    last_speaker: shown['last_speaker'],
    context_variables: shown['context_variables'],
    prompts: cast.typist.prompts.length,
  }
}

/** Adds after-works as the reference does: one without a condition takes the place of any such, and stands last. */
function add(list: Added[], given: readonly GivenHandoff[], isList: boolean): void {
  const replaces = isList || given.some(({ when }) => !when)
  const kept = list.filter(({ time, when }) => time !== 'after' || Boolean(when) || !replaces)
  const [own, last] = [given.filter(({ when }) => when), given.findLast(({ when }) => !when)]
  const others = kept.filter(({ time, when }) => time !== 'after' || when)
  const unconditional = kept.filter(({ time, when }) => time === 'after' && !when)
  const more = [...own, ...(last ? [last] : [])].map((each): Added => ({ ...each, time: 'after' }))
  list.splice(
    0,
    list.length,
    ...others,
    ...more.filter(({ when }) => when),
    ...unconditional,
    ...more.filter(({ when }) => !when),
  )
}

const TARGET_NAMES: Readonly<Record<string, string>> = {
  stay: 'Stay',
  terminate: 'Terminate',
  revert_to_user: 'Revert to User',
  ask_user: 'Ask User',
  group_manager: 'the group manager',
  random_agent: '<Not Randomly Selected Yet>',
}

function shownHandoffs(list: readonly Added[]): Facts {
  const shown = ({ to, when }: Added, conditional: boolean): Facts => ({
    to: { target: to['target'], name: TARGET_NAMES[to['target'] as string] ?? to['agent'] ?? to['fn'] },
    ...(conditional && { conditional: Boolean(when) }),
  })
  const of = (time: Added['time']): Added[] => list.filter((each) => each.time === time)
  const after = of('after')
  const last = after.findLast(({ when }) => !when)
  return {
    after: [...after.filter(({ when }) => when), ...(last ? [last] : [])].map((each) => shown(each, true)),
    context: of('context').map((each) => shown(each, true)),
    llm: of('llm').map((each) => shown(each, false)),
  }
}

/** Asks a guardrail in a group of one agent, and reads its finding from the reply. */
async function guard({ guardrail, context }: HandoffStep, { cast, face }: Stage): Promise<Facts> {
  const { to: _, ...given } = guardrail!
  const texts = typeof context === 'string' ? [{ content: context }] : (context as Facts[])
  const guarded = cast.guardrailOf({ ...given, to: { target: 'terminate' } })
  const Class = Object.values(cast.agents)[0]!.constructor as unknown as new (options: object) => Agent
  const io = { send: () => {}, input: () => '', takes: new Set<string>() }
  const agent = new Class({ name: 'guarded', humanInputMode: 'NEVER', io, defaultAutoReply: 'passed' })
  const pattern = cast.world.pattern('default', {
    initialAgent: agent,
    agents: [{ agent, inputGuardrails: [guarded] }],
    groupManagerArgs: { io },
  })
  const messages = texts.map((each) => ({ ...each, role: 'user' }))
  const asked = { face, see: () => {} }
  const result = (await call(cast.world.operations, 'initiateGroupChat', [pattern, messages], asked)) as GroupResult
  const reply = (result.messages.at(-1) as { content: string }).content
  return { activated: reply !== 'passed', reply }
}
