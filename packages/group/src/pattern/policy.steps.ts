import type { ConversableAgent } from '@x/agent'
import type { ChatMessage, EventBody } from '@x/interfaces'
import type { Steps } from '@x/kernel'
import { matchOf, textAfter, textsOf, withTexts, type PolicyRule } from './policy.ts'
import { judgement } from './guard.steps.ts'
import type { PatternRun } from './pattern-run.ts'

/** What goes from one to another: names of agents, of a tool, `llm` or `user`. */
interface Way {
  readonly from: string
  readonly to: string
}

/** The rules that watch a way. */
const rulesFor = (rules: readonly PolicyRule[], { from, to }: Way): readonly PolicyRule[] =>
  rules.filter((rule) => (rule.from === '*' || rule.from === from) && (rule.to === '*' || rule.to === to))

const eventOf = ({ action, check }: PolicyRule, { from, to }: Way): EventBody => ({
  type: 'safeguard',
  agent: from,
  source: from,
  target: to,
  action,
  check: typeof check === 'string' ? 'llm' : 'regex',
})

/** A message as rules leave it on its way; each rule that finds something is an event. */
export function* messageOnWay(
  run: PatternRun,
  rules: readonly PolicyRule[],
  way: Way,
  message: ChatMessage,
): Steps<ChatMessage> {
  let left = message
  for (const rule of rulesFor(rules, way)) {
    let found = false
    const changes = new Map<string, string>()
    for (const text of textsOf(left)) {
      const why = yield* findingIn(run, rule, text)
      if (why === null) continue
      found = true
      changes.set(text, textAfter(rule, text, why))
    }
    if (!found) continue
    yield eventOf(rule, way)
    left = withTexts(left, (text) => changes.get(text) ?? text)
  }
  return left
}

function* findingIn(run: PatternRun, { check, to }: PolicyRule, text: string): Steps<string | null> {
  if (check instanceof RegExp) return matchOf(check, text)
  const { policyModel, manager } = run
  if (!policyModel) return null
  const asked = { agent: manager, messages: [{ role: 'user', content: text } as ChatMessage] }
  return yield* judgement(run, `the policy for ${to}`, { condition: check, llmConfig: policyModel }, asked)
}

/** Messages as rules leave them on their way to a model, and the events of what they have found. */
export function messagesForModel(
  { policy }: PatternRun,
  { name }: ConversableAgent,
  messages: readonly ChatMessage[],
): { readonly messages: readonly ChatMessage[]; readonly events: readonly EventBody[] } {
  const way = { from: name, to: 'llm' }
  const events: EventBody[] = []
  let left = messages
  for (const rule of rulesFor(policy.models, way)) {
    let found = false
    left = left.map((message) =>
      withTexts(message, (text) => {
        const why = matchOf(rule.check as RegExp, text)
        if (why === null) return text
        found = true
        return textAfter(rule, text, why)
      }),
    )
    if (found) events.push(eventOf(rule, way))
  }
  return { messages: left, events }
}

/** Asks the rules of a way whether they block something; gives the text to read in its place, or null. */
export function* blockedOnWay(
  run: PatternRun,
  rules: readonly PolicyRule[],
  way: Way,
  text: string,
): Steps<{ readonly blocked: string | null; readonly text: string }> {
  let left = text
  for (const rule of rulesFor(rules, way)) {
    const why = yield* findingIn(run, rule, left)
    if (why === null) continue
    yield eventOf(rule, way)
    if (rule.action === 'block') return { blocked: textAfter(rule, left, why), text: left }
    left = textAfter(rule, left, why)
  }
  return { blocked: null, text: left }
}
