import { invalid, type Refusal } from './wire-error.ts'

type Body = Readonly<Record<string, unknown>>

/** Refuses requests to chat completions that OpenAI's models take by the Responses API only, in the words of the API. */
export function strictReach(body: Body): Refusal | undefined {
  const model = typeof body['model'] === 'string' ? body['model'] : ''
  if (/codex|-pro(?:-|$)|deep-research|computer-use/u.test(model)) {
    const refused = invalid('This model is only supported in v1/responses and not in v1/chat/completions.', 'model')
    return { ...refused, status: 404 }
  }
  const effort = body['reasoning_effort'] ?? undefined
  const reasons = toolsReason(model, effort !== undefined)
  if (!reasons || effort === 'none' || !Array.isArray(body['tools'])) return undefined
  return invalid(
    `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.`,
    'reasoning_effort',
  )
}

/** Tells models that reason while they use tools: gpt-5.4 when the request has an effort, later ones always. */
function toolsReason(model: string, withEffort: boolean): boolean {
  const [, major = '0', minor = '0'] = /^gpt-(\d+)(?:\.(\d+))?(?!.*-chat)/u.exec(model) ?? []
  const version = Number(major) * 100 + Number(minor)
  return version > 504 || (version === 504 && withEffort)
}
