import type { ConversableAgent } from '@x/agent'
import type { ChatMessage, EventBody } from '@x/interfaces'
import type { Steps } from '@x/kernel'
import { applyRule, messageTexts, mapTexts, type PolicyRule } from './policy.ts'
import { judgeByModel } from './guard.steps.ts'
import type { PatternRun } from './pattern-run.ts'

/** The sender and the receiver of a text: names of agents, the name of a tool, `llm` or `user`. */
interface Route {
  readonly from: string
  readonly to: string
}

/** Returns the rules for a route. */
const rulesFor = (rules: readonly PolicyRule[], { from, to }: Route): readonly PolicyRule[] =>
  rules.filter((rule) => (rule.from === '*' || rule.from === from) && (rule.to === '*' || rule.to === to))

const safeguardEvent = ({ action, check }: PolicyRule, { from, to }: Route): EventBody => ({
  type: 'safeguard',
  agent: from,
  source: from,
  target: to,
  action,
  check: typeof check === 'string' ? 'llm' : 'regex',
})

/** Applies rules to a message on its route, and returns the message after them; each violation is an event. */
export function* screenMessage(
  run: PatternRun,
  rules: readonly PolicyRule[],
  route: Route,
  message: ChatMessage,
): Steps<ChatMessage> {
  let screened = message
  for (const rule of rulesFor(rules, route)) {
    const changes = new Map<string, string>()
    for (const text of messageTexts(screened)) {
      if (yield* isViolated(run, rule, text)) changes.set(text, applyRule(rule, text))
    }
    if (changes.size === 0) continue
    yield safeguardEvent(rule, route)
    screened = mapTexts(screened, (text) => changes.get(text) ?? text)
  }
  return screened
}

function* isViolated(run: PatternRun, { check, to }: PolicyRule, text: string): Steps<boolean> {
  if (check instanceof RegExp) return check.test(text)
  const { policyModel, manager } = run
  if (!policyModel) return false
  const guarded = { agent: manager, messages: [{ role: 'user', content: text } as ChatMessage] }
  const condition = { condition: check, llmConfig: policyModel }
  return (yield* judgeByModel(run, `the policy for ${to}`, condition, guarded)) !== null
}

/** Applies rules to messages on their route to a model, and returns the messages after them and the events of violations. */
export function screenModelMessages(
  { policy }: PatternRun,
  { name }: ConversableAgent,
  messages: readonly ChatMessage[],
): { readonly messages: readonly ChatMessage[]; readonly events: readonly EventBody[] } {
  const route = { from: name, to: 'llm' }
  const events: EventBody[] = []
  let screened = messages
  for (const rule of rulesFor(policy.models, route)) {
    let found = false
    screened = screened.map((message) =>
      mapTexts(message, (text) => {
        if (!(rule.check as RegExp).test(text)) return text
        found = true
        return applyRule(rule, text)
      }),
    )
    if (found) events.push(safeguardEvent(rule, route))
  }
  return { messages: screened, events }
}

/** Applies rules to a text on its route: returns the text after them, or the text to read in place of a blocked one. */
export function* screenText(
  run: PatternRun,
  rules: readonly PolicyRule[],
  route: Route,
  text: string,
): Steps<{ readonly blocked: string | null; readonly text: string }> {
  let screened = text
  for (const rule of rulesFor(rules, route)) {
    if (!(yield* isViolated(run, rule, screened))) continue
    yield safeguardEvent(rule, route)
    if (rule.action === 'block') return { blocked: applyRule(rule, screened), text: screened }
    screened = applyRule(rule, screened)
  }
  return { blocked: null, text: screened }
}
