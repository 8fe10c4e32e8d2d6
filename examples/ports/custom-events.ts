/**
 * A tool that tells how far it is, by events of the program's own, and a reader that stops the run at a stage that it does not
 * like. After `agentchat_custom_events.ipynb` of AG2.
 */
import { deepEqual } from 'node:assert/strict'
import { createAgent, customEvents, tool } from '@x/agent'
import { scriptedModel } from '@x/testing'
import { z } from 'zod'

const own = customEvents({
  pipelineStage: z.object({ stage: z.string(), records: z.number(), passed: z.boolean() }),
})

const runDataPipeline = tool({
  name: 'run_data_pipeline',
  description: 'Extracts, transforms, validates and loads records.',
  parameters: z.object({ source: z.string(), records: z.number() }),
  async execute({ records }, { run }) {
    const kept = Math.floor(records * 0.95)
    for (const stage of ['extract', 'transform', 'validate', 'load']) {
      // The pipeline waits until the reader has read, so that it can be stopped here.
      await run?.emit(own.event('pipelineStage', { stage, records: kept, passed: stage !== 'validate' }))
    }
    return `Loaded ${kept} records`
  },
})

// A simulated model: `llmConfig({ … })` of `@x/model` gives a real one.
const model = scriptedModel([
  {
    tool_calls: [{ id: 'c1', function: { name: 'run_data_pipeline', arguments: '{"source":"sales","records":1000}' } }],
  },
])
const engineer = createAgent({ name: 'data_engineer', model, tools: runDataPipeline })

const stages: string[] = []
for await (const event of engineer.runStream('Process 1000 records of sales.')) {
  if (event.type === 'toolStart') console.log(`calls ${event.name}`)
  if (!own.is(event, 'pipelineStage')) continue
  const { stage, records, passed } = event.data
  console.log(`${stage}: ${records} records, ${passed ? 'passed' : 'failed'}`)
  stages.push(stage)
  // Who leaves the stream stops the run.
  if (!passed) break
}
deepEqual(stages, ['extract', 'transform', 'validate'])
