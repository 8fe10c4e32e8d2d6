import { createAgent } from '@x/agent'
import type { RepeatedProgram } from '@x/records'
import { functionModel } from '@x/testing'

/** Asks what `x ask` asks, of a model that is never reached: the program of a test of its records. */
const program: RepeatedProgram = async (options, run) => {
  const model = functionModel(() => {
    throw new Error('a model was asked in a replay')
  })
  const agent = createAgent({ name: 'assistant', model, instructions: 'Be brief.' })
  await agent.runStream(run.info.title, options).result
}

export default program
