import { printable } from '@x/agent'
import type { Reply, XEvent } from '@x/interfaces'
import { type KeptRun, runSteps, type RunStep } from '@x/records'
import type { Paint } from '../chat-view.ts'
import {
  countText,
  costText,
  dollarsText,
  durationText,
  oneLine,
  outcomeText,
  replyText,
  sumOf,
  timeText,
  tokensText,
} from './log-text.ts'

/** How a run is shown. */
export interface TreeOptions {
  readonly paint: Paint
  /** True to show texts whole; false to show the beginning of each in one line. */
  readonly full: boolean
}

/** Characters of a text that a line of a tree shows. */
const MAX_TEXT_LENGTH = 160

/** A line of the tree, and the lines inside it. */
interface TreeNode {
  /** Name of the speaker, or of the kind of the call: set off. */
  readonly head: string
  readonly text: string
  /** Time, tokens and cost. */
  readonly figures: readonly string[]
  readonly error: string | null
  readonly children: readonly TreeNode[]
}

/** Shows a run as a tree: who said what, the models and tools inside, and the time, tokens and cost of each. */
export function treeText(run: KeptRun, options: TreeOptions): string {
  const nodes = runSteps(run).map(nodeOf)
  const tree = nodes.map((node) => (node ? nodeText(node, '', '', options) : '')).join('')
  // Of the chat of a host, the journal is all that is known of its answers.
  return `${headText(run, options)}\n${tree}${run.calls.length === 0 ? journalText(run, options) : partsText(run, options)}`
}

/** The outcome of a part in a record. */
interface PartOutcome {
  readonly value?: unknown
  readonly error?: { readonly message?: unknown } | undefined
}

/** Shows the parts of a hosted chat that other workers have run: they have no place in it. */
function partsText({ calls, entries }: KeptRun, { paint, full }: TreeOptions): string {
  const limit = full ? Infinity : MAX_TEXT_LENGTH
  const outcomes = new Map(entries.flatMap(({ kind, name, value }) => (kind === 'part' ? [[name, value]] : [])))
  const texts = calls
    .filter(({ kind }) => kind === 'part')
    .map(({ name, input }) => {
      const asked = `part ${(name ?? '').split(' ')[0]}(${JSON.stringify(input['input'])})`
      const outcome = outcomes.get(name ?? undefined) as PartOutcome | undefined
      if (!outcome) return oneLine(asked, limit)
      const { value, error } = outcome
      if (!error) return oneLine(`${asked} = ${JSON.stringify(value)}`, limit)
      return `${oneLine(asked, limit)}  ${paint('red', oneLine(String(error.message), limit))}`
    })
  return texts.length > 0 ? `\n${texts.join('\n')}\n` : ''
}

function journalText({ entries }: KeptRun, { paint, full }: TreeOptions): string {
  if (entries.length === 0) return ''
  const lines = entries.map(({ place, kind, name, value }) => {
    const answer = oneLine(JSON.stringify(value) ?? '', full ? Infinity : MAX_TEXT_LENGTH)
    return `${oneLine([place, kind, name].filter(Boolean).join(' '))}  ${paint('dim', answer)}\n`
  })
  return `\n${paint('bold', 'journal')}\n${lines.join('')}`
}

function headText({ info }: KeptRun, { paint }: TreeOptions): string {
  const spent = sumOf(info.spent)
  const { calls, promptTokens, completionTokens } = spent
  const used = `${countText(calls, 'call')} · ${tokensText(promptTokens, completionTokens)} · ${costText(spent)}`
  const named = (pairs: readonly (readonly [string, unknown])[]): string =>
    pairs
      .map(([name, value]) => oneLine(`${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`))
      .join(' ')
  const tags = named(Object.entries(info.tags))
  const labels = named(info.labels.map(({ name, value, place }) => [place === null ? name : `${name}@${place}`, value]))
  const lines = [
    `${paint('bold', `run ${printable(info.runId)}`)}  ${timeText(info.began)}`,
    `${outcomeText(info)} · ${durationText(info.last - info.began)} · ${used}`,
    ...(tags ? [`tags: ${tags}`] : []),
    ...(labels ? [`labels: ${labels}`] : []),
    ...(info.parent
      ? [`forked from ${printable(info.parent.runId)} at ${printable(info.parent.place ?? 'its end')}`]
      : []),
    ...(info.error === null ? [] : [paint('red', oneLine(`error: ${info.error}`))]),
    ...(info.problem === null ? [] : [paint('yellow', oneLine(`cannot be repeated: ${info.problem}`))]),
  ]
  return `${lines.join('\n')}\n`
}

function nodeText(node: TreeNode, first: string, rest: string, options: TreeOptions): string {
  const { paint, full } = options
  const figures = node.figures.length > 0 ? `  ${paint('dim', node.figures.join(' · '))}` : ''
  const error = node.error === null ? '' : `  ${paint('red', oneLine(node.error, MAX_TEXT_LENGTH))}`
  const [line = '', ...more] = full ? printable(node.text.trimEnd()).split('\n') : [oneLine(node.text, MAX_TEXT_LENGTH)]
  const head = [...(node.head ? [paint('bold', printable(node.head))] : []), ...(line ? [line] : [])].join(' ')
  const inside = node.children.length > 0 ? '│ ' : '  '
  const own = [`${first}${head}${figures}${error}`, ...more.map((each) => `${rest}${inside}${each}`)]
  const children = node.children.map((child, index) => {
    const isLast = index === node.children.length - 1
    return nodeText(child, `${rest}${isLast ? '└─ ' : '├─ '}`, `${rest}${isLast ? '   ' : '│  '}`, options)
  })
  return `${own.join('\n')}\n${children.join('')}`
}

/** The end of a question to a model, or of one attempt at it. */
type ModelEnd = Extract<XEvent, { type: 'modelCallEnd' | 'modelAttemptEnd' }>

/** A part of a run, as whoever follows it gets it. */
type RunPart = Pick<KeptRun, 'events' | 'entries'>

/** The answers of models that no reply tells, such as those for a summary: they are in the journal of the record. */
class ModelAnswers {
  readonly #byPlace = new Map<string, Reply | null>()
  readonly #told = new Set<string>()

  constructor(run: RunPart) {
    this.add(run)
  }

  /** Takes what comes behind the events so far. */
  add({ events, entries }: RunPart): void {
    for (const { place, kind, value } of entries) {
      if (kind === 'model') this.#byPlace.set(place, (value as { readonly reply?: Reply } | null)?.reply ?? null)
    }
    for (const event of events)
      if (event.type === 'replyStart' || event.type === 'modelCallStart') this.#told.add(event.id)
  }

  /** Returns the place of a question to a model whose answer no span around it tells; null for others. */
  placeOf({ id, parentId }: { readonly id: string; readonly parentId: string | null }): string | null {
    const place = placeIn(id)
    return this.#byPlace.has(place) && (parentId === null || !this.#told.has(parentId)) ? place : null
  }

  at(place: string): string {
    return replyText(this.#byPlace.get(place) ?? null)
  }

  /** Returns the words of an answer at the end of the question; empty where something else tells them. */
  of(event: ModelEnd): string {
    const place = event.outcome === 'ok' ? this.placeOf(event) : null
    return place === null ? '' : this.at(place)
  }

  /** True if a span around an event tells its words. */
  isTold(parentId: string | null): boolean {
    return parentId !== null && this.#told.has(parentId)
  }
}

/** Returns the node of a step; null for a reply in which nothing was said or done. */
function nodeOf(step: RunStep): TreeNode | null {
  const { kind, output, outcome, ms } = step
  const steps = isPlain(step) ? [] : step.steps
  const children = steps.map(nodeOf).filter((node) => node !== null)
  if (kind === 'reply' && !output && children.length === 0 && outcome === 'ok') return null
  const { head, text } = wordsOf(step)
  // The time and the errors of an answer are told by the attempts at it.
  if (kind === 'answer') return { head, text, figures: [], error: null, children }
  return {
    head,
    text,
    figures: [...usedIn(step), ...(ms === null ? [] : [durationText(ms)])],
    error: step.error,
    children,
  }
}

/** True for a question to a model that its first attempt answered: that is told by the question. */
const isPlain = ({ kind, steps }: RunStep): boolean =>
  kind === 'modelCall' && steps.length === 1 && steps[0]!.outcome === 'ok'

function wordsOf({ kind, agent, name, input, output, place, ms, error }: RunStep): {
  readonly head: string
  readonly text: string
} {
  const at = place === null ? '' : ` [${place}]`
  switch (kind) {
    case 'chat':
      return { head: `${agent ?? ''} → ${name ?? ''}:`, text: input }
    case 'reply':
    case 'answer':
      return { head: `${agent ?? ''}:`, text: output }
    case 'modelCall':
      return { head: 'model', text: `${name ?? ''}${at}`.trim() }
    case 'modelAttempt':
      return { head: error === null ? 'model' : 'attempt', text: `${name ?? ''}${input && ` at ${input}`}${at}` }
    case 'tool':
      return { head: 'tool', text: `${name ?? ''}(${input})${at}${output && ` = ${output}`}` }
    case 'code':
      return { head: 'code', text: `${input.trimEnd()}${ms === null ? '' : ` = ${output}`}` }
    case 'humanInput':
      return { head: 'person', text: `${input} ${output}` }
    case 'search':
      return { head: 'search', text: [input, output].filter(Boolean).join(' = ') }
    case 'searchJob':
      return { head: name ?? '', text: input }
    case 'note':
      return { head: name ?? '', text: output }
  }
}

/** Returns the place of a call, of which the id of an attempt has one more part. */
const placeIn = (id: string): string => id.replace(/\.span\d+$/u, '')

const agentOf = ({ agent }: XEvent): string => agent ?? ''

type Used = {
  readonly cached: boolean
  readonly cost: number | null
  readonly usage: { readonly promptTokens: number; readonly completionTokens: number } | null
}

function usedIn(end: Used | null): readonly string[] {
  if (!end?.usage) return []
  const { cached, usage, cost } = end
  return [tokensText(usage.promptTokens, usage.completionTokens), cached ? 'cached' : dollarsText(cost)]
}

/** A message of a run, in the order in which they were said. */
export interface SaidMessage {
  readonly who: string
  readonly text: string
}

/** Returns who said what in a run, in all of its chats. */
export function saidMessages(run: KeptRun): readonly SaidMessage[] {
  const answers = new ModelAnswers(run)
  return run.events.flatMap((event): SaidMessage[] => {
    const text = saidBy(event, answers)
    return text ? [{ who: agentOf(event), text }] : []
  })
}

/** Returns the words that an event tells first; empty for none. */
function saidBy(event: XEvent, answers: ModelAnswers): string {
  switch (event.type) {
    case 'chatStart':
      return replyText(event.message)
    case 'replyEnd':
      return replyText(event.reply)
    case 'modelCallEnd':
    case 'modelAttemptEnd':
      return answers.of(event)
    case 'toolEnd':
      return answers.isTold(event.parentId) ? '' : (event.result ?? '')
    case 'codeEnd':
      return answers.isTold(event.parentId) ? '' : event.output
    case 'humanInputEnd':
      return answers.isTold(event.parentId) ? '' : (event.answer ?? '')
    default:
      return ''
  }
}

/** Makes lines about the events of a run, for whoever follows it, from each further part of it; empty for those that tell nothing new. */
export function eventTeller(): (part: RunPart) => readonly string[] {
  const answers = new ModelAnswers({ events: [], entries: [] })
  return (part) => {
    answers.add(part)
    return part.events.map((event) => eventLine(event, answers))
  }
}

function eventLine(event: XEvent, answers: ModelAnswers): string {
  const words = eventWords(event, answers)
  if (words === '') return ''
  const time = new Date(event.time).toISOString().slice(11, 23)
  const parts = [time, oneLine(words, MAX_TEXT_LENGTH)]
  if ('ms' in event) {
    parts.push(durationText(event.ms))
    if (event.outcome !== 'ok') parts.push(oneLine(event.error?.message ?? event.outcome, MAX_TEXT_LENGTH))
  }
  return parts.filter((part) => part !== '').join('  ')
}

function eventWords(event: XEvent, answers: ModelAnswers): string {
  switch (event.type) {
    case 'chatStart':
      return `${event.agent} → ${event.recipient}: ${replyText(event.message)}`
    case 'chatEnd':
      return `chat of ${event.agent} and ${event.recipient} has ended: ${event.terminationReason ?? event.outcome}`
    case 'replyEnd':
      return event.reply === null ? '' : `${event.agent}: ${replyText(event.reply)}`
    case 'modelCallEnd':
    case 'modelAttemptEnd': {
      if (event.type === 'modelAttemptEnd' && event.kind !== null) return `attempt of ${agentOf(event)}: ${event.kind}`
      const said = answers.of(event)
      // An attempt inside the span of a question is told by its end.
      if (event.type === 'modelAttemptEnd' && event.parentId === placeIn(event.id)) return ''
      return `${agentOf(event)}${said ? `: ${said}` : ' asked'} (${[event.model ?? 'a model', ...usedIn(event)].join(', ')})`
    }
    case 'toolStart':
      return `${event.agent} calls ${event.name}(${JSON.stringify(event.arguments ?? '')})`
    case 'toolEnd':
      return `${event.name} = ${event.result ?? ''}`
    case 'codeEnd':
      return `code has printed: ${event.output}`
    case 'humanInputEnd':
      return `person: ${event.answer ?? ''}`
    case 'searchJobEnd':
      return `${event.kind} ${event.job}`
    default: {
      const [step] = runSteps({ events: [event], entries: [], calls: [] })
      return step?.kind === 'note' ? `${step.name}: ${step.output}` : ''
    }
  }
}
