import type { Tool, ToolContext } from '@x/interfaces'
import { isXError } from '@x/kernel'
import { contentOfResult } from '@x/kernel/tool-content'
import { blockOf } from '../text/content-blocks.ts'
import type { StateSeal } from './sealed-state.ts'
import { askClient, decisionOf, failed, given, type ServedCall, type ServedOutcome } from './served-call.ts'

/** Calls a tool for a client: checks the arguments, asks for an approval where the tool wants one. */
export async function serveTool(seal: StateSeal, its: Tool, call: ServedCall): Promise<ServedOutcome> {
  const valid = (await its.validate?.(call.args)) ?? { value: call.args }
  if ('issues' in valid) {
    const issues = valid.issues.map(({ path, message }) => `${path.join('.') || 'the arguments'}: ${message}`)
    return failed(`the arguments do not fit: ${issues.join('; ')}`)
  }
  if (await wantsApproval(its, call)) {
    if (!call.canAsk) return failed('it needs the approval of a person, and this client can ask nobody')
    if (!call.waiting) {
      const shown = JSON.stringify(call.args).slice(0, 4000)
      return await askClient(seal, call, { entries: [], pending: ['call'] }, { call: `Call ${its.name}(${shown})?` })
    }
    const decision = decisionOf(call.answers['call'])
    if (!decision.allow) return failed(`the call was denied: ${decision.reason}`)
  }
  const context: ToolContext = { run: undefined, key: call.key, signal: call.signal }
  const execute = its.execute as (args: unknown, context: ToolContext) => unknown
  try {
    const result = await execute(valid.value, context)
    const content = contentOfResult(result)
    if (Array.isArray(content)) return { content: content.map(blockOf) }
    return given(content ?? (typeof result === 'string' ? result : (JSON.stringify(result) ?? '')))
  } catch (error) {
    // What a tool says of its failure is for the model that called it; other errors are ours.
    if (isXError(error, 'tool-failed') || isXError(error, 'invalid-argument')) return failed(error.message)
    throw error
  }
}

async function wantsApproval({ needsApproval }: Tool, { args, signal }: ServedCall): Promise<boolean> {
  if (typeof needsApproval !== 'function') return needsApproval === true
  return await needsApproval(args, { run: undefined, signal })
}
