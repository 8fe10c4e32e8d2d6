import { createAgent, tool } from '@x/agent'
import { openRecords } from '@x/records'
import { functionModel } from '@x/testing'

/** Calls of a turn, which are made at once. */
const CALLS = 50
/** Events of a call. */
const EVENTS_PER_CALL = 3

const look = tool({
  name: 'look',
  description: 'Looks at a number.',
  parameters: { type: 'object', properties: { number: { type: 'number' } } },
  execute: ({ number }) => `seen ${String(number)}`,
})

/** Records a run with about as many events as are wanted: turns of many calls of tools. */
export async function recordLongRun(file: string, events: number): Promise<string> {
  const records = openRecords(file)
  let turn = 0
  const model = functionModel(() => {
    if (++turn * CALLS * EVENTS_PER_CALL > events) return 'All is seen.'
    const calls = Array.from({ length: CALLS }, (_, index) => {
      const args = JSON.stringify({ number: turn * CALLS + index })
      return { id: `c${turn}-${index}`, function: { name: 'look', arguments: args } }
    })
    return { tool_calls: calls }
  })
  await createAgent({ name: 'watch', model }).run('Look at all numbers.', {
    tools: look,
    tracer: records,
    maxTurns: 1e6,
  })
  records.flush()
  const [info] = await records.list()
  records.close()
  return info!.runId
}
