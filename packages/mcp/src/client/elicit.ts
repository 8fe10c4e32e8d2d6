import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/client'
import type { Io } from '@x/interfaces'
import { plainLine, plainText } from '../text/plain-text.ts'
import { fieldsOf, type Field, type FieldValue } from './elicit-field.ts'

/** Asks a person. */
type Ask = (prompt: string) => Promise<string>

/** Times that a person may answer one question wrongly. */
const ATTEMPTS = 3

/** Asks a person what a server wants to know; the person may decline, and nothing is opened or filled in for them. */
export async function elicitFrom(
  io: Pick<Io, 'input'>,
  server: string,
  { params }: ElicitRequest,
  signal: AbortSignal,
): Promise<ElicitResult> {
  const ask: Ask = async (prompt) => (await io.input(prompt, { signal })).trim()
  const message = plainText(params.message, 2000)
  const head = `The MCP server \`${server}\` asks: ${message}\n`
  if (params.mode === 'url') {
    const url = plainLine(params.url, 2000)
    const host = URL.canParse(params.url) ? new URL(params.url).host : 'no host'
    return decisionOf(
      await ask(`${head}It wants you to open an address of ${host}: ${url}\nOpen it yourself, then type yes; or no: `),
    )
  }
  const fields = fieldsOf(params.requestedSchema)
  const decision = decisionOf(await ask(`${head}Answer it? (yes, no): `))
  if (decision.action !== 'accept') return decision
  const content: Record<string, FieldValue> = {}
  for (const field of fields) {
    const value = await askField(ask, field)
    if (value === CANCELLED) return { action: 'cancel' }
    if (value !== undefined) content[field.name] = value
  }
  return { action: 'accept', content }
}

const CANCELLED = Symbol('cancelled')

async function askField(ask: Ask, field: Field): Promise<FieldValue | undefined | typeof CANCELLED> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const typed = await ask(`${plainLine(field.prompt, 1000)}: `)
    if (typed === '') {
      if (field.initial !== undefined) return field.initial
      if (!field.required) return undefined
    }
    const value = field.read(typed)
    if (value !== undefined) return value
  }
  return CANCELLED
}

/** Anything but yes or no means that nothing was decided. */
function decisionOf(typed: string): ElicitResult {
  if (/^y(?:es)?$/iu.test(typed)) return { action: 'accept' }
  return { action: /^no?$/iu.test(typed) ? 'decline' : 'cancel' }
}
