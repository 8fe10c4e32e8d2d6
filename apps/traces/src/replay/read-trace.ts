import { XError } from '@x/kernel'
import type { Trace } from './trace.ts'

type Shape = Readonly<Record<string, Check>>
type Check = (value: unknown, at: string) => void

/** Reads a trace file. It refuses unknown keys, so that no recorded fact is skipped in silence. */
export function readTrace(text: string, file: string): Trace {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new XError('invalid-argument', `the trace \`${file}\` is no JSON: record it again`, { cause })
  }
  const at = `the trace \`${file}\``
  map()(value, at)
  const { then: recorded, ...rest } = value as Omit<Trace, 'recorded'> & { then: Trace['recorded'] }
  object(TRACE, ['name', 'given', 'steps'])(rest, at)
  object({ both: RECORDED, sync: RECORDED, async: RECORDED })(recorded, `${at}.then`)
  return { ...rest, recorded }
}

function refuse(at: string, wrong: string): never {
  throw new XError('invalid-argument', `${at} ${wrong}: see the format of the traces`)
}

const anything: Check = () => {}

const ofType =
  (type: 'string' | 'number' | 'boolean'): Check =>
  (value, at) => {
    if (typeof value !== type) refuse(at, `is no ${type}`)
  }

const list =
  (item: Check = anything): Check =>
  (value, at) => {
    if (!Array.isArray(value)) return refuse(at, 'is no list')
    for (const [index, one] of value.entries()) item(one, `${at}[${index}]`)
  }

const map =
  (item: Check = anything): Check =>
  (value, at) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return refuse(at, 'is no object')
    for (const [key, one] of Object.entries(value)) item(one, `${at}.${key}`)
  }

const object =
  (shape: Shape, required: readonly string[] = []): Check =>
  (value, at) => {
    map()(value, at)
    const given = value as Record<string, unknown>
    for (const key of required) if (!Object.hasOwn(given, key)) refuse(at, `has no \`${key}\``)
    for (const [key, one] of Object.entries(given)) {
      const check = Object.hasOwn(shape, key) ? shape[key] : undefined
      if (!check) return refuse(`${at}.${key}`, 'is not known')
      check(one, `${at}.${key}`)
    }
  }

const text = ofType('string')
const number = ofType('number')
const flag = ofType('boolean')

const REPLY: Check = (value, at) => {
  if (typeof value === 'string') return
  object({
    content: anything,
    tool_calls: list(),
    function_call: map(),
    role: text,
    usage: list(number),
    error: text,
    message: text,
  })(value, at)
}

const MODEL = object({
  replies: list(REPLY),
  rules: list(object({ when: text, reply: REPLY }, ['when', 'reply'])),
  usage: list(number),
  cost: number,
})

const AGENT = object(
  {
    class: text,
    options: map(),
    model: text,
    request: map(),
    run_code: list(list()),
    group: text,
    thinker_model: text,
    grader_model: text,
  },
  ['class'],
)

/** A line that is typed, or an interrupt. */
const TYPED: Check = (value, at) => {
  const isInterrupt = typeof value === 'object' && value !== null && 'interrupt' in value
  if (isInterrupt) object({ interrupt: flag })(value, at)
  else text(value, at)
}

const OUTCOME: Check = (value, at) => {
  if (!Array.isArray(value)) object({ raise: text, interrupt: flag })(value, at)
}

const TOOL: Shape = { description: text, params: map(map()), result: map(), async: flag }

/** Fields of the scripted callables by kind. */
const FUNCTIONS: Readonly<Record<string, Shape>> = {
  tool: TOOL,
  reply: { results: list(OUTCOME), count_in_config: text, note_last_speaker: flag, async: flag },
  nested_reply: { result: list(), async: flag },
  termination: { contains: text, ends_with: text },
  filter: { contains: text },
  trigger: { sender_in: list(text) },
  content_hook: { append: text },
  send_hook: { append: text },
  messages_hook: { keep_last: number },
  state_hook: { set_system_message: text },
  message: { template: text },
  nested_message: { template: text },
  summary: { template: text },
  template: { template: text },
  reset_config: { to: map() },
  speaker_selection: { results: list() },
  transform: { keep_last: number },
  text: { replace: text, by: text },
}

const FUNCTION: Check = (value, at) => {
  map()(value, at)
  const { kind } = value as { kind?: unknown }
  const shape = typeof kind === 'string' && Object.hasOwn(FUNCTIONS, kind) ? FUNCTIONS[kind] : undefined
  if (!shape) return refuse(`${at}.kind`, `\`${String(kind)}\` is not known`)
  object({ kind: text, ...shape })(value, at)
}

const STEP = object(
  {
    do: text,
    name: text,
    on: anything,
    group: text,
    wrapper: text,
    args: list(),
    with: map(),
    path: list(),
    as: text,
    of: text,
    tool: text,
    fn: text,
  },
  ['do'],
)

const RECORDED = object(
  {
    results: list(map()),
    histories: map(map(list())),
    auto_reply_counters: map(map(number)),
    model_calls: list(object({ model: text, params: map() }, ['model', 'params'])),
    model_call_counts: map(number),
    function_calls: list(map()),
    events: list(map()),
    prompts: list(text),
    log: list(map()),
    warnings: number,
    groups: map(list()),
    draws: list(object({ of: list(text), drawn: text })),
  },
  ['results'],
)

const TRACE: Shape = {
  name: text,
  about: text,
  given: object({
    models: map(MODEL),
    agents: map(AGENT),
    human: list(TYPED),
    groups: map(map()),
    random: list(number),
    tools: map(object(TOOL, ['result'])),
    functions: map(FUNCTION),
  }),
  steps: list(STEP),
  log: flag,
  count_model_calls: flag,
}
